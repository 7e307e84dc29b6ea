/** The command was given something it cannot mean; the message says what was expected. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
