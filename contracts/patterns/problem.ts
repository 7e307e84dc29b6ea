/** The reason why a text is not valid. It continues a sentence that begins with the name of the field. */
export interface PatternProblem {
  readonly problem: string;
}

/** Returns the message of the RangeError that `check` throws, or undefined. Other errors are thrown. */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
