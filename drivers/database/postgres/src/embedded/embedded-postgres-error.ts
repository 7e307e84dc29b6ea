import { StartError } from "@appserver/kernel";

/**
 * Thrown if the embedded server cannot start. The message is one sentence for the person at the terminal: what, where, and what
 * to do.
 */
export class EmbeddedPostgresError extends StartError {
  override readonly name = "EmbeddedPostgresError";
}
