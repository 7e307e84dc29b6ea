import { printedAt } from "../../parts/log-line.ts";
import { isActive } from "../activities/activity-queries.ts";
import type { Trace, TraceLogs } from "./trace-queries.ts";

export type Tone = "good" | "bad" | "waiting" | "active";

/** A part of a bar. Times are epoch milliseconds. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
}

/** One thing of a trace, with its place in time. */
export type TraceItem = {
  readonly key: string;
  readonly at: number;
  /** Empty for what takes no time. */
  readonly segments: readonly Segment[];
} & (
  | { readonly kind: "request"; readonly of: Trace["requests"][number] }
  | { readonly kind: "hook"; readonly of: Trace["hookEvents"][number] }
  | { readonly kind: "delivery"; readonly of: Trace["deliveries"][number] }
  | { readonly kind: "run"; readonly of: Trace["runs"][number] }
  | { readonly kind: "event"; readonly of: Trace["events"][number] }
  | { readonly kind: "audit"; readonly of: Trace["audit"][number] }
  | { readonly kind: "log"; readonly of: TraceLogs["logs"][number] }
);

export type ItemKind = TraceItem["kind"];

/** In place of the method: what took time in the page of an app (docs/interface/traces.md). */
export const pageMethod = "PAGE";

/** What causes comes before what is caused, where the times are equal. */
const order: readonly ItemKind[] = ["request", "audit", "hook", "delivery", "run", "event", "log"];

/** Returns everything in a trace in the order of time. `now` ends what has not ended. */
export function itemsOf(trace: Trace, lines: TraceLogs["logs"], now: number): readonly TraceItem[] {
  const items: readonly TraceItem[] = [
    ...trace.requests.map(requestItem),
    ...trace.hookEvents.map((of) => instant("hook", of.id, of.triggeredAt, of)),
    ...trace.deliveries.map(deliveryItem),
    ...trace.runs.map((of) => runItem(of, now)),
    ...trace.events.map((of) => instant("event", of.id, of.timestamp, of)),
    ...trace.audit.map((of) => instant("audit", of.id, of.at, of)),
    ...lines.map((of, index): TraceItem => {
      return { kind: "log", key: `log ${index}`, at: printedAt(of.text, of.time), segments: [], of };
    }),
  ];
  return items.toSorted((a, b) => a.at - b.at || order.indexOf(a.kind) - order.indexOf(b.kind));
}

function instant<Kind extends ItemKind>(kind: Kind, id: string, at: string, of: Extract<TraceItem, { kind: Kind }>["of"]) {
  return { kind, key: `${kind} ${id}`, at: Date.parse(at), segments: [], of } as unknown as TraceItem;
}

function requestItem(of: Trace["requests"][number], index: number): TraceItem {
  const at = Date.parse(of.at);
  const tone: Tone = of.status >= 400 || of.reason ? "bad" : "good";
  return { kind: "request", key: `request ${index}`, at, segments: [{ from: at, to: at + of.durationMs, tone }], of };
}

function deliveryItem(of: Trace["deliveries"][number]): TraceItem {
  const segments = of.attempts.map(({ at, durationMs, outcome }): Segment => {
    const from = Date.parse(at);
    return { from, to: from + durationMs, tone: outcome === "SUCCESS" ? "good" : "bad" };
  });
  return { kind: "delivery", key: `delivery ${of.id}`, at: segments[0]?.from ?? Date.parse(of.updatedAt), segments, of };
}

function runItem(of: Trace["runs"][number], now: number): TraceItem {
  const queued = Date.parse(of.queuedAt ?? of.scheduledFor ?? "");
  const started = of.startedAt ? Date.parse(of.startedAt) : undefined;
  const end = of.finishedAt ? Date.parse(of.finishedAt) : Math.max(now, started ?? queued);
  const ended: Tone = of.status === "COMPLETED" ? "good" : "bad";
  const worked: Tone = isActive(of) ? "active" : ended;
  const segments: Segment[] = [{ from: queued, to: started ?? end, tone: "waiting" }];
  if (started !== undefined) segments.push({ from: started, to: end, tone: worked });
  return { kind: "run", key: `run ${of.id}`, at: queued, segments, of };
}

/** The time that a timeline covers. */
export interface Span {
  readonly from: number;
  /** At least a millisecond later. */
  readonly to: number;
}

export function spanOf(items: readonly TraceItem[]): Span {
  const from = Math.min(...items.map(({ at }) => at));
  const to = Math.max(...items.flatMap(({ at, segments }) => [at, ...segments.map((segment) => segment.to)]));
  return { from, to: Math.max(to, from + 1) };
}

/** Returns how long something took, for example all attempts of a delivery. Undefined for what takes no time. */
export function tookMs({ segments }: TraceItem): number | undefined {
  if (segments.length === 0) return undefined;
  return segments.reduce((sum, { from, to, tone }) => (tone === "waiting" ? sum : sum + to - from), 0);
}

/** Returns the apps of a trace in the order in which they take part. */
export function appsOf(items: readonly TraceItem[]): readonly string[] {
  const names = items.map((item) => {
    if (item.kind === "hook") return item.of.sourceApp;
    return item.kind === "audit" ? null : item.of.appName;
  });
  return [...new Set(names.filter((name) => typeof name === "string"))];
}
