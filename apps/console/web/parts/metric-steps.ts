import { i18n } from "../i18n.ts";
import type { Line } from "./chart.tsx";

/** Requests of a step of time (docs/interface/operations.md#last-hour). */
interface Step {
  readonly at: string;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

/** The part of `metrics.proxy` that charts show. */
export interface ProxyMetrics extends Omit<Step, "at"> {
  readonly series: readonly Step[];
}

/** What an app used in a step of time. */
interface UsageStep {
  readonly at: string;
  readonly cpu: number | null;
  readonly memoryBytes: number | null;
  readonly databaseBytes: number | null;
}

/** `metrics.resources`. */
export interface Resources {
  readonly series: readonly UsageStep[];
}

/** Returns the times of the last steps, oldest first, in milliseconds. */
export function timesOf(sampledAt: string, stepMs: number, count: number): readonly number[] {
  const last = Math.floor(Date.parse(sampledAt) / stepMs) * stepMs;
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * stepMs);
}

/** Returns a value of each step; null where there is none. */
export function valuesAt<S extends { readonly at: string }>(
  series: readonly S[],
  times: readonly number[],
  stepMs: number,
  read: (step: S) => number | null,
): readonly (number | null)[] {
  const byTime = new Map(series.map((step) => [Math.floor(Date.parse(step.at) / stepMs) * stepMs, read(step)]));
  return times.map((at) => byTime.get(at) ?? null);
}

export function requestLines(series: readonly Step[], times: readonly number[], stepMs: number): readonly Line[] {
  const values = counts(series, times, stepMs, (step) => step.requests);
  return [{ label: i18n.t("requests"), light: "#3b5bdb", dark: "#91a7ff", values }];
}

export function failureLines(series: readonly Step[], times: readonly number[], stepMs: number): readonly Line[] {
  const [refused, failed] = [
    counts(series, times, stepMs, (step) => step.refused),
    counts(series, times, stepMs, (step) => step.errors),
  ];
  return [
    { label: i18n.t("refused (4xx)"), light: "#e67700", dark: "#ffc078", values: refused },
    { label: i18n.t("failed (5xx)"), light: "#c92a2a", dark: "#ff8787", values: failed },
  ];
}

/** Steps without requests are left out. */
function counts(
  series: readonly Step[],
  times: readonly number[],
  stepMs: number,
  countOf: (step: Step) => number,
): readonly number[] {
  return valuesAt(series, times, stepMs, countOf).map((value) => value ?? 0);
}
