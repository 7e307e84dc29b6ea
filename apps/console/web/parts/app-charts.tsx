import { SimpleGrid } from "@mantine/core";
import { useMemo } from "react";
import { i18n, locale } from "../i18n.ts";
import { shownBytes } from "./bytes.ts";
import { Chart, type Mark } from "./chart.tsx";
import { latency } from "./duration.ts";
import { failureLines, type ProxyMetrics, type Resources, requestLines, timesOf, valuesAt } from "./metric-steps.ts";
import { RequestsHint, useRequestsOf } from "./traffic.tsx";

export type Range = "hour" | "day";

const ranges = {
  hour: { stepMs: 60_000, count: 60, unit: i18n.t("per minute"), steps: i18n.t("of the last hour by minute") },
  day: { stepMs: 300_000, count: 288, unit: i18n.t("in 5 minutes"), steps: i18n.t("of the last 24 hours by 5 minutes") },
} as const;
const heightPx = 150;
const percentText = new Intl.NumberFormat(locale, { style: "percent", maximumSignificantDigits: 2 });

interface ChartsProps {
  readonly name: string;
  readonly range: Range;
  readonly proxy: unknown;
  readonly resources: unknown;
  readonly sampledAt: string;
  readonly marks: readonly Mark[];
  /** Whether the platform measures what the app uses. */
  readonly isMeasured: boolean;
}

/** Shows what happened to an app, and what it used. */

export function AppCharts(props: ChartsProps) {
  const { name, range, proxy, resources, sampledAt, marks, isMeasured } = props;
  const { requests, errors, refused, p95Ms, series } = proxy as ProxyMetrics;
  const used = (resources as Resources).series;
  const { stepMs, count, unit, steps } = ranges[range];
  const leadTo = useRequestsOf(name);
  // Requests are stored for an hour.
  const isHour = range === "hour";
  const { times, ofRequests, ofFailures, ofLatency, ofUsage } = useMemo(() => {
    const at = timesOf(sampledAt, stepMs, count);
    const usage = (key: "cpu" | "memoryBytes" | "databaseBytes") => valuesAt(used, at, stepMs, (step) => step[key]);
    return {
      times: at,
      ofRequests: requestLines(series, at, stepMs),
      ofFailures: failureLines(series, at, stepMs),
      ofLatency: [
        { label: "p50", light: "#1971c2", dark: "#74c0fc", values: valuesAt(series, at, stepMs, (step) => step.p50Ms) },
        { label: "p95", light: "#9c36b5", dark: "#e599f7", values: valuesAt(series, at, stepMs, (step) => step.p95Ms) },
      ],
      ofUsage: {
        cpu: [{ label: "CPU", light: "#6741d9", dark: "#b197fc", values: usage("cpu") }],
        memory: [{ label: i18n.t("memory"), light: "#0b7285", dark: "#66d9e8", values: usage("memoryBytes") }],
        database: [{ label: i18n.t("database"), light: "#a61e4d", dark: "#faa2c1", values: usage("databaseBytes") }],
      },
    };
  }, [series, used, sampledAt, stepMs, count]);
  const shared = { times, marks, heightPx };
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
        <Chart
          {...shared}
          title={i18n.t("Requests")}
          summary={requests.toLocaleString(locale)}
          unit={unit}
          label={i18n.t("Requests {steps}: {count}", { steps, count: requests.toLocaleString(locale) })}
          isCount
          lines={ofRequests}
          onStep={isHour ? leadTo?.all : undefined}
        />
        <Chart
          {...shared}
          title={i18n.t("Refused and failed")}
          summary={i18n.t("{refused} refused, {errors} failed", {
            refused: refused.toLocaleString(locale),
            errors: errors.toLocaleString(locale),
          })}
          unit=""
          label={i18n.t("Failures {steps}: {refused} refused, {errors} failed", {
            steps,
            refused: refused.toLocaleString(locale),
            errors: errors.toLocaleString(locale),
          })}
          isCount
          lines={ofFailures}
          onStep={isHour ? leadTo?.failed : undefined}
        />
        <Chart
          {...shared}
          title={i18n.t("Response time")}
          summary={p95Ms === null ? i18n.t("No requests") : i18n.t("95 % within {time}", { time: latency(p95Ms) })}
          unit="ms"
          label={i18n.t("Response time {steps}", { steps })}
          lines={ofLatency}
          onStep={isHour ? leadTo?.all : undefined}
        />
        {isMeasured && (
          <>
            <Chart
              {...shared}
              title="CPU"
              summary={lastOf(ofUsage.cpu[0]?.values, (cpu) =>
                i18n.t("{percent} of a processor now", { percent: percent(cpu) }),
              )}
              unit=""
              label={i18n.t("Use of processors {steps}", { steps })}
              lines={ofUsage.cpu}
              valueText={percent}
            />
            <Chart
              {...shared}
              title={i18n.t("Memory")}
              summary={lastOf(ofUsage.memory[0]?.values, (bytes) => i18n.t("{size} now", { size: shownBytes(bytes) }))}
              unit=""
              label={i18n.t("Use of memory {steps}", { steps })}
              lines={ofUsage.memory}
              valueText={shownBytes}
            />
            <Chart
              {...shared}
              title={i18n.t("Database")}
              summary={lastOf(ofUsage.database[0]?.values, (bytes) => i18n.t("{size} now", { size: shownBytes(bytes) }))}
              unit=""
              label={i18n.t("Size of the database {steps}", { steps })}
              lines={ofUsage.database}
              valueText={shownBytes}
            />
          </>
        )}
      </SimpleGrid>
      {isHour && leadTo && <RequestsHint app={name} />}
    </>
  );
}

function percent(processors: number): string {
  return percentText.format(processors);
}

function lastOf(values: readonly (number | null)[] | undefined, textOf: (value: number) => string): string {
  const last = values?.findLast((value) => value !== null);
  return last === undefined || last === null ? i18n.t("Not measured yet") : textOf(last);
}
