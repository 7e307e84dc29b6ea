import "uplot/dist/uPlot.min.css";
import { Paper, SimpleGrid, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import UPlot from "uplot";

/** The part of `metrics.proxy` that the charts show (docs/interface/operations.md#last-hour). */
interface ProxyMetrics {
  readonly requests: number;
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly series: readonly {
    readonly at: string;
    readonly requests: number;
    readonly errors: number;
    readonly p50Ms: number | null;
    readonly p99Ms: number | null;
  }[];
}

const minuteMs = 60_000;
const minutes = 60;

interface Line {
  readonly label: string;
  readonly light: string;
  readonly dark: string;
  readonly values: readonly (number | null)[];
}

/** Shows requests, errors and latency of each minute of the last hour. */
// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports
export default function Traffic({ proxy, sampledAt }: { readonly proxy: unknown; readonly sampledAt: string }) {
  const { requests, errors, p50Ms, p99Ms, series } = proxy as ProxyMetrics;
  const last = Math.floor(new Date(sampledAt).getTime() / minuteMs) * minuteMs;
  const times = Array.from({ length: minutes }, (_, index) => last - (minutes - 1 - index) * minuteMs);
  const byMinute = new Map(series.map((step) => [Math.floor(new Date(step.at).getTime() / minuteMs) * minuteMs, step]));
  const steps = times.map((at) => byMinute.get(at));
  const seconds = times.map((at) => at / 1_000);
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }}>
      <Chart
        title="Requests"
        summary={String(requests)}
        times={seconds}
        lines={[{ label: "per minute", light: "#3b5bdb", dark: "#91a7ff", values: steps.map((step) => step?.requests ?? 0) }]}
      />
      <Chart
        title="Errors"
        summary={String(errors)}
        times={seconds}
        lines={[{ label: "per minute", light: "#c92a2a", dark: "#ff8787", values: steps.map((step) => step?.errors ?? 0) }]}
      />
      <Chart
        title="Latency"
        summary={p50Ms === null ? "no requests" : `p50 ${p50Ms} ms, p99 ${p99Ms} ms`}
        times={seconds}
        lines={[
          { label: "p50 ms", light: "#2b8a3e", dark: "#69db7c", values: steps.map((step) => step?.p50Ms ?? null) },
          { label: "p99 ms", light: "#d9480f", dark: "#ffa94d", values: steps.map((step) => step?.p99Ms ?? null) },
        ]}
      />
    </SimpleGrid>
  );
}

interface ChartProps {
  readonly title: string;
  readonly summary: string;
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

function Chart({ title, summary, times, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const text = scheme === "dark" ? "#c9c9c9" : "#343a40";
    const grid = { stroke: scheme === "dark" ? "#424242" : "#dee2e6", width: 1 };
    const axis = { stroke: text, grid, ticks: grid, font: "11px system-ui" };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: 140,
        cursor: { show: false },
        legend: { show: lines.length > 1, live: false },
        scales: { y: { range: (_self, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] } },
        axes: [axis, { ...axis, size: 44 }],
        series: [{}, ...lines.map(({ label, light, dark }) => ({ label, stroke: scheme === "dark" ? dark : light, width: 2 }))],
      },
      [[...times], ...lines.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 140 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, lines, scheme]);
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text fw={600} mb="xs">
        {summary}
      </Text>
      <div ref={place} className="chart" role="img" aria-label={`${title} of the last hour by minute: ${summary}`} />
    </Paper>
  );
}
