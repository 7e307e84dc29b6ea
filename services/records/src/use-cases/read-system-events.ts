import {
  AppError,
  type Call,
  Cursors,
  invalidField,
  isUuid,
  type Page,
  type Permissions,
  pageOf,
  pageSize,
  requirePermission,
} from "@appserver/kernel";
import type { EventHistory, SystemEventFilter, SystemEventNotifications, SystemEventRecord } from "../ports.ts";

export interface SystemEventsContext {
  readonly history: Pick<EventHistory, "newest" | "following" | "pending" | "count" | "find">;
  readonly notifications: SystemEventNotifications;
  readonly permissions: Permissions;
}

export interface SystemEventsRequest {
  readonly types?: readonly string[] | null | undefined;
  readonly appName?: string | null | undefined;
  /** 1 to 250, default 50. */
  readonly first?: number | null | undefined;
  /** Opaque cursor of the last event of the previous page. */
  readonly after?: string | null | undefined;
}

export interface FollowRequest extends Pick<SystemEventsRequest, "types" | "appName"> {
  /** Id of the last event that the caller has. */
  readonly after?: string | undefined;
}

export interface SystemEventsPage extends Page<SystemEventRecord> {
  /** Counts the events over all pages; this costs a query. */
  totalCount(): Promise<number>;
}

const cursors = new Cursors("event", isUuid);
/** How many missed events a follower gets at once. */
const replayed = 500;

/** Returns one page of the events of the last days, newest first. Needs `event:view`. Throws INVALID_REQUEST for wrong arguments. */
export async function readSystemEvents(
  context: SystemEventsContext,
  request: SystemEventsRequest,
  call: Call,
): Promise<SystemEventsPage> {
  await requireView(context, call);
  const filter = filterOf(request);
  const size = pageSize(request.first);
  const found = await context.history.newest(filter, cursors.read(request.after), size + 1);
  return { ...pageOf(found, size), totalCount: () => context.history.count(filter) };
}

/** Returns an event; undefined if there is none with this id, or no more. Needs `event:view`. */
export async function readSystemEvent(
  context: SystemEventsContext,
  id: string,
  call: Call,
): Promise<SystemEventRecord | undefined> {
  await requireView(context, call);
  return isUuid(id) ? await context.history.find(id) : undefined;
}

/**
 * Returns the events from now on, after those that followed the event `after` if it is given. Ends with the call. Needs
 * `event:view`. Rejects with INVALID_REQUEST if `after` is no id of an event.
 */
export async function followSystemEvents(
  context: SystemEventsContext,
  request: FollowRequest,
  call: Call,
): Promise<AsyncIterable<SystemEventRecord>> {
  await requireView(context, call);
  const { after } = request;
  if (after !== undefined && !isUuid(after)) throw invalidField("after", "must be the id of an event");
  return follow(context, filterOf(request), after, call.signal);
}

async function* follow(
  context: SystemEventsContext,
  filter: SystemEventFilter,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SystemEventRecord> {
  // First, so that no event falls between what is stored and what follows.
  const following = context.notifications.published(signal, filter)[Symbol.asyncIterator]();
  try {
    // Read before the history: an event that moves from one to the other is in both, never in neither.
    const pending = after === undefined ? [] : await context.history.pending(filter, replayed);
    // An event that was published just now is stored as well. One that the follower has may be published again.
    const seen = new Set(publishedUntil(after, pending));
    for await (const event of missed(context, filter, after, pending)) {
      if (seen.has(event.id)) continue;
      seen.add(event.id);
      yield event;
    }
    for (let item = await following.next(); !item.done; item = await following.next())
      if (!seen.delete(item.value.id)) yield item.value;
  } finally {
    await following.return?.();
  }
}

/** Returns the cursor of an event, opaque to clients. */
export function systemEventCursorOf({ id }: SystemEventRecord): string {
  return cursors.of(id);
}

async function* missed(
  { history }: SystemEventsContext,
  filter: SystemEventFilter,
  lastSeen: string | undefined,
  pending: readonly SystemEventRecord[],
): AsyncGenerator<SystemEventRecord> {
  let after: string | undefined = lastSeen;
  while (after !== undefined) {
    const events = await history.following(filter, after, replayed);
    yield* events;
    after = events.length === replayed ? events.at(-1)?.id : undefined;
  }
  yield* pending;
}

/**
 * Returns the ids of the pending events that were published up to this one: a process was killed before it stored them. Only events
 * of one app are published in their order.
 */
function publishedUntil(id: string | undefined, pending: readonly SystemEventRecord[]): readonly string[] {
  const last = pending.findIndex((event) => event.id === id);
  return pending.slice(0, last + 1).flatMap((event) => (event.appName === pending[last]?.appName ? [event.id] : []));
}

function requireView({ permissions }: SystemEventsContext, call: Call): Promise<void> {
  return requirePermission(permissions, call, "event:view");
}

function filterOf({ types, appName }: Pick<SystemEventsRequest, "types" | "appName">): SystemEventFilter {
  if (appName?.includes("\u0000")) throw new AppError("INVALID_REQUEST", "appName must not hold NUL");
  return { types: types ?? undefined, appName: appName ?? undefined };
}

/** Returns the first events of these traces, oldest first. Needs `event:view`. */
export async function readTracedEvents(
  { history, permissions }: { readonly history: Pick<EventHistory, "ofTraces">; readonly permissions: Permissions },
  traceIds: readonly string[],
  limit: number,
  call: Call,
): Promise<readonly SystemEventRecord[]> {
  await requirePermission(permissions, call, "event:view");
  return history.ofTraces(traceIds, limit);
}
