/** The embedded server cannot start. The message is one sentence for the person at the terminal: what, where, what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
}
