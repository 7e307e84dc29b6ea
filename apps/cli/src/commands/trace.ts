import { ask, found } from "../client.ts";
import { TraceDocument, type TraceQuery } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { harmless } from "../harmless.ts";
import { fieldLines, print, printJson } from "../output.ts";
import { renderTable } from "../table.ts";

type Trace = NonNullable<TraceQuery["trace"]>;

/** Shows a request with everything that it caused, in the order of time. */
export async function showTrace(options: GlobalOptions, id: string): Promise<void> {
  const trace = found((await ask(options, TraceDocument, { id })).trace, `trace of ${JSON.stringify(id)}`);
  if (options.json) printJson(trace);
  else print([summaryOf(trace), timelineOf(trace), ...remarksOn(trace)].join("\n\n"));
}

/** One row of the timeline. */
interface Row {
  readonly at: string | null | undefined;
  readonly kind: string;
  /** The app, or who acted. */
  readonly subject: string | null | undefined;
  readonly what: string;
  readonly status?: string;
  readonly tookMs?: number | undefined;
}

function rowsOf(trace: Trace): readonly Row[] {
  const rows: readonly Row[] = [
    ...trace.requests.map(requestRow),
    ...trace.hookEvents.map(({ triggeredAt: at, sourceApp, hookName }) => ({
      at,
      kind: "hook",
      subject: sourceApp,
      what: hookName,
    })),
    ...trace.deliveries.map(deliveryRow),
    ...trace.runs.map(({ queuedAt, startedAt, finishedAt, appName, activity, status }) => ({
      at: startedAt ?? queuedAt,
      kind: "run",
      subject: appName,
      what: activity,
      status,
      tookMs: startedAt && finishedAt ? msOf(finishedAt) - msOf(startedAt) : undefined,
    })),
    ...trace.events.map(({ timestamp, appName, message, severity }) => ({
      at: timestamp,
      kind: "event",
      subject: appName,
      what: message,
      status: severity,
    })),
    ...trace.audit.map(({ at, actor, client, action, target, outcome }) => ({
      at,
      kind: "audit",
      subject: client == null ? actor : `${actor} by ${harmless(client)}`,
      what: `${action} ${target}`,
      status: outcome,
    })),
    ...trace.logs.map(logRow),
  ];
  return rows.toSorted((a, b) => msOf(a.at) - msOf(b.at));
}

function requestRow({
  at,
  appName,
  caller,
  client,
  method,
  route,
  status,
  reason,
  durationMs,
}: Trace["requests"][number]): Row {
  const what = [method, route, `by ${caller}`, client && `by ${client}`].filter(Boolean).join(" ");
  const shown = reason == null ? String(status) : `${status} ${reason}`;
  return { at, kind: "request", subject: appName || "platform", what, status: shown, tookMs: durationMs };
}

/** The time is that of the last attempt. */
function deliveryRow({ updatedAt, appName, hookName, status, attempts }: Trace["deliveries"][number]): Row {
  const last = attempts.at(-1);
  const row = { kind: "delivery", subject: appName, what: hookName, status };
  return { ...row, at: last?.at ?? updatedAt, tookMs: last?.durationMs };
}

function logRow({ appName, time, text }: Trace["logs"][number]): Row {
  return { at: time, kind: "log", subject: appName, what: text };
}

function timelineOf(trace: Trace): string {
  const rows = rowsOf(trace);
  const start = msOf(rows[0]?.at);
  return renderTable(
    ["AT", "KIND", "APP OR ACTOR", "WHAT", "STATUS", "TOOK"],
    rows.map(({ at, kind, subject, what, status = "-", tookMs }) => [
      `+${durationText(msOf(at) - start)}`,
      kind,
      subject || "-",
      harmless(what),
      status || "-",
      tookMs === undefined ? "-" : durationText(tookMs),
    ]),
  );
}

function summaryOf(trace: Trace): string {
  const [first] = rowsOf(trace);
  return fieldLines([
    [trace.traceIds.length === 1 ? "trace" : "traces", trace.traceIds.join(" ")],
    [trace.requestIds.length === 1 ? "request" : "requests", trace.requestIds.join(" ") || "-"],
    ["started", first?.at ?? undefined],
  ]);
}

function remarksOn({ hidden, logsIncomplete, truncated }: Trace): readonly string[] {
  return [
    ...(hidden.length > 0 ? [`You may not see: ${hidden.join(", ")}.`] : []),
    ...(truncated ? ["There is more of this trace than is shown."] : []),
    ...(logsIncomplete.length > 0 ? [`The logs of these apps may have more lines: ${logsIncomplete.join(", ")}.`] : []),
  ];
}

function msOf(at: string | null | undefined): number {
  return at == null ? 0 : Date.parse(at);
}

function durationText(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms * 10) / 10} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
