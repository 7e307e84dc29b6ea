/**
 * Limits on the cost of compiling and matching expressions. RE2 matches in time proportional to the text *times the program*,
 * and `[a-z]{0,100}` alone is a program of 200 instructions. Therefore the size is limited after counted repetitions are
 * expanded, and it is computed before the expression is compiled.
 */
export const expressionLimits = {
  /** Maximum length of the source, in characters. */
  length: 1_000,
  /** Maximum n or m of `x{n}`, `x{n,}` and `x{n,m}`. */
  repetition: 100,
  /** Maximum size of one expression, in instructions: characters, classes and operators after expanding repetitions. */
  size: 1_000,
  /** Maximum total size of a manifest's expressions: regex routes, patterns of settings, patterns of input schemas. */
  manifestSize: 2_000,
} as const;

/** A Unicode class (`\pL`) contains hundreds of ranges. Compiling it takes as long as this many instructions. */
const unicodeClassSize = 50;

/** One instruction each for the start and the end of a capturing group. */
const captureSize = 2;

/** A sequence being read. A quantifier for its last atom may still follow. */
interface Scope {
  /** Size without the last atom. */
  size: number;
  /** Size of the last atom, which a quantifier repeats. */
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
/** Flags are not an atom: a quantifier after them repeats the atom before them. */
const flags = /\(\?[imsU-]*\)/y;
const plainGroup = /\(\?[imsU-]*:/y;
const namedGroup = /\(\?P?<\w*>/y;
const anyCharacter = /\\?./suy;

/**
 * Returns an upper bound of the instructions that RE2 compiles the expression to. Parses counts, groups and classes as RE2
 * does. The compiler reports invalid syntax later. Returns Infinity if a count is above its limit.
 */
export function expressionSize(source: string): number {
  return new SizeReader(source).read();
}

class SizeReader {
  readonly #source: string;
  #at = 0;
  /** The whole expression and its open groups, innermost last. */
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

  /** Reads the rest of a bracket class. The first `]` is literal, and so is the character that ends a range. */
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

  /** Applies a repetition. Each copy of `x{0,n}` needs a separate operator. */
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
