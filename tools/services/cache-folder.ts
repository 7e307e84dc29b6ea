import { homedir } from "node:os";
import { join } from "node:path";

/** Returns the folder of built or installed programs of a kind. It is outside the checkout, so that a fresh clone can use them. */
export function cacheFolder(kind: string, { XDG_CACHE_HOME }: NodeJS.ProcessEnv = process.env): string {
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "appserver", kind);
}
