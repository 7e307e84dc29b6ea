import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";

const pageSize = 40;
const pollMs = 5_000;

export type Run = operations.RunFragment;
export type RunDetails = NonNullable<operations.ActivityRunQuery["activityRun"]>;
export type Schedule = operations.ScheduleFragment;

export interface RunsFilter {
  readonly status?: operations.RunStatus | undefined;
  readonly app?: string | undefined;
}

/** Whether the run has not ended. */
export function isActive({ status }: Pick<Run, "status">): boolean {
  return status === "DELAYED" || status === "QUEUED" || status === "RUNNING";
}

/** Read again every 5 s for each page that is shown: the API has no subscription for new runs. */
export function runsQuery({ status, app }: RunsFilter) {
  const filter = { status: status ?? null, appName: app ?? null };
  return infiniteQueryOptions({
    queryKey: ["runs", filter],
    queryFn: async ({ pageParam: after }) =>
      (await send(operations.ActivityRunsDocument, { ...filter, first: pageSize, after })).activityRuns,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    refetchInterval: ({ state }) => pollMs * (state.data?.pages.length ?? 1),
  });
}

export function runQuery(id: string) {
  return queryOptions({
    queryKey: ["run", id],
    queryFn: async () => (await send(operations.ActivityRunDocument, { id })).activityRun ?? null,
  });
}

/** The activities that an app declares. */
export function activitiesQuery(appName: string) {
  return queryOptions({
    queryKey: ["activities", appName],
    queryFn: async () => (await send(operations.DeclaredActivitiesDocument, { appName })).activities,
  });
}

export function schedulesQuery(app: string | undefined) {
  const appName = app ?? null;
  return infiniteQueryOptions({
    queryKey: ["schedules", appName],
    queryFn: async ({ pageParam: after }) =>
      (await send(operations.ActivitySchedulesDocument, { appName, first: pageSize, after })).activitySchedules,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.length === pageSize ? (page.at(-1)?.id ?? null) : null),
    refetchInterval: ({ state }) => 2 * pollMs * (state.data?.pages.length ?? 1),
  });
}

/** The newest runs of an app, for suggestions. */
export function recentRunsQuery(app: string) {
  return queryOptions({
    queryKey: ["runs", "recent", app],
    queryFn: async () =>
      (await send(operations.ActivityRunsDocument, { appName: app, first: pageSize })).activityRuns.edges.map(
        ({ node }) => node,
      ),
  });
}
