/** A condition of the model, ready to be asked. */
export interface Condition {
  /** Whether it is met. Throws an Error when a parameter is missing or has a value of another type. */
  isMet(context: Readonly<Record<string, unknown>>): boolean;
  /** What keeps a tuple from fixing these values, or undefined. */
  invalidContext(context: Readonly<Record<string, unknown>>): string | undefined;
}
