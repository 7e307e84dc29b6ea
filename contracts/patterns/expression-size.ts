/**
 * What an expression costs to compile and to match. RE2 matches in time proportional to the text *times the program*, and
 * `[a-z]{0,100}` alone is a program of 200 instructions: what has to be bounded is the size after counted repetitions are
 * written out, and it has to be known before anything is compiled.
 */
export const expressionLimits = {
  /** Of the source, in characters. */
  length: 1_000,
  /** The largest n or m of `x{n}`, `x{n,}` and `x{n,m}`. */
  repetition: 100,
  /** Of one expression, in instructions: characters, classes and operators, each as often as repetitions write it out. */
  size: 1_000,
  /** Of all expressions of a manifest together: regex routes, patterns of settings, patterns of input schemas. */
  manifestSize: 2_000,
} as const;

/** A Unicode class (`\pL`) holds hundreds of ranges: compiling one takes as long as this many instructions. */
const unicodeClassSize = 50;

/** The start and the end of a group that captures. */
const captureSize = 2;

/** A part of a sequence whose repetition may still follow. */
interface Scope {
  /** Without the last atom. */
  size: number;
  /** The last atom, which a quantifier repeats. */
  last: number;
}

/** `\Q…\E`: literal. */
const quotation = /\\Q.*?(?:\\E|$)/sy;
const count = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const longCount = /\{\d{10}|\{\d*,\d{10}/y;
const hexadecimal = /\\x(?:\{[^}]*\}|..)/sy;
const unicodeClass = /\\[pP](?:\{[^}]*\}|.)/suy;
const posixClass = /\[:[^\]]*?:\]/y;
const perlClass = /\\[dDsSwW]/y;
/** No atom: a quantifier after it repeats what stands before it. */
const flags = /\(\?[imsU-]*\)/y;
const plainGroup = /\(\?[imsU-]*:/y;
const namedGroup = /\(\?P?<\w*>/y;
const anyCharacter = /\\?./suy;

/**
 * Upper bound of the instructions that RE2 compiles the expression to. Reads as RE2's parser does where counts, groups and
 * classes are concerned; what is not RE2 syntax is left to the compiler. Infinity if a count is above its limit.
 */
export function expressionSize(source: string): number {
  return new SizeReader(source).read();
}

class SizeReader {
  readonly #source: string;
  #at = 0;
  /** The whole expression and the groups that are open, innermost last. */
  readonly #outer: Scope[] = [];
  #scope: Scope = { size: 0, last: 0 };

  constructor(source: string) {
    this.#source = source;
  }

  read(): number {
    while (this.#at < this.#source.length) this.#readNext();
    while (this.#outer.length > 0) this.#close();
    return this.#scope.size + this.#scope.last;
  }

  #readNext(): void {
    if (this.#take(flags)) return;
    const [quoted] = this.#take(quotation) ?? [];
    if (quoted !== undefined) {
      this.#append(1);
      this.#scope.size += quoted.length;
      return;
    }
    const counted = this.#take(count);
    if (counted) this.#repeat(timesOf(counted));
    else if (this.#take(longCount)) this.#repeat(Number.POSITIVE_INFINITY);
    else if (this.#take(plainGroup)) this.#open(0);
    else if (this.#take(namedGroup) || this.#take(/\(/y)) this.#open(captureSize);
    else if (this.#take(/\)/y)) this.#close();
    else if (this.#take(/\[\^?/y)) this.#append(this.#readClass());
    else if (this.#take(/[*+?|]/y)) this.#scope.last += 1;
    else if (this.#take(unicodeClass)) this.#append(unicodeClassSize);
    else {
      this.#takeCharacter();
      this.#append(1);
    }
  }

  /** The rest of a bracket class. Its first `]` is literal, and so is whatever ends a range. */
  #readClass(): number {
    let size = 1;
    for (let isFirst = true; this.#at < this.#source.length; isFirst = false) {
      if (!isFirst && this.#take(/\]/y)) break;
      if (this.#take(posixClass) || this.#take(perlClass)) continue;
      if (this.#take(unicodeClass)) {
        size += unicodeClassSize;
        continue;
      }
      this.#takeCharacter();
      if (this.#take(/-(?!\])/y)) this.#takeCharacter();
    }
    return size;
  }

  #takeCharacter(): void {
    if (!this.#take(hexadecimal) && !this.#take(anyCharacter)) this.#at += 1;
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }

  #append(size: number): void {
    this.#scope.size += this.#scope.last;
    this.#scope.last = size;
  }

  /** Of `x{0,n}` each copy has an operator of its own. */
  #repeat(times: number): void {
    this.#scope.last = (this.#scope.last + 1) * Math.max(1, times) + 1;
    if (times === Number.POSITIVE_INFINITY) this.#at = this.#source.length;
  }

  #open(size: number): void {
    this.#outer.push(this.#scope);
    this.#scope = { size, last: 0 };
  }

  #close(): void {
    const outer = this.#outer.pop();
    if (!outer) return;
    const { size, last } = this.#scope;
    this.#scope = outer;
    this.#append(size + last);
  }
}

function timesOf([, least = "0", most = "0"]: RegExpExecArray): number {
  const times = Math.max(Number(least), Number(most));
  return times > expressionLimits.repetition ? Number.POSITIVE_INFINITY : times;
}
