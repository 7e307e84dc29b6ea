import { SimpleGrid, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useViewer } from "../api/viewer.ts";
import { Chart, type Mark } from "./chart.tsx";
import { failureLines, type ProxyMetrics, requestLines, timesOf, valuesAt } from "./metric-steps.ts";
import { PageLink } from "./page-link.tsx";

const minuteMs = 60_000;
const minutes = 60;
const heightPx = 200;

interface TrafficProps {
  readonly proxy: unknown;
  readonly sampledAt: string;
  readonly marks?: readonly Mark[] | undefined;
}

/** Shows requests, refusals and errors, and latency of each minute of the last hour. */
// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports
export default function Traffic({ proxy, sampledAt, marks }: TrafficProps) {
  const metrics = proxy as ProxyMetrics;
  const { requests, errors, refused, p50Ms, p99Ms, series } = metrics;
  const leadTo = useRequestsOf(undefined);
  const maySeeRequests = useViewer().permissions.includes("trace:view");
  const { times, ofRequests, ofFailures, ofLatency } = useMemo(() => {
    const steps = timesOf(sampledAt, minuteMs, minutes);
    return {
      times: steps,
      ofRequests: requestLines(series, steps, minuteMs),
      ofFailures: failureLines(series, steps, minuteMs),
      ofLatency: [
        { label: "p50", light: "#2b8a3e", dark: "#69db7c", values: valuesAt(series, steps, minuteMs, (step) => step.p50Ms) },
        { label: "p99", light: "#d9480f", dark: "#ffa94d", values: valuesAt(series, steps, minuteMs, (step) => step.p99Ms) },
      ],
    };
  }, [series, sampledAt]);
  const shared = { times, marks, heightPx };
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Chart
          {...shared}
          title="Requests"
          summary={requests.toLocaleString("en")}
          unit="per minute"
          label={`Requests of the last hour by minute: ${requests.toLocaleString("en")}`}
          lines={ofRequests}
          onStep={leadTo?.all}
        />
        <Chart
          {...shared}
          title="Refused and failed"
          summary={`${refused.toLocaleString("en")} refused, ${errors.toLocaleString("en")} failed`}
          unit="per minute"
          label={`Failures of the last hour by minute: ${refused} refused, ${errors} failed`}
          lines={ofFailures}
          onStep={leadTo?.failed}
        />
        <Chart
          {...shared}
          title="Latency"
          summary={p50Ms === null ? "No requests" : `Half within ${ms(p50Ms)}, 99 % within ${ms(p99Ms ?? 0)}`}
          unit="ms"
          label="Latency of the last hour by minute"
          lines={ofLatency}
          onStep={leadTo?.all}
        />
      </SimpleGrid>
      {maySeeRequests && <RequestsHint app={undefined} />}
    </>
  );
}

export function ms(value: number): string {
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`;
}

/** Says that the charts of the last hour lead to requests. */
export function RequestsHint({ app }: { readonly app: string | undefined }) {
  return (
    <Text size="sm" c="dimmed" mt="xs">
      A minute of a chart leads to its requests.{" "}
      <PageLink to="/console/trace" search={{ app }} size="sm" underline="always">
        All requests of the hour
      </PageLink>
    </Text>
  );
}

/** Returns what opens the requests of a minute. Undefined if the viewer may not see requests. */
export function useRequestsOf(app: string | undefined) {
  const navigate = useNavigate();
  const maySeeRequests = useViewer().permissions.includes("trace:view");
  return useMemo(() => {
    if (!maySeeRequests) return undefined;
    const open = (at: number, failed?: true): void => {
      const [since, until] = [at, at + minuteMs].map((each) => new Date(each).toISOString());
      void navigate({ to: "/console/trace", search: { app, failed, since, until } });
    };
    return { all: (at: number) => open(at), failed: (at: number) => open(at, true) };
  }, [navigate, app, maySeeRequests]);
}
