import { type Call, type Clock, durationQuantile, invalidField, type Permissions, requirePermission } from "@appserver/kernel";
import { identityOf, startSample } from "../domain/process-identity.ts";
import { type MetricHistory, type MetricTotal, type ProcessValue, requestSamples } from "../ports.ts";

export interface MetricsContext {
  readonly metricHistory: Pick<MetricHistory, "totals" | "overTime" | "processes">;
  readonly permissions: Permissions;
  readonly clock: Clock;
}

export interface MetricsRequest {
  /** Undefined: all apps. */
  readonly appName?: string | null | undefined;
  /** 1 to 60, default 60. */
  readonly minutes?: number | null | undefined;
}

/** Requests to apps and their durations. */
export interface Traffic {
  readonly requests: number;
  /** Responses with 5xx, and requests without a response. */
  readonly errors: number;
  /** Responses with 4xx. */
  readonly refused: number;
  /** Those of the refused that exceeded a rate limit. */
  readonly limited: number;
  /** Milliseconds; null without requests. */
  readonly p50Ms: number | null;
  readonly p90Ms: number | null;
  readonly p99Ms: number | null;
}

export interface PlatformMetrics {
  /** The 100 apps with the most requests. */
  readonly apps: readonly (Traffic & { readonly appName: string })[];
  readonly proxy: Traffic & {
    /** In steps of 10 s up to 10 minutes, else of a minute. Steps without requests are left out. */
    readonly series: readonly (Traffic & { readonly at: Date })[];
    /** The 100 routes with the most requests, of one app. Empty for all apps. */
    readonly routes: readonly (Traffic & { readonly route: string })[];
  };
  /** Counts by the rest of the name, after `hooks.`. */
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

/** Returns what happened within the last minutes. Needs `metrics:view`. Throws INVALID_REQUEST for a wrong number of minutes. */
export async function readMetrics(
  { metricHistory, permissions, clock }: MetricsContext,
  { appName, minutes }: MetricsRequest,
  call: Call,
): Promise<PlatformMetrics> {
  await requirePermission(permissions, call, "metrics:view");
  const length = minutes ?? 60;
  if (length < 1 || length > 60) throw invalidField("minutes", "must be 1 to 60");
  const window = { since: new Date(clock.now() - length * minuteMs), appName: appName ?? undefined };
  const stepMs = length <= 10 ? 10_000 : minuteMs;
  const [totals, overTime, processes] = await Promise.all([
    metricHistory.totals(window),
    metricHistory.overTime(window, Object.values(requestSamples), stepMs),
    metricHistory.processes(),
  ]);
  const ofRequests = totals.filter(({ name }) => name in requestSamples);
  const steps = Map.groupBy(overTime, ({ at }) => at.getTime());
  const times = [...totals, ...processes].map(({ at }) => at.getTime());
  return {
    apps: trafficBy(ofRequests, (total) => total.appName ?? "").map(([name, traffic]) => ({ appName: name, ...traffic })),
    proxy: {
      ...trafficOf(ofRequests),
      series: [...steps].map(([at, step]) => ({ at: new Date(at), ...trafficOf(step) })),
      routes: window.appName
        ? trafficBy(ofRequests, ({ route }) => route).map(([route, traffic]) => ({ route, ...traffic }))
        : [],
    },
    hooks: countsOf(totals, "hooks."),
    activities: countsOf(totals, "activities."),
    processes: byProcess(processes),
    sampledAt: new Date(times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : clock.now()),
  };
}

function trafficBy(
  totals: readonly MetricTotal[],
  keyOf: (total: MetricTotal) => string,
): readonly (readonly [string, Traffic])[] {
  return [...Map.groupBy(totals, keyOf)]
    .map(([key, group]) => [key, trafficOf(group)] as const)
    .sort(([, a], [, b]) => b.requests - a.requests)
    .slice(0, maxShown);
}

function trafficOf(totals: readonly MetricTotal[]): Traffic {
  const sum = (name: string): number => totals.reduce((all, total) => (total.name === name ? all + total.value : all), 0);
  const durations: number[] = [];
  for (const total of totals)
    for (const [bucket, count] of (total.durations ?? []).entries()) durations[bucket] = (durations[bucket] ?? 0) + count;
  const quantileMs = (part: number): number | null => {
    const seconds = durationQuantile(durations, part);
    return seconds === null ? null : Math.round(seconds * 100_000) / 100;
  };
  return {
    requests: sum(requestSamples.requests),
    errors: sum(requestSamples.errors),
    refused: sum(requestSamples.refused),
    limited: sum(requestSamples.limited),
    p50Ms: quantileMs(0.5),
    p90Ms: quantileMs(0.9),
    p99Ms: quantileMs(0.99),
  };
}

function countsOf(totals: readonly MetricTotal[], prefix: string): Readonly<Record<string, number>> {
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
