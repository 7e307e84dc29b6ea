import "uplot/dist/uPlot.min.css";
import { Paper, SimpleGrid, Text, useComputedColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { useViewer } from "../api/viewer.ts";
import { PageLink } from "./page-link.tsx";

/** The part of `metrics.proxy` that the charts show (docs/interface/operations.md#last-hour). */
interface ProxyMetrics extends Step {
  readonly series: readonly (Step & { readonly at: string })[];
}

interface Step {
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

const minuteMs = 60_000;
const minutes = 60;
const heightPx = 200;

interface Line {
  readonly label: string;
  readonly light: string;
  readonly dark: string;
  readonly values: readonly (number | null)[];
}

interface TrafficProps {
  readonly proxy: unknown;
  readonly sampledAt: string;
  /** Without one the charts are of all apps. */
  readonly app?: string;
}

/** Shows requests, refusals and errors, and latency of each minute of the last hour. */
// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports
export default function Traffic({ proxy, sampledAt, app }: TrafficProps) {
  const { requests, errors, refused, p50Ms, p99Ms, series } = proxy as ProxyMetrics;
  const last = Math.floor(new Date(sampledAt).getTime() / minuteMs) * minuteMs;
  const times = Array.from({ length: minutes }, (_, index) => last - (minutes - 1 - index) * minuteMs);
  const byMinute = new Map(series.map((step) => [Math.floor(new Date(step.at).getTime() / minuteMs) * minuteMs, step]));
  const steps = times.map((at) => byMinute.get(at));
  const navigate = useNavigate();
  const maySeeRequests = useViewer().permissions.includes("trace:view");
  const leadTo = (failed?: true) => (seconds: number) => {
    const at = seconds * 1_000;
    const [since, until] = [at, at + minuteMs].map((each) => new Date(each).toISOString());
    void navigate({ to: "/console/trace", search: { app, failed, since, until } });
  };
  const shared = { times: times.map((at) => at / 1_000), onMinute: maySeeRequests ? leadTo() : undefined };
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Chart
          {...shared}
          title="Requests"
          summary={requests.toLocaleString("en")}
          unit="per minute"
          lines={[{ label: "requests", light: "#3b5bdb", dark: "#91a7ff", values: steps.map((step) => step?.requests ?? 0) }]}
        />
        <Chart
          {...shared}
          title="Refused and failed"
          onMinute={maySeeRequests ? leadTo(true) : undefined}
          summary={`${refused.toLocaleString("en")} refused, ${errors.toLocaleString("en")} failed`}
          unit="per minute"
          lines={[
            { label: "refused (4xx)", light: "#e67700", dark: "#ffc078", values: steps.map((step) => step?.refused ?? 0) },
            { label: "failed (5xx)", light: "#c92a2a", dark: "#ff8787", values: steps.map((step) => step?.errors ?? 0) },
          ]}
        />
        <Chart
          {...shared}
          title="Latency"
          summary={p50Ms === null ? "no requests" : `half within ${ms(p50Ms)}, 99 % within ${ms(p99Ms ?? 0)}`}
          unit="ms"
          lines={[
            { label: "p50", light: "#2b8a3e", dark: "#69db7c", values: steps.map((step) => step?.p50Ms ?? null) },
            { label: "p99", light: "#d9480f", dark: "#ffa94d", values: steps.map((step) => step?.p99Ms ?? null) },
          ]}
        />
      </SimpleGrid>
      {maySeeRequests && (
        <Text size="sm" c="dimmed" mt="xs">
          A minute of a chart leads to its requests.{" "}
          <PageLink to="/console/trace" search={{ app }} size="sm" underline="always">
            All requests of the hour
          </PageLink>
        </Text>
      )}
    </>
  );
}

function ms(value: number): string {
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`;
}

interface ChartProps {
  readonly title: string;
  readonly summary: string;
  readonly unit: string;
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** Receives the minute that was clicked, in seconds. */
  readonly onMinute?: ((seconds: number) => void) | undefined;
}

const time = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const timeOf = (seconds: number): string => time.format(seconds * 1_000);
const numberText = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

function Chart({ title, summary, unit, times, lines, onMinute }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const text = scheme === "dark" ? "#b8bcc1" : "#495057";
    const grid = { stroke: scheme === "dark" ? "#34383e" : "#e9ecef", width: 1 };
    const axis = { stroke: text, grid, ticks: { show: false }, font: "11px system-ui" };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: heightPx,
        // The cursors of all charts move together.
        cursor: { sync: { key: "last-hour" }, drag: { x: false, y: false }, points: { size: 6 } },
        legend: { show: true, live: true },
        scales: { y: { range: (_self, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] } },
        axes: [
          { ...axis, space: 60, values: (_self, ticks) => ticks.map(timeOf) },
          { ...axis, size: 48, values: (_self, ticks) => ticks.map((tick) => numberText.format(tick)) },
        ],
        series: [
          { label: "at", value: (_self, at) => (at === null ? "" : timeOf(at)) },
          ...lines.map(({ label, light, dark }, index) => ({
            label: `${label}, ${unit}`,
            stroke: scheme === "dark" ? dark : light,
            width: 2,
            points: { show: lines.length > 1, size: 4 },
            ...(index === 0 && lines.length === 1 && { fill: scheme === "dark" ? "#91a7ff22" : "#3b5bdb14" }),
          })),
        ],
      },
      [[...times], ...lines.map(({ values }) => [...values])],
      element,
    );
    plot.over.addEventListener("click", () => {
      const minute = times[plot.cursor.idx ?? -1];
      if (minute !== undefined) onMinute?.(minute);
    });
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, lines, scheme, unit, onMinute]);
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text fw={600} mb="xs">
        {summary}
      </Text>
      <div
        ref={place}
        className="chart"
        data-leads={onMinute && true}
        role="img"
        aria-label={`${title} of the last hour by minute: ${summary}`}
      />
    </Paper>
  );
}
