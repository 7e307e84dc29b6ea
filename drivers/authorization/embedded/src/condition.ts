/** A compiled condition of the model. */
export interface Condition {
  /** Whether the condition is met. Throws an Error if a parameter is missing or has a value of another type. */
  isMet(context: Readonly<Record<string, unknown>>): boolean;
  /** Returns why a tuple cannot fix these values, or undefined. */
  invalidContext(context: Readonly<Record<string, unknown>>): string | undefined;
}
