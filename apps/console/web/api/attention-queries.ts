import { queryOptions } from "@tanstack/react-query";
import * as operations from "../generated/operations.ts";
import { query } from "./client.ts";

const pollMs = 15_000;
const dayMs = 86_400_000;

export type HealthCheck = operations.HealthQuery["health"]["checks"][number];
export type FailingApp = operations.FailingAppsQuery["apps"]["edges"][number]["node"];
export type AppNeed = operations.AppNeedsQuery["apps"]["edges"][number]["node"];

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async () => (await query(operations.HealthDocument, {})).health,
  refetchInterval: 10_000,
});

/** The key begins with that of the counts: both are read again when an app changes. */
export const failingAppsQuery = queryOptions({
  queryKey: ["counts", "failing"],
  queryFn: async () => {
    const { edges, totalCount } = (await query(operations.FailingAppsDocument, {})).apps;
    return { apps: edges.map(({ node }) => node), totalCount };
  },
});

/** With their permissions and conditions, more apps would exceed the cost of an operation (docs/interface/graphql.md#limits). */
const needsPageSize = 60;
/** The API has no filter for apps that need something. Each app has to be read. */
const maxPages = 5;

export const maxAppsRead: number = needsPageSize * maxPages;

/** What the first apps wait for. Reading them all takes several requests: many apps are read less often. */
export const appNeedsQuery = queryOptions({
  queryKey: ["app-needs"],
  queryFn: async () => {
    const apps: AppNeed[] = [];
    let after: string | null = null;
    for (let page = 0; page < maxPages; page += 1) {
      const { edges, pageInfo }: operations.AppNeedsQuery["apps"] = (
        await query(operations.AppNeedsDocument, { first: needsPageSize, after })
      ).apps;
      apps.push(...edges.map(({ node }) => node));
      after = pageInfo.endCursor ?? null;
      if (!pageInfo.hasNextPage) return { apps, isComplete: true };
    }
    return { apps, isComplete: false };
  },
  refetchInterval: ({ state }) => ((state.data?.apps.length ?? 0) > needsPageSize ? 4 * pollMs : pollMs),
});

/** A page of each of the four statuses. */
const runsPageSize = 50;

export const failedStatuses = ["FAILED", "TIMED_OUT", "CRASHED", "EXPIRED"] as const;

/** The number of runs that failed within the last day, by status, at most those of a page. */
export const failedRunsQuery = queryOptions({
  queryKey: ["runs", "failed-lately"],
  queryFn: async () => {
    const found = await query(operations.FailedRunsDocument, { first: runsPageSize });
    const since = Date.now() - dayMs;
    return failedStatuses.map((status) => {
      const count = found[status].edges.filter(({ node }) => Date.parse(node.finishedAt ?? "") > since).length;
      return { status, count, isMore: count === runsPageSize };
    });
  },
  refetchInterval: pollMs,
});
