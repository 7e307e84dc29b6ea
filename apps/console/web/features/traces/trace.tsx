import { Alert, Group, Stack, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { duration } from "../../parts/duration.ts";
import { FactTable, Section } from "../../parts/facts.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { requestTitle } from "./request-title.ts";
import { Timeline } from "./timeline.tsx";
import { appsOf, itemsOf, pageMethod, type Span, spanOf, type TraceItem } from "./trace-items.ts";
import { type Trace, type TraceLogs, traceLogsQuery, traceQuery } from "./trace-queries.ts";
import { TraceSearch } from "./trace-search.tsx";

const route = getRouteApi("/shell/console/trace/$id");

/** One request with everything that it caused. */
export function TracePage() {
  return (
    <Needs permission="trace:view">
      <TraceOfRoute />
    </Needs>
  );
}

function TraceOfRoute() {
  const { id } = route.useParams();
  const { data: trace, error, refetch } = useQuery(traceQuery(id));
  const title = titleOf(trace);
  usePageTitle(title);
  return (
    <>
      <TraceSearch id={id} title={title} />
      {error && trace === undefined && <Failure error={error} retry={() => void refetch()} />}
      {!error && trace === undefined && <Loading />}
      {trace === null && <Unknown />}
      {trace && <TraceView trace={trace} />}
    </>
  );
}

/** Returns the request with which the trace began, or what stands for it. */
function titleOf(trace: Trace | null | undefined): string {
  if (trace === null) return i18n.t("Unknown trace");
  const [first] = trace?.requests.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)) ?? [];
  if (!first) return i18n.t("Trace");
  return first.method === pageMethod ? (first.route ?? i18n.t("Trace")) : requestTitle(first);
}

function Unknown() {
  return (
    <Empty title={i18n.t("Nothing is known of this id")}>
      {i18n.t(
        "Requests are kept for an hour, hooks and runs for 7 days, events for 30 days. A process that handles more than 200 requests in a second keeps only the failed and the slowest ones of that second.",
      )}
    </Empty>
  );
}

function TraceView({ trace }: { readonly trace: Trace }) {
  const { logs = true } = route.useSearch();
  const navigate = route.useNavigate();
  const { permissions } = useViewer();
  const maySeeLogs = permissions.includes("app:logs");
  const reads = useQuery({ ...traceLogsQuery(trace.id, progressOf(trace)), enabled: logs && maySeeLogs });
  const lines = logs ? (reads.data?.logs ?? []) : [];
  const items = itemsOf(trace, lines, Date.now());
  const span = spanOf(items);
  return (
    <Stack>
      <Facts trace={trace} items={items} span={span} />
      <Remarks trace={trace} incomplete={logs ? (reads.data?.logsIncomplete ?? []) : []} />
      <Section title={i18n.t("Timeline")}>
        {maySeeLogs && (
          <Group mb="sm">
            <Switch
              label={i18n.t("Log lines")}
              checked={logs}
              onChange={(event) =>
                void navigate({ search: { logs: event.currentTarget.checked ? undefined : false }, replace: true })
              }
            />
            {logs && <LogState reads={reads} />}
          </Group>
        )}
        <Timeline items={items} span={span} />
      </Section>
    </Stack>
  );
}

/** Changes when something of the trace has ended: then there may be more lines. */
function progressOf({ requests, deliveries, runs }: Trace): string {
  return [requests.length, ...[...deliveries, ...runs].map(({ status }) => status)].join();
}

interface LogReads {
  readonly data: TraceLogs | null | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  refetch(): Promise<unknown>;
}

function LogState({ reads: { data, error, isFetching, refetch } }: { readonly reads: LogReads }) {
  const count = data?.logs.length ?? 0;
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {isFetching
          ? i18n.t("Reading the logs")
          : error
            ? error.message
            : i18n.t("{count, plural, one {# line} other {# lines}}", { count })}
      </Text>
      <BusyButton size="xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
        {i18n.t("Read the logs again")}
      </BusyButton>
    </Group>
  );
}

interface FactsProps {
  readonly trace: Trace;
  readonly items: readonly TraceItem[];
  readonly span: Span;
}

function Facts({ trace: { traceIds, requestIds }, items, span }: FactsProps) {
  const apps = appsOf(items);
  return (
    <Section title={i18n.t("Request")}>
      <FactTable
        facts={[
          [traceIds.length > 1 ? i18n.t("Trace ids") : i18n.t("Trace id"), <Ids key="traces" ids={traceIds} />],
          [
            requestIds.length > 1 ? i18n.t("Request ids") : i18n.t("Request id"),
            requestIds.length > 0 && <Ids key="requests" ids={requestIds} />,
          ],
          [i18n.t("Started"), <Time key="start" at={new Date(span.from).toISOString()} />],
          [i18n.t("Took"), duration(span.to - span.from)],
          [
            i18n.t("Apps"),
            apps.length > 0 &&
              apps.map((name, index) => (
                <span key={name}>
                  {index > 0 && ", "}
                  <AppLink name={name} />
                </span>
              )),
          ],
        ]}
      />
    </Section>
  );
}

function Ids({ ids }: { readonly ids: readonly string[] }) {
  return ids.map((id) => (
    <Text key={id} size="sm" className="code">
      {id}
    </Text>
  ));
}

const parts: Readonly<Record<string, readonly [title: string, permission: string]>> = {
  hookEvents: ["hooks", "hook:view"],
  deliveries: ["deliveries", "hook:view"],
  runs: ["runs", "activity:view"],
  events: ["events", "event:view"],
  audit: [i18n.t("audit entries"), "audit:view"],
  logs: [i18n.t("log lines"), "app:logs"],
};

/** Says what is missing, and why. */
function Remarks({
  trace: { hidden, truncated },
  incomplete,
}: {
  readonly trace: Trace;
  readonly incomplete: readonly string[];
}) {
  const missing = hidden.map((name) => parts[name]?.[0] ?? name).join(", ");
  const needed = [...new Set(hidden.map((name) => parts[name]?.[1] ?? name))].join(", ");
  const remarks = [
    ...(hidden.length > 0
      ? [i18n.t("You may not see {missing} of this trace: that needs {needed}.", { missing, needed })]
      : []),
    ...(truncated ? [i18n.t("The trace has more than is shown: at most 200 of each kind.")] : []),
    ...(incomplete.length > 0
      ? [
          i18n.t("There may be more log lines: the logs of {apps} could not be searched completely.", {
            apps: incomplete.join(", "),
          }),
        ]
      : []),
  ];
  if (remarks.length === 0) return null;
  return (
    <Alert variant="outline" color="orange" title={i18n.t("Not everything is shown")}>
      {remarks.map((remark) => (
        <Text key={remark} size="sm">
          {remark}
        </Text>
      ))}
    </Alert>
  );
}
