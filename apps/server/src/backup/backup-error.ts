import { StartError } from "@appserver/kernel";

/** A backup that cannot be made, read or restored. The message says why, in one sentence for the person at the terminal. */
export class BackupError extends StartError {
  override readonly name = "BackupError";
}
