/**
 * Thrown if a process cannot start for a reason that a person at the terminal can fix. The message says what is wrong, where,
 * and what to do. It is shown without a stack.
 */
export class StartError extends Error {
  override readonly name: string = "StartError";
}
