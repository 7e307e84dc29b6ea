import { createHash } from "node:crypto";

/** A Lua script and its SHA-1 name in Redis. */
export interface ServerScript {
  readonly text: string;
  readonly sha: string;
}

export function serverScript(text: string): ServerScript {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
