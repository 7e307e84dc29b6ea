import { quote } from "@appserver/contracts/patterns";
import { AppError, type Call, Cursors, isUuid, type Page, pageOf, pageSize, requirePermission } from "@appserver/kernel";
import type { EventSummary } from "../domain/delivery.ts";
import type { EventFilter } from "../ports.ts";
import type { HooksContext } from "./context.ts";

export interface EventPageRequest {
  readonly filter: Pick<EventFilter, "hookName" | "sourceApp">;
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last one seen. */
  readonly after?: string | undefined;
}

export interface EventPage extends Page<EventSummary> {
  /** Counts all matches of the filter; this costs a query. */
  totalCount(): Promise<number>;
}

const cursors = new Cursors("hook-event", isUuid);

/** Returns one page, newest first. Users need `hook:view`; an app sees events of its hooks and those delivered to it. */
export async function listEvents(context: HooksContext, request: EventPageRequest, call: Call): Promise<EventPage> {
  const filter = { ...request.filter, concerning: await visibleTo(context, call) };
  const size = pageSize(request.first);
  const found = await context.eventReads.list(filter, size + 1, cursors.read(request.after));
  return { ...pageOf(found, size), totalCount: () => context.eventReads.count(filter) };
}

/** Returns an event. Throws NOT_FOUND if there is none that the caller may see. */
export async function getEvent(context: HooksContext, id: string, call: Call): Promise<EventSummary> {
  const concerning = await visibleTo(context, call);
  const found = isUuid(id) ? await context.eventReads.find(id, concerning) : undefined;
  if (found) return found;
  throw new AppError("NOT_FOUND", `there is no event ${quote(id)}`, { details: { event: id } });
}

/** Returns the data of events that the caller may see, as JSON texts by id. Those that were deleted are missing. */
export function readEventData({ eventReads }: HooksContext, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return eventReads.data(ids);
}

/** Returns the cursor of an event, opaque to clients. */
export function eventCursorOf(event: EventSummary): string {
  return cursors.of(event.id);
}

/** Returns the app whose events alone the caller sees; undefined for a caller that sees all. */
async function visibleTo(context: HooksContext, call: Call): Promise<string | undefined> {
  if (call.caller.kind === "app") return call.caller.name;
  await requirePermission(context.permissions, call, "hook:view");
  return undefined;
}
