import { type Call, type Clock, invalidField, type Permissions, requirePermission } from "@appserver/kernel";
import { identityOf, startSample } from "../domain/process-identity.ts";
import { type Counts, sumOf, type Traffic, trafficOf } from "../domain/traffic.ts";
import {
  type AppFigures,
  type MetricHistory,
  type MetricTotal,
  type MetricWindow,
  type ProcessValue,
  requestSamples,
  type UsageReads,
  type UsageStep,
} from "../ports.ts";

export interface MetricsContext {
  readonly metricHistory: Pick<MetricHistory, "totals" | "overTime" | "processes">;
  readonly usage: UsageReads;
  readonly figures: Pick<AppFigures, "byApp" | "overTime">;
  readonly permissions: Permissions;
  readonly clock: Clock;
}

export interface MetricsRequest {
  /** Undefined: all apps. */
  readonly appName?: string | null | undefined;
  /** 1 to 1,440, default 60. */
  readonly minutes?: number | null | undefined;
}

export interface PlatformMetrics {
  /** The 100 apps with the most requests. */
  readonly apps: readonly (Traffic & { readonly appName: string })[];
  readonly proxy: Traffic & {
    /** In steps of 10 s up to 10 minutes, of a minute up to an hour, else of 5 minutes. Steps without requests are left out. */
    readonly series: readonly (Traffic & { readonly at: Date })[];
    /** The 100 routes with the most requests, of one app. Empty for all apps, and beyond an hour. */
    readonly routes: readonly (Traffic & { readonly route: string })[];
  };
  /** What one app used, in steps of a minute up to an hour, else of 5 minutes. Empty for all apps. */
  readonly resources: { readonly series: readonly UsageStep[] };
  /** Counts by the rest of the name, after `hooks.`. Empty beyond an hour, as of activities. */
  readonly hooks: Readonly<Record<string, number>>;
  /** Counts by the rest of the name, after `activities.`. */
  readonly activities: Readonly<Record<string, number>>;
  /** The processes that are alive, with their last values. */
  readonly processes: readonly Readonly<Record<string, number | string>>[];
  /** When the newest sample was stored; now, if there is none. */
  readonly sampledAt: Date;
}

const maxShown = 100;
const minuteMs = 60_000;
const longestMinutes = 24 * 60;

/** Returns what happened within the last minutes. Needs `metrics:view`. Throws INVALID_REQUEST for a wrong number of minutes. */
export async function readMetrics(
  context: MetricsContext,
  { appName, minutes }: MetricsRequest,
  call: Call,
): Promise<PlatformMetrics> {
  await requirePermission(context.permissions, call, "metrics:view");
  const length = minutes ?? 60;
  if (length < 1 || length > longestMinutes) throw invalidField("minutes", `must be 1 to ${longestMinutes}`);
  const window = { since: new Date(context.clock.now() - length * minuteMs), appName: appName ?? undefined };
  return length <= 60 ? readHour(context, window, length <= 10 ? 10_000 : minuteMs) : readDay(context, window);
}

async function readHour(
  { metricHistory, usage, clock }: MetricsContext,
  window: MetricWindow,
  stepMs: number,
): Promise<PlatformMetrics> {
  const [totals, overTime, processes, used] = await Promise.all([
    metricHistory.totals(window),
    metricHistory.overTime(window, Object.values(requestSamples), stepMs),
    metricHistory.processes(),
    window.appName === undefined ? [] : usage.overTime(window.appName, window.since, minuteMs),
  ]);
  const ofRequests = totals.filter(({ name }) => name in requestSamples);
  const steps = Map.groupBy(overTime, ({ at }) => at.getTime());
  return {
    apps: trafficBy(ofRequests, (total) => total.appName ?? "").map(([name, traffic]) => ({ appName: name, ...traffic })),
    proxy: {
      ...trafficOf(countsOf(ofRequests)),
      series: [...steps].map(([at, step]) => ({ at: new Date(at), ...trafficOf(countsOf(step)) })),
      routes: window.appName
        ? trafficBy(ofRequests, ({ route }) => route).map(([route, traffic]) => ({ route, ...traffic }))
        : [],
    },
    resources: { series: used },
    hooks: namedCounts(totals, "hooks."),
    activities: namedCounts(totals, "activities."),
    processes: byProcess(processes),
    sampledAt: newest([...totals, ...processes], clock),
  };
}

/** The steps before the last hour are only stored as figures. */
async function readDay({ metricHistory, figures, clock }: MetricsContext, window: MetricWindow): Promise<PlatformMetrics> {
  const [apps, steps, processes] = await Promise.all([
    figures.byApp(window),
    figures.overTime(window),
    metricHistory.processes(),
  ]);
  return {
    apps: busiest(apps.map((counts) => ({ appName: counts.appName, ...trafficOf(counts) }))),
    proxy: {
      ...trafficOf(sumOf(steps)),
      series: steps.filter(({ requests }) => requests > 0).map((step) => ({ at: step.at, ...trafficOf(step) })),
      routes: [],
    },
    resources: {
      series:
        window.appName === undefined
          ? []
          : steps.map(({ at, cpu, memoryBytes, databaseBytes }) => ({ at, cpu, memoryBytes, databaseBytes })),
    },
    hooks: {},
    activities: {},
    processes: byProcess(processes),
    sampledAt: newest([...steps, ...processes], clock),
  };
}

function newest(timed: readonly { readonly at: Date }[], clock: Clock): Date {
  return new Date(timed.length > 0 ? timed.reduce((last, { at }) => Math.max(last, at.getTime()), 0) : clock.now());
}

function trafficBy(
  totals: readonly MetricTotal[],
  keyOf: (total: MetricTotal) => string,
): readonly (readonly [string, Traffic])[] {
  const groups = [...Map.groupBy(totals, keyOf)].map(([key, group]) => ({ key, ...trafficOf(countsOf(group)) }));
  return busiest(groups).map(({ key, ...traffic }) => [key, traffic] as const);
}

function busiest<T extends Traffic>(all: readonly T[]): readonly T[] {
  return all.toSorted((a, b) => b.requests - a.requests).slice(0, maxShown);
}

function countsOf(totals: readonly MetricTotal[]): Counts {
  const none = { requests: 0, errors: 0, refused: 0, limited: 0 };
  return sumOf(totals.map(({ name, value, durations = [] }) => ({ ...none, durations, [name]: value })));
}

function namedCounts(totals: readonly MetricTotal[], prefix: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, value } of totals) {
    if (!name.startsWith(prefix)) continue;
    const key = name.slice(prefix.length);
    counts[key] = (counts[key] ?? 0) + value;
  }
  return counts;
}

function byProcess(values: readonly ProcessValue[]): readonly Readonly<Record<string, number | string>>[] {
  return [...Map.groupBy(values, ({ process }) => process)].map(([name, group]) => ({
    process: name,
    ...Object.fromEntries(group.filter((each) => each.name !== startSample).map((each) => [each.name, each.value])),
    ...startOf(group.find((each) => each.name === startSample)),
  }));
}

function startOf(sample: ProcessValue | undefined): Readonly<Record<string, string>> {
  return sample ? { ...identityOf(sample.route), startedAt: new Date(sample.value).toISOString() } : {};
}
