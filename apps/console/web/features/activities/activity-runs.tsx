import { Trans } from "@lingui/react";
import { Select, Table, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { i18n } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { duration } from "../../parts/duration.ts";
import { AppFilter } from "../../parts/filter-field.tsx";
import { Filters } from "../../parts/filters.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { choicesOf } from "../../parts/words.ts";
import { type Run, type RunsFilter, runsQuery } from "./activity-queries.ts";
import { useRunChanges } from "./live-runs.ts";
import { RunActions } from "./run-actions.tsx";
import { RunBadge, RunProgress, runStatuses } from "./run-status.tsx";

const route = getRouteApi("/shell/console/activities/");
/** A socket has at most 100 open operations. Runs below these are read again every few seconds only. */
const maxFollowed = 20;

/** The runs of activities, newest first, with their progress. */
export function ActivityRuns() {
  const navigate = route.useNavigate();
  const change = (changed: RunsFilter): void => {
    void navigate({ search: (before: RunsFilter) => ({ ...before, ...changed }), replace: true });
  };
  return <RunList filter={route.useSearch()} onChange={change} />;
}

interface ListProps {
  readonly filter: RunsFilter;
  readonly onChange: (changed: RunsFilter) => void;
  /** Whether the page is of the app of the filter, which stays. */
  readonly isOfApp?: boolean;
}

export function RunList({ filter, onChange, isOfApp = false }: ListProps) {
  const runs = useInfiniteQuery({ ...runsQuery(filter), placeholderData: keepPreviousData });
  const rows = runs.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  return (
    <>
      <Filter filter={filter} onChange={onChange} isOfApp={isOfApp} />
      {runs.error && <Failure error={runs.error} retry={() => void runs.refetch()} />}
      {runs.isPending && <Loading />}
      {runs.data && rows.length === 0 && <NoRuns isFiltered={Boolean(filter.status || (filter.app && !isOfApp))} />}
      {rows.length > 0 && <RunTable rows={rows} />}
      <MoreButton query={runs} />
    </>
  );
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title={i18n.t("No run matches")}>{i18n.t("Change the status or the app.")}</Empty>;
  return (
    <Empty title={i18n.t("No runs yet")}>
      {i18n.t("A run appears as soon as a schedule is due or an app triggers an activity. To start one, trigger an activity.")}
    </Empty>
  );
}

function Filter({ filter, onChange: change, isOfApp }: Required<ListProps>) {
  return (
    <Filters>
      <Select
        label={i18n.t("Status")}
        className="filter"
        placeholder={i18n.t("All")}
        clearable
        clearButtonProps={{ "aria-label": i18n.t("All statuses") }}
        data={choicesOf(runStatuses)}
        value={filter.status ?? null}
        onChange={(status) => change({ status: runStatuses.find((each) => each === status) })}
      />
      {!isOfApp && <AppFilter value={filter.app} onChange={(app) => change({ app })} />}
    </Filters>
  );
}

function RunTable({ rows }: { readonly rows: readonly Run[] }) {
  return (
    <ListTable
      minWidth={720}
      columns={[
        i18n.t("Activity"),
        i18n.t("Status"),
        i18n.t("Attempt"),
        i18n.t("Queued"),
        i18n.t("Duration"),
        i18n.t("Action"),
      ]}
    >
      {rows.map((run, index) => (
        <RunRow key={run.id} run={run} follows={index < maxFollowed} />
      ))}
    </ListTable>
  );
}

function RunRow({ run, follows }: { readonly run: Run; readonly follows: boolean }) {
  useRunChanges(run, follows);
  const { id, activity, appName, status, attempt, error, queuedAt, scheduledFor, startedAt, finishedAt } = run;
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <PageLink to="/console/activities/runs/$id" params={{ id }} fw={600}>
          {activity}
        </PageLink>
        <br />
        <AppLink name={appName} />
      </Table.Td>
      <Table.Td maw={280}>
        <RunBadge status={status} />
        <RunProgress run={run} />
        {status === "DELAYED" && scheduledFor && (
          <Text size="sm" c="dimmed">
            <Trans id="due <0/>" components={{ 0: <Time at={scheduledFor} /> }} />
          </Text>
        )}
        {error && (
          <Text size="sm" c="dimmed" lineClamp={2} className="wrap">
            {error.message}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{attempt}</Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>{queuedAt && <Time at={queuedAt} />}</Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        {startedAt && finishedAt && duration(Date.parse(finishedAt) - Date.parse(startedAt))}
      </Table.Td>
      <Table.Td>
        <RunActions run={run} size="xs" />
      </Table.Td>
    </Table.Tr>
  );
}
