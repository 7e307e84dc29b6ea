import type { Activity } from "@appserver/activity";
import type { Hooks } from "@appserver/hooks";
import type { Call, Permissions } from "@appserver/kernel";
import type { AppLogs, FoundLines } from "@appserver/orchestration";
import { type Records, readTrace, type Trace } from "@appserver/records";

export interface TracesDeps {
  readonly records: Pick<Records, "requests" | "traced">;
  readonly hooks: Pick<Hooks, "traced">;
  readonly activity: Pick<Activity, "traced">;
  readonly logs: Pick<AppLogs, "search">;
  readonly permissions: Permissions;
}

type Parts = ReturnType<typeof partsOf>;
type StoredTrace = Trace<Parts>;

/** A trace with the parts of every service. */
export interface WholeTrace extends Omit<StoredTrace, "hidden"> {
  readonly hidden: readonly string[];
  /** Reads the logs of its apps at the first call. Without `app:logs` there are no lines. */
  logs(): Promise<FoundLines>;
}

/** Returns the trace with this id, as {@link readTrace} does. */
export type TraceReader = (id: string, call: Call) => Promise<WholeTrace | undefined>;

/** Logs are read from a moment before the trace on: the clocks of replicas and of container engines differ. */
const clockDifferenceMs = 1_000;

export function traceReader(deps: TracesDeps): TraceReader {
  const {
    records: { requests },
    permissions,
  } = deps;
  const parts = partsOf(deps);
  return async (id, call) => {
    const trace = await readTrace({ requests, permissions, parts }, id, call);
    if (!trace) return undefined;
    const maySeeLogs = await permissions.allowed(call.caller, "app:logs");
    let found: Promise<FoundLines> | undefined;
    return {
      ...trace,
      hidden: maySeeLogs ? trace.hidden : [...trace.hidden, "logs"],
      logs: () => {
        found ??= maySeeLogs ? searchLogs(deps.logs, trace, call) : Promise.resolve({ lines: [], incomplete: [] });
        return found;
      },
    };
  };
}

function partsOf({ hooks, activity, records }: TracesDeps) {
  return {
    hookEvents: hooks.traced.events,
    deliveries: hooks.traced.deliveries,
    runs: activity.traced,
    ...records.traced,
  };
}

function searchLogs(logs: Pick<AppLogs, "search">, trace: StoredTrace, call: Call): Promise<FoundLines> {
  const { traceIds, requestIds } = trace;
  const since = new Date(startOf(trace) - clockDifferenceMs);
  return logs.search({ appNames: appsOf(trace), ids: new Set([...traceIds, ...requestIds]), since }, call);
}

/** Returns the apps that did something in the trace, those of the first requests first. */
function appsOf({ requests, parts: { hookEvents, deliveries, runs } }: StoredTrace): readonly string[] {
  const names = [
    ...requests.map(({ app }) => app),
    ...hookEvents.map(({ sourceApp }) => sourceApp),
    ...deliveries.map(({ appName }) => appName),
    ...runs.map(({ appName }) => appName),
  ];
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Returns when the first thing happened, as epoch ms. */
function startOf({ requests, parts: { hookEvents, runs, events, audit } }: StoredTrace): number {
  const times = [
    ...requests.map(({ at }) => at),
    ...hookEvents.map(({ triggeredAt }) => triggeredAt),
    ...runs.map(({ queuedAt }) => queuedAt),
    ...events.map(({ at }) => at),
    ...audit.map(({ at }) => at),
  ];
  return Math.min(Date.now(), ...times.map((time) => time.getTime()));
}
