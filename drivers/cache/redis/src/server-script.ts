import { createHash } from "node:crypto";

/** A Lua script and the name under which Redis knows it. */
export interface ServerScript {
  readonly text: string;
  readonly sha: string;
}

export function serverScript(text: string): ServerScript {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
