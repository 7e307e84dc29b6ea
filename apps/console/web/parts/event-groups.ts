import type { EventFragment as EventRow } from "../generated/operations.ts";

/** The events of one operation, or a single event. */
export interface EventGroup {
  /** The event that says what the operation was. */
  readonly lead: EventRow;
  /** Newest first, the lead included. */
  readonly steps: readonly EventRow[];
}

/** The types that say what an operation was, the most telling first. */
const telling: readonly EventRow["type"][] = [
  "APP_ROLLED_BACK",
  "APP_UPGRADED",
  "APP_INSTALLED",
  "APP_UNINSTALLED",
  "APP_DELETED",
  "APP_REGISTERED",
];

/** States that an app or its deployment has within an operation. The orchestrator, which does not know the operation, reports some. */
const states: ReadonlySet<EventRow["type"]> = new Set(["APP_STATE_CHANGED", "DEPLOYMENT_STATE_CHANGED"]);

/**
 * Puts the events of each operation together. Both lists are newest first; a group has the place of its newest event. The states of an
 * app between the first and the last event of an operation are its steps, too.
 */
export function groupsOf(events: readonly EventRow[]): readonly EventGroup[] {
  const spans = new Map<string, Span>();
  for (const [index, { operationId }] of events.entries()) {
    if (!operationId) continue;
    const known = spans.get(operationId);
    spans.set(operationId, { first: known?.first ?? index, last: index });
  }
  const groups = new Map<string, EventRow[]>();
  for (const [index, event] of events.entries()) {
    const key = event.operationId ?? surrounding(events, spans, index) ?? event.id;
    const group = groups.get(key);
    if (group) group.push(event);
    else groups.set(key, [event]);
  }
  return [...groups.values()].map((steps) => ({ lead: leadOf(steps), steps }));
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
  const failure = steps.find(({ type, severity }) => type === "APP_STATE_CHANGED" && severity === "ERROR");
  if (failure) return failure;
  for (const type of telling) {
    const found = steps.find((step) => step.type === type);
    if (found) return found;
  }
  return newest;
}

/** Returns how long the steps took, in milliseconds. */
export function tookMs({ steps }: EventGroup): number {
  const times = steps.map(({ timestamp }) => Date.parse(timestamp));
  return Math.max(...times) - Math.min(...times);
}

/** Returns the severest of the steps. */
export function severityOf({ steps }: EventGroup): EventRow["severity"] {
  const all = new Set(steps.map(({ severity }) => severity));
  return all.has("ERROR") ? "ERROR" : all.has("WARNING") ? "WARNING" : "INFO";
}
