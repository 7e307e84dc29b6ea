import type { Call } from "./call.ts";

/**
 * Reads the first `limit` things of one kind in these traces, oldest first. Throws PERMISSION_DENIED for a caller who may not see
 * any thing of this kind.
 */
export type ReadPart<T> = (traceIds: readonly string[], limit: number, call: Call) => Promise<readonly T[]>;
