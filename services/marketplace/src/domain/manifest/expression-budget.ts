import { expressionLimits, expressionSize } from "@appserver/contracts/patterns";
import type { Violations } from "./violations.ts";

/** What all expressions of a manifest may cost together. Once it is used up, nothing more is compiled. */
export class ExpressionBudget {
  #size = 0;

  /** Returns whether the budget holds the expression. Adds a violation if it is the first that is too much. */
  take(source: string, field: string, violations: Violations): boolean {
    const { manifestSize } = expressionLimits;
    if (this.#size > manifestSize) return false;
    this.#size += sizeOf(source);
    return violations.check(
      this.#size <= manifestSize,
      field,
      `makes the expressions of the manifest (regex routes, settings, input schemas) more than ${manifestSize} instructions together`,
    );
  }
}

/** An expression that is refused for itself takes as much as the largest one: a thousand of them are not looked at. */
function sizeOf(source: string): number {
  const { length, size } = expressionLimits;
  return source.length > length ? size : Math.min(size, expressionSize(source));
}
