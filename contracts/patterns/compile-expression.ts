import { RE2JS } from "re2js";
import { expressionLimits, expressionSize } from "./expression-size.ts";

/**
 * Instructions times characters, about 12 ns each. Where matching falls back on simulating the program, it stops before it has
 * taken more of these than its caller granted.
 */
export class MatchBudget {
  #steps: number;

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Takes `steps`, or takes nothing and returns false if fewer are left. */
  take(steps: number): boolean {
    if (steps > this.#steps) return false;
    this.#steps -= steps;
    return true;
  }
}

/** A regular expression of an app. Its program and the time of each match are bounded. */
export interface Expression {
  readonly source: string;
  /** What counts towards the budget of a manifest: an upper bound of the program's instructions. */
  readonly size: number;
  /** Whether the whole text matches. Throws MatchBudgetError instead of taking longer than the budget allows. */
  matchesWhole(text: string, budget: MatchBudget): boolean;
  /** Whether a part of the text matches. Throws like `matchesWhole`. */
  matchesPart(text: string, budget: MatchBudget): boolean;
}

/** A text is too long for its expression, of which the states grow with the text. */
export class MatchBudgetError extends Error {
  override readonly name = "MatchBudgetError";
}

/** The lazily built automaton of RE2JS, as far as its memory is bounded here. */
interface Automaton {
  maxMem: number;
  stateBudget: number;
  memBudget: number;
  resetCache: (current: unknown) => unknown;
  clearCache: () => void;
  match: (input: { endPos(): number }, position: number, anchor: number) => boolean | null;
}

/** Of an automaton's states, for each instruction. One instruction in a state takes 8 of them, and some 100 ns to build. */
const bytesPerInstruction = 512;
const maxAutomatonBytes = 64 * 1024;
/** Up to so many steps the automaton saves nothing. */
const shortSteps = 4_096;

/**
 * Compiles an expression in RE2 syntax. Throws RangeError if it is too long, if its repetitions are too large, or if it is no RE2
 * syntax; look-around and back-references are none.
 */
export function compileExpression(source: string): Expression {
  const { length, size: limit } = expressionLimits;
  if (source.length > length) throw new RangeError(`has ${source.length} characters; expected at most ${length}`);
  const size = expressionSize(source);
  if (size > limit) throw tooLarge(size);
  const compiled = compileRe2(source);
  const instructions = compiled.programSize();
  // The estimate is an upper bound; should it ever not be one, the program itself decides.
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
 * RE2JS first tries an automaton whose states it builds as it goes, with 8 MiB for each expression, and builds them again and
 * again where they do not suffice: `.*a.{100}x` takes 40 times as long per character as a plain simulation. Here the states
 * have a small budget that is used up at most twice per match; a text that needs more is simulated, if the caller's budget
 * grants the steps. Whether the states suffice depends on the text alone, not on texts before it: on failure they are built
 * from nothing once more.
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

  /** Null makes RE2JS simulate the program. */
  #simulate(steps: number): null {
    if (this.#budget.take(steps)) return null;
    throw new MatchBudgetError(`"${this.source}" takes ${steps} steps on this text, more than are granted`);
  }
}
