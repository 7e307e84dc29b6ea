import {
  type Call,
  Cursors,
  invalidField,
  type Page,
  type Permissions,
  pageOf,
  pageSize,
  requirePermission,
} from "@appserver/kernel";
import type { ListedRequest, RequestFilter, RequestHistory } from "../ports.ts";
import { textOf } from "./filter-text.ts";

export interface RequestsContext {
  readonly requests: Pick<RequestHistory, "list">;
  readonly permissions: Permissions;
}

export interface RequestsRequest {
  /** Default: of every app, and of the platform itself. */
  readonly appName?: string | null | undefined;
  /** True: only those with a status of 400 or above, or a reason. */
  readonly failed?: boolean | null | undefined;
  /** 100 to 599. */
  readonly minStatus?: number | null | undefined;
  /** 0 or more. */
  readonly slowerThanMs?: number | null | undefined;
  /** As the actor of an audit entry: `user:alice`. */
  readonly caller?: string | null | undefined;
  readonly method?: string | null | undefined;
  /** RFC 3339: that began from this time on. */
  readonly since?: string | null | undefined;
  /** RFC 3339: that began before this time. */
  readonly until?: string | null | undefined;
  /** 1 to 100, default 50. */
  readonly first?: number | null | undefined;
  /** Opaque cursor of the last request of the previous page. */
  readonly after?: string | null | undefined;
}

/** The longest page (docs/interface/limits.md#traces). */
const longestPage = 100;
const [lowestStatus, highestStatus] = [100, 599];
const keyPattern = /^(\d{1,15})\.(\d{1,18})$/;

const cursors = new Cursors("request", (key) => keyPattern.test(key));

/**
 * Returns one page of the stored requests of the last hour, newest first. Needs `trace:view`. Throws INVALID_REQUEST for invalid
 * arguments.
 */
export async function readRequests(
  { requests, permissions }: RequestsContext,
  request: RequestsRequest,
  call: Call,
): Promise<Page<ListedRequest>> {
  await requirePermission(permissions, call, "trace:view");
  const filter = filterOf(request);
  const size = pageSize(request.first);
  if (size > longestPage) throw invalidField("first", `must be 1 to ${longestPage}, got ${size}`);
  return pageOf(await requests.list(filter, placeOf(cursors.read(request.after)), size + 1), size);
}

/** Returns the cursor of a request, opaque to clients. */
export function requestCursorOf({ at, position }: ListedRequest): string {
  return cursors.of(`${at.getTime()}.${position}`);
}

function placeOf(key: string | undefined): Pick<ListedRequest, "at" | "position"> | undefined {
  const [, at, position] = keyPattern.exec(key ?? "") ?? [];
  return at === undefined || position === undefined ? undefined : { at: new Date(Number(at)), position };
}

function filterOf(request: RequestsRequest): RequestFilter {
  const { failed, minStatus, slowerThanMs, since, until } = request;
  if (minStatus != null && (minStatus < lowestStatus || minStatus > highestStatus))
    throw invalidField("minStatus", `must be ${lowestStatus} to ${highestStatus}, got ${minStatus}`);
  if (slowerThanMs != null && slowerThanMs < 0) throw invalidField("slowerThanMs", `must be 0 or more, got ${slowerThanMs}`);
  const { appName: app } = textOf("appName", request.appName);
  return {
    ...(app !== undefined && { app }),
    ...textOf("caller", request.caller),
    ...textOf("method", request.method),
    ...(failed && { isFailed: true }),
    ...(minStatus != null && { minStatus }),
    ...(slowerThanMs != null && { slowerThanMs }),
    ...(since != null && { since: new Date(since) }),
    ...(until != null && { until: new Date(until) }),
  };
}
