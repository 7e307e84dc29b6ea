import { RE2JS } from "re2js";
import { expressionLimits, expressionSize } from "./expression-size.ts";

/**
 * Limit on the cost of matching, in steps: one step is one instruction times one character, about 12 ns. A match that falls
 * back on simulating the program stops before it takes more steps than its caller granted.
 */
export class MatchBudget {
  #steps: number;

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Takes `steps` from the budget. Returns false and takes nothing if fewer are left. */
  take(steps: number): boolean {
    if (steps > this.#steps) return false;
    this.#steps -= steps;
    return true;
  }
}

/** A regular expression from an app. Its program size and the time of each match are limited. */
export interface Expression {
  readonly source: string;
  /** Upper bound of the program's instructions. Counts towards the limit of a manifest. */
  readonly size: number;
  /** Returns whether the whole text matches. Throws MatchBudgetError if that would exceed the budget. */
  matchesWhole(text: string, budget: MatchBudget): boolean;
  /** Returns whether a part of the text matches. Throws like `matchesWhole`. */
  matchesPart(text: string, budget: MatchBudget): boolean;
}

/** Thrown when the states of an expression grow with the text and the text is too long for the budget. */
export class MatchBudgetError extends Error {
  override readonly name = "MatchBudgetError";
}

/** The part of RE2JS's lazily built automaton that limits its memory. */
interface Automaton {
  maxMem: number;
  stateBudget: number;
  memBudget: number;
  resetCache: (current: unknown) => unknown;
  clearCache: () => void;
  match: (input: { endPos(): number }, position: number, anchor: number) => boolean | null;
}

/** Memory for an automaton's states per instruction. One instruction in a state takes 8 bytes and about 100 ns to build. */
const bytesPerInstruction = 512;
const maxAutomatonBytes = 64 * 1024;
/** Up to this many steps, the automaton is not faster than a simulation. */
const shortSteps = 4_096;

/**
 * Compiles an expression in RE2 syntax. Throws RangeError if the expression is too long, its repetitions are too large, or its
 * syntax is invalid. RE2 has no look-around and no back-references.
 */
export function compileExpression(source: string): Expression {
  const { length, size: limit } = expressionLimits;
  if (source.length > length) throw new RangeError(`has ${source.length} characters; expected at most ${length}`);
  const size = expressionSize(source);
  if (size > limit) throw tooLarge(size);
  const compiled = compileRe2(source);
  const instructions = compiled.programSize();
  // The estimate should be an upper bound. If it is wrong, the size of the compiled program decides.
  if (instructions > 2 * limit) throw tooLarge(instructions);
  return new BoundedExpression(source, size, compiled);
}

function tooLarge(size: number): RangeError {
  const { size: limit, repetition } = expressionLimits;
  if (size === Number.POSITIVE_INFINITY)
    return new RangeError(`repeats more than ${repetition} times; expected at most {${repetition}}`);
  return new RangeError(`compiles to ${size} instructions, counted repetitions written out; expected at most ${limit}`);
}

function compileRe2(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RangeError(`is not a regular expression in RE2 syntax: ${reason}`, { cause: error });
  }
}

/**
 * RE2JS first tries an automaton that builds its states during the match, with 8 MiB per expression. If that is too little, it
 * discards and rebuilds the states repeatedly: `.*a.{100}x` takes 40 times as long per character as a plain simulation. This
 * class gives the states a small memory budget, which a match uses up at most twice. A text that needs more is simulated, if
 * the caller's budget allows the steps. When the states do not suffice, they are discarded and built once more, so the result
 * depends only on the text and not on earlier texts.
 */
class BoundedExpression implements Expression {
  readonly source: string;
  readonly size: number;
  readonly #compiled: RE2JS;
  readonly #instructions: number;
  #budget = new MatchBudget(0);

  constructor(source: string, size: number, compiled: RE2JS) {
    this.source = source;
    this.size = size;
    this.#compiled = compiled;
    this.#instructions = compiled.programSize();
  }

  matchesWhole(text: string, budget: MatchBudget): boolean {
    this.#prepare(budget);
    return this.#compiled.testExact(text);
  }

  matchesPart(text: string, budget: MatchBudget): boolean {
    this.#prepare(budget);
    return this.#compiled.test(text);
  }

  #prepare(budget: MatchBudget): void {
    this.#budget = budget;
    const automaton: Automaton = this.#compiled.re2().dfa;
    const bytes = Math.min(maxAutomatonBytes, this.#instructions * bytesPerInstruction);
    if (automaton.maxMem === bytes) return;
    automaton.maxMem = automaton.stateBudget = automaton.memBudget = bytes;
    automaton.resetCache = () => null;
    const match = automaton.match.bind(automaton);
    automaton.match = (input, position, anchor) => {
      const steps = this.#instructions * (input.endPos() - position + 1);
      if (steps <= shortSteps) return this.#simulate(steps);
      const verdict = match(input, position, anchor);
      if (verdict !== null) return verdict;
      automaton.clearCache();
      return match(input, position, anchor) ?? this.#simulate(steps + bytes);
    };
  }

  /** Returns null, which makes RE2JS simulate the program. */
  #simulate(steps: number): null {
    if (this.#budget.take(steps)) return null;
    throw new MatchBudgetError(`"${this.source}" takes ${steps} steps on this text, more than the limit`);
  }
}
