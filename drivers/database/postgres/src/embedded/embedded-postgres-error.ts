import { StartError } from "@appserver/kernel";

/** The embedded server cannot start. The message is one sentence for the person at the terminal: what, where, what to do. */
export class EmbeddedPostgresError extends StartError {
  override readonly name = "EmbeddedPostgresError";
}
