import { Trans } from "@lingui/react";
import { SimpleGrid, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useViewer } from "../api/viewer.ts";
import { i18n, locale } from "../i18n.ts";
import { Chart, type Mark } from "./chart.tsx";
import { latency } from "./duration.ts";
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
export function Traffic({ proxy, sampledAt, marks }: TrafficProps) {
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
        { label: "p50", light: "#1971c2", dark: "#74c0fc", values: valuesAt(series, steps, minuteMs, (step) => step.p50Ms) },
        { label: "p99", light: "#9c36b5", dark: "#e599f7", values: valuesAt(series, steps, minuteMs, (step) => step.p99Ms) },
      ],
    };
  }, [series, sampledAt]);
  const shared = { times, marks, heightPx };
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Chart
          {...shared}
          title={i18n.t("Requests")}
          summary={requests.toLocaleString(locale)}
          unit={i18n.t("per minute")}
          label={i18n.t("Requests of the last hour by minute: {count}", { count: requests.toLocaleString(locale) })}
          isCount
          lines={ofRequests}
          onStep={leadTo?.all}
        />
        <Chart
          {...shared}
          title={i18n.t("Refused and failed")}
          summary={i18n.t("{refused} refused, {errors} failed", {
            refused: refused.toLocaleString(locale),
            errors: errors.toLocaleString(locale),
          })}
          unit={i18n.t("per minute")}
          label={i18n.t("Failures of the last hour by minute: {refused} refused, {errors} failed", {
            refused: refused.toLocaleString(locale),
            errors: errors.toLocaleString(locale),
          })}
          isCount
          lines={ofFailures}
          onStep={leadTo?.failed}
        />
        <Chart
          {...shared}
          title={i18n.t("Latency")}
          summary={
            p50Ms === null
              ? i18n.t("No requests")
              : i18n.t("Half within {half}, 99 % within {most}", { half: latency(p50Ms), most: latency(p99Ms ?? 0) })
          }
          unit="ms"
          label={i18n.t("Latency of the last hour by minute")}
          lines={ofLatency}
          onStep={leadTo?.all}
        />
      </SimpleGrid>
      {maySeeRequests && <RequestsHint app={undefined} />}
    </>
  );
}

/** Says that the charts of the last hour lead to requests. */
export function RequestsHint({ app }: { readonly app: string | undefined }) {
  return (
    <Text size="sm" c="dimmed" mt="xs">
      <Trans
        id="A minute of a chart leads to its requests. <0>All requests of the hour</0>"
        components={{ 0: <PageLink to="/console/trace" search={{ app }} size="sm" underline="always" /> }}
      />
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
