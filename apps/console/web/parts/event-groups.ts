import type { EventFragment as EventRow } from "../generated/operations.ts";

/** The events of one operation, or a single event. */
export interface EventGroup {
  /** The event that says what the operation was. */
  readonly lead: EventRow;
  /** Newest first, the lead included. */
  readonly steps: readonly EventRow[];
}

/** The types that say what happened, the most telling first. */
const telling: readonly EventRow["type"][] = [
  "APP_ROLLED_BACK",
  "APP_UPGRADED",
  "APP_INSTALLED",
  "APP_UNINSTALLED",
  "APP_DELETED",
  "APP_REGISTERED",
];

/** States that an app or its deployment has within an operation. The orchestrator, which does not know the operation, reports some. */
const states: ReadonlySet<EventRow["type"]> = new Set(["APP_STATE_CHANGED", "DEPLOYMENT_STATE_CHANGED", "APP_RECOVERED"]);

/** What ends with the stop of a deployment, which follows. */
const replacing: ReadonlySet<EventRow["type"]> = new Set(["APP_ROLLED_BACK", "APP_UPGRADED", "APP_UNINSTALLED"]);
/** Requests that still run delay the stop. */
const followsMs = 60_000;

/**
 * Puts the events of each operation together. Both lists are newest first; a group has the place of its newest event. The states of an
 * app between the first and the last event of an operation are its steps, too, and so is the end of the deployment that it replaced. What
 * happened from the failure of an app by itself until its recovery is together, too.
 */
export function groupsOf(events: readonly EventRow[]): readonly EventGroup[] {
  const spans = spansOf(events);
  /** By app: the last operation that replaced a deployment. */
  const replaced = new Map<string, EventRow>();
  /** By app: the first event of a failure that is not over. */
  const failing = new Map<string, string>();
  const groups = new Map<string, EventRow[]>();
  const places = new Map<string, number>();
  for (const [index, event] of [...events.entries()].reverse()) {
    const app = event.appName ?? "";
    const operation = event.operationId ?? surrounding(events, spans, index) ?? following(event, replaced);
    const key = operation ?? failureOf(event, failing) ?? event.id;
    const group = groups.get(key);
    if (group) group.unshift(event);
    else groups.set(key, [event]);
    places.set(key, index);
    if (replacing.has(event.type)) replaced.set(app, event);
    else if (key !== replaced.get(app)?.operationId) replaced.delete(app);
    if (operation || event.type === "APP_RECOVERED") failing.delete(app);
  }
  return [...groups]
    .sort(([one], [other]) => (places.get(one) ?? 0) - (places.get(other) ?? 0))
    .map(([, steps]) => ({ lead: leadOf(steps), steps }));
}

/** Returns the first event of the failure that the state belongs to, if there is one. */
function failureOf({ id, type, severity, appName }: EventRow, failing: Map<string, string>): string | undefined {
  if (!states.has(type)) return undefined;
  const app = appName ?? "";
  if (severity !== "INFO" && !failing.has(app)) failing.set(app, id);
  return failing.get(app);
}

function spansOf(events: readonly EventRow[]): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  for (const [index, { operationId }] of events.entries())
    if (operationId) spans.set(operationId, { first: spans.get(operationId)?.first ?? index, last: index });
  return spans;
}

/** Returns the operation that has just replaced a deployment of the app. */
function following(
  { type, severity, appName, timestamp }: EventRow,
  replaced: ReadonlyMap<string, EventRow>,
): string | undefined {
  if (type !== "DEPLOYMENT_STATE_CHANGED" || severity !== "INFO") return undefined;
  const operation = replaced.get(appName ?? "");
  const isRecent = operation && Date.parse(timestamp) - Date.parse(operation.timestamp) < followsMs;
  return isRecent ? (operation.operationId ?? undefined) : undefined;
}

/** Positions in a list that is newest first. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** Returns the operation of the same app that began before the event and ended after it. */
function surrounding(events: readonly EventRow[], spans: ReadonlyMap<string, Span>, index: number): string | undefined {
  const event = events[index];
  if (!event || !states.has(event.type)) return undefined;
  for (const [operationId, { first, last }] of spans)
    if (first < index && index < last && events[first]?.appName === event.appName) return operationId;
  return undefined;
}

function leadOf(steps: readonly EventRow[]): EventRow {
  const newest = steps[0] as EventRow;
  const end = steps.find(
    ({ type, severity }) => type === "APP_RECOVERED" || (type === "APP_STATE_CHANGED" && severity === "ERROR"),
  );
  if (end) return end;
  for (const type of telling) {
    const found = steps.find((step) => step.type === type);
    if (found) return found;
  }
  return newest;
}

/** Returns how long the operation took, or the failure lasted, in milliseconds. Undefined if it is not over, or has failed. */
export function tookMs({ lead, steps }: EventGroup): number | undefined {
  if (!telling.includes(lead.type) && lead.type !== "APP_RECOVERED") return undefined;
  const times = steps
    .filter(({ operationId }) => operationId === lead.operationId)
    .map(({ timestamp }) => Date.parse(timestamp));
  return Math.max(...times) - Math.min(...times);
}

/** Returns the severest of the steps. */
export function severityOf({ steps }: EventGroup): EventRow["severity"] {
  const all = new Set(steps.map(({ severity }) => severity));
  return all.has("ERROR") ? "ERROR" : all.has("WARNING") ? "WARNING" : "INFO";
}
