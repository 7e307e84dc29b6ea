import { expressionLimits, expressionSize } from "@appserver/contracts/patterns";
import type { Violations } from "./violations.ts";

/** Limits the total cost of all expressions of a manifest. When the budget is used up, no more expressions are compiled. */
export class ExpressionBudget {
  #size = 0;

  /** Returns whether the budget covers the expression. Adds a violation for the first expression that exceeds it. */
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

/**
 * Returns the cost of an expression. One that exceeds the length limit costs as much as the largest one, so that a thousand of
 * them are not parsed.
 */
function sizeOf(source: string): number {
  const { length, size } = expressionLimits;
  return source.length > length ? size : Math.min(size, expressionSize(source));
}
