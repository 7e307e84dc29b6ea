import { Trans } from "@lingui/react";
import { Alert, Breadcrumbs, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { i18n } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { duration } from "../../parts/duration.ts";
import { FactTable, Section } from "../../parts/facts.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { TraceLink } from "../../parts/trace-link.tsx";
import { isActive, type RunDetails, runQuery } from "./activity-queries.ts";
import { useRunChanges } from "./live-runs.ts";
import { RunActions } from "./run-actions.tsx";
import { RunBadge, RunProgress } from "./run-status.tsx";

const route = getRouteApi("/shell/console/activities/runs/$id");

/** One run with its progress, input, output and error. */
export function ActivityRunPage() {
  return (
    <Needs permission="activity:view">
      <RunOfRoute />
    </Needs>
  );
}

function RunOfRoute() {
  const { id } = route.useParams();
  const { data: run, error, refetch } = useQuery(runQuery(id));
  useRunChanges(run ?? undefined);
  usePageTitle(run?.activity ?? i18n.t("Run"));
  if (error && run === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (run === undefined) return <Loading />;
  if (run === null) {
    return (
      <Empty title={i18n.t("There is no such run")}>
        <Trans
          id="Runs that have ended are kept for 7 days. <0>Go to the runs</0>"
          components={{ 0: <PageLink to="/console/activities" underline="always" /> }}
        />
      </Empty>
    );
  }
  return <RunView run={run} />;
}

function RunView({ run }: { readonly run: RunDetails }) {
  const { id, activity, appName, status, error } = run;
  return (
    <Stack>
      <Breadcrumbs>
        <PageLink to="/console/activities">{i18n.t("Activities")}</PageLink>
        <Text>{activity}</Text>
      </Breadcrumbs>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="sm" role="status">
            <Title order={1}>{activity}</Title>
            <RunBadge status={status} />
          </Group>
          <Text c="dimmed" className="wrap">
            <Trans id="Run of <0/>" components={{ 0: <AppLink name={appName} /> }} />
          </Text>
        </div>
        <RunActions run={run} size="sm" />
      </Group>
      <RunProgress run={run} />
      {error && (
        <Alert color="red" variant="outline" title={isActive(run) ? i18n.t("The last attempt failed") : i18n.t("Error")}>
          <Text size="sm" className="wrap">
            {error.code}: {error.message}
          </Text>
          {error.details !== null && error.details !== undefined && (
            <div className="below">
              <JsonView label={i18n.t("Details of the error")} value={error.details} fileName={`${id}-error.json`} />
            </div>
          )}
        </Alert>
      )}
      <RunFacts run={run} />
      {run.attempts.length > 0 && <Attempts attempts={run.attempts} />}
      <Section title={i18n.t("Input")}>
        <JsonView label={i18n.t("Input")} value={run.input} fileName={`${id}-input.json`} />
      </Section>
      <Section title={i18n.t("Output")}>
        {status === "COMPLETED" ? (
          <JsonView label={i18n.t("Output")} value={run.output} fileName={`${id}-output.json`} />
        ) : (
          <Text c="dimmed">
            {isActive(run) ? i18n.t("The run has not ended yet.") : i18n.t("The run ended without an output.")}
          </Text>
        )}
      </Section>
    </Stack>
  );
}

/** The attempts that have ended, the newest first. */
function Attempts({ attempts }: Pick<RunDetails, "attempts">) {
  return (
    <Section title={i18n.t("Attempts")}>
      <ListTable
        minWidth={560}
        label={i18n.t("Table of attempts")}
        columns={[i18n.t("Attempt"), i18n.t("Outcome"), i18n.t("Started"), i18n.t("Duration"), i18n.t("Error")]}
      >
        {attempts.toReversed().map(({ number, outcome, startedAt, finishedAt, error }) => (
          <Table.Tr key={number}>
            <Table.Td>{number}</Table.Td>
            <Table.Td>
              <RunBadge status={outcome} />
            </Table.Td>
            <Table.Td>
              <Time at={startedAt} />
            </Table.Td>
            <Table.Td>{duration(Date.parse(finishedAt) - Date.parse(startedAt))}</Table.Td>
            <Table.Td className="wrap">{error ? `${error.code}: ${error.message}` : "–"}</Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
    </Section>
  );
}

function RunFacts({ run }: { readonly run: RunDetails }) {
  const { id, appName, attempt, queuedAt, scheduledFor, startedAt, finishedAt, retryOf, traceId } = run;
  return (
    <Section title={i18n.t("Run")}>
      <FactTable
        facts={[
          [i18n.t("App"), <AppLink key="app" name={appName} />],
          [i18n.t("Attempt"), attempt],
          [i18n.t("Queued"), queuedAt && <Time at={queuedAt} />],
          [i18n.t("Due"), scheduledFor && <Time at={scheduledFor} />],
          [i18n.t("Started"), startedAt && <Time at={startedAt} />],
          [i18n.t("Ended"), finishedAt && <Time at={finishedAt} />],
          [i18n.t("Duration"), startedAt && finishedAt && duration(Date.parse(finishedAt) - Date.parse(startedAt))],
          [
            i18n.t("Repeats"),
            retryOf && (
              <PageLink to="/console/activities/runs/$id" params={{ id: retryOf }} size="sm" underline="always" title={retryOf}>
                {i18n.t("Earlier run")}
              </PageLink>
            ),
          ],
          [
            i18n.t("Trace"),
            traceId && (
              <TraceLink key="trace" id={traceId}>
                {i18n.t("Trace")}
              </TraceLink>
            ),
          ],
        ]}
      />
      <details className="below">
        <summary>{i18n.t("Details")}</summary>
        <FactTable
          facts={[
            [i18n.t("Id"), <Code key="id">{id}</Code>],
            [i18n.t("Trace id"), traceId && <Code key="trace">{traceId}</Code>],
          ]}
        />
      </details>
    </Section>
  );
}
