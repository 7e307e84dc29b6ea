import { Code, ConnectError } from "@connectrpc/connect";
import { codeOf } from "./failure.ts";

/** Pause before another connection. */
export const reconnectEveryMs = 1_000;
/** How long a lost connection is tried again. */
export const reconnectForMs = 60_000;

const broken: ReadonlySet<Code> = new Set([Code.Canceled, Code.Internal, Code.Aborted]);

/** Returns whether the connection broke, or the server stopped: no refusal. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  return error.code === Code.Unavailable || (codeOf(error) === undefined && broken.has(error.code));
}
