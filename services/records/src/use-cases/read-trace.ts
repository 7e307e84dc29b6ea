import {
  type Call,
  invalidField,
  isAppError,
  type Permissions,
  parseTraceparent,
  type ReadPart,
  requirePermission,
} from "@appserver/kernel";
import type { RequestHistory, StoredRequest } from "../ports.ts";

type Parts = Readonly<Record<string, ReadPart<unknown>>>;
type Found<P extends Parts> = { readonly [Name in keyof P]: Awaited<ReturnType<P[Name]>> };

export interface TracesContext<P extends Parts> {
  readonly requests: Pick<RequestHistory, "tracesOf" | "ofTraces">;
  readonly permissions: Permissions;
  /** What else may belong to a trace, by its name in the result. */
  readonly parts: P;
}

export interface Trace<P extends Parts> {
  /** The id that was looked up. */
  readonly id: string;
  /** Several if requests of several traces carried the request id. At most 10. */
  readonly traceIds: readonly string[];
  /** Of the requests, and the id that was looked up if it is one. */
  readonly requestIds: readonly string[];
  readonly requests: readonly StoredRequest[];
  readonly parts: Found<P>;
  /** The parts that the caller may not see. They are empty. */
  readonly hidden: readonly (keyof P & string)[];
  /** Whether a part has more than its list. */
  readonly truncated: boolean;
}

/** The longest list of each part (docs/interface/limits.md#traces). */
export const maxTraced = 200;

const idPattern = /^[A-Za-z0-9._-]{1,64}$/;
const traceIdPattern = /^[0-9a-f]{32}$/i;

/**
 * Returns everything that is known of the request or trace with this id: a request id, a trace id or a `traceparent`. Undefined if
 * the caller may see nothing of it, or nothing is known (any more). Needs `trace:view`, and for each part its own permission.
 * Throws INVALID_REQUEST if the text cannot be an id.
 */
export async function readTrace<P extends Parts>(
  { requests, permissions, parts }: TracesContext<P>,
  id: string,
  call: Call,
): Promise<Trace<P> | undefined> {
  await requirePermission(permissions, call, "trace:view");
  if (!idPattern.test(id))
    throw invalidField("id", "must be a request id or a trace id: 1 to 64 characters of A-Z a-z 0-9 . _ -");
  const given = traceIdOfText(id);
  const byRequest = await requests.tracesOf(id);
  const traceIds = [...new Set([...(given === undefined ? [] : [given]), ...byRequest])];
  if (traceIds.length === 0) return undefined;
  const limited: ReadPart<StoredRequest> = (ids, limit) => requests.ofTraces(ids, limit);
  const [own, ...others] = await Promise.all([
    readPart("requests", limited, traceIds, call),
    ...Object.entries(parts).map(([name, read]) => readPart(name, read, traceIds, call)),
  ]);
  const all = [own, ...others];
  if (all.every(({ items }) => items.length === 0)) return undefined;
  return {
    id,
    traceIds,
    requestIds: [...new Set([...(byRequest.length > 0 ? [id] : []), ...own.items.map(({ requestId }) => requestId)])],
    requests: own.items,
    parts: Object.fromEntries(others.map(({ name, items }) => [name, items])) as Found<P>,
    hidden: others.filter(({ isHidden }) => isHidden).map(({ name }) => name),
    truncated: all.some(({ isCut }) => isCut),
  };
}

interface PartItems<T> {
  readonly name: string;
  readonly items: readonly T[];
  readonly isHidden: boolean;
  readonly isCut: boolean;
}

async function readPart<T>(name: string, read: ReadPart<T>, traceIds: readonly string[], call: Call): Promise<PartItems<T>> {
  try {
    const found = await read(traceIds, maxTraced + 1, call);
    return { name, items: found.slice(0, maxTraced), isHidden: false, isCut: found.length > maxTraced };
  } catch (error) {
    if (!isAppError(error, "PERMISSION_DENIED")) throw error;
    return { name, items: [], isHidden: true, isCut: false };
  }
}

/** Returns the trace id that a text is or contains. */
function traceIdOfText(text: string): string | undefined {
  if (traceIdPattern.test(text)) return text.toLowerCase();
  return parseTraceparent(text.toLowerCase())?.traceId;
}
