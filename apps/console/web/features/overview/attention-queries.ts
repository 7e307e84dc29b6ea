import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";

const pollMs = 15_000;
const dayMs = 86_400_000;

export type DependencyStatus = operations.HealthQuery["health"]["checks"][number];
export type OpenIncident = operations.OpenIncidentsQuery["incidents"]["edges"][number]["node"];
type Needs = operations.AppNeedsQuery;
export type FailingApp = Needs["failing"]["edges"][number]["node"];
export type WaitingApp = Needs["approvals"]["edges"][number]["node"];
export type FaultyApp = Needs["conditions"]["edges"][number]["node"];
export type ExpiringApp = Needs["certificates"]["edges"][number]["node"];

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async () => (await send(operations.HealthDocument, {})).health,
  refetchInterval: 10_000,
});

/** The incidents that last, the newest first. */
export const openIncidentsQuery = queryOptions({
  queryKey: ["incidents", "open"],
  queryFn: async () => (await send(operations.OpenIncidentsDocument, {})).incidents.edges.map(({ node }) => node),
  refetchInterval: pollMs,
});

/** Apps of each need that are read. The others are counted. */
const needsShown = 5;

/**
 * The apps that have failed, wait for an approval, have a condition that is False, or whose certificate expires soon: the first of
 * each by name. The key begins with that of the counts: both are read again when an app changes.
 */
export const appNeedsQuery = queryOptions({
  queryKey: ["counts", "needs"],
  queryFn: async () => {
    const { failing, approvals, conditions, certificates } = await send(operations.AppNeedsDocument, { first: needsShown });
    return {
      failing: firstOf(failing),
      approvals: firstOf(approvals),
      conditions: firstOf(conditions),
      certificates: firstOf(certificates),
    };
  },
  refetchInterval: pollMs,
});

interface Connection<Node> {
  readonly edges: readonly { readonly node: Node }[];
  readonly totalCount: number;
}

function firstOf<Node>({ edges, totalCount }: Connection<Node>) {
  return { apps: edges.map(({ node }) => node), totalCount };
}

/** A page of each of the four statuses. */
const runsPageSize = 50;

export const failedStatuses = ["FAILED", "TIMED_OUT", "CRASHED", "EXPIRED"] as const;

/** The number of runs that failed within the last day, by status, at most those of a page. */
export const failedRunsQuery = queryOptions({
  queryKey: ["runs", "failed-lately"],
  queryFn: async () => {
    const found = await send(operations.FailedRunsDocument, { first: runsPageSize });
    const since = Date.now() - dayMs;
    return failedStatuses.map((status) => {
      const count = found[status].edges.filter(({ node }) => Date.parse(node.finishedAt ?? "") > since).length;
      return { status, count, isMore: count === runsPageSize };
    });
  },
  refetchInterval: pollMs,
});
