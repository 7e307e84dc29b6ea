/** Thrown if a command's arguments are invalid. The message names what was expected. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
