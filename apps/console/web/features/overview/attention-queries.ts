import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";
import { deadLetterCount, maxDeadLetters } from "../hooks/hook-queries.ts";

const pollMs = 15_000;
const dayMs = 86_400_000;

export type DependencyStatus = operations.HealthQuery["health"]["checks"][number];
type Found = Required<operations.AttentionQuery>;
export type OpenIncident = Found["incidents"]["edges"][number]["node"];
export type FailingApp = Found["failing"]["edges"][number]["node"];
export type WaitingApp = Found["approvals"]["edges"][number]["node"];
export type FaultyApp = Found["conditions"]["edges"][number]["node"];
export type ExpiringApp = Found["certificates"]["edges"][number]["node"];

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async () => (await send(operations.HealthDocument, {})).health,
  refetchInterval: 10_000,
});

/** Apps of each need that are read. The others are counted. */
const needsShown = 5;

/** What the viewer may see of what may need attention. */
interface Seen {
  readonly seesApps: boolean;
  readonly seesHooks: boolean;
  readonly seesRuns: boolean;
  readonly seesEvents: boolean;
}

/** A page of each of the four statuses of runs. */
const runsPageSize = 20;

/**
 * What may need attention, in one request: the incidents that last; the apps that have failed, wait for an approval, have a condition that
 * is False, or whose certificate expires soon, the first of each by name; the numbers of dead letters, and of runs that failed within the
 * last day. The key begins with that of the counts: both are read again when an app changes.
 */
export function attentionQuery(seen: Seen) {
  return queryOptions({
    queryKey: ["counts", "attention", seen],
    queryFn: async () => {
      const variables = { ...seen, first: needsShown, deadLetters: maxDeadLetters, runs: runsPageSize };
      const found = await send(operations.AttentionDocument, variables);
      return {
        incidents: found.incidents?.edges.map(({ node }) => node) ?? [],
        failing: firstOf(found.failing),
        approvals: firstOf(found.approvals),
        conditions: firstOf(found.conditions),
        certificates: firstOf(found.certificates),
        dead: found.deadLetters && deadLetterCount(found.deadLetters),
        failedRuns: failedStatuses.map((status) => failedRunsOf(status, found[status])),
      };
    },
    refetchInterval: pollMs,
    enabled: Object.values(seen).includes(true),
  });
}

interface Connection<Node> {
  readonly edges: readonly { readonly node: Node }[];
  readonly totalCount: number;
}

function firstOf<Node>(found: Connection<Node> | undefined) {
  return { apps: found?.edges.map(({ node }) => node) ?? [], totalCount: found?.totalCount ?? 0 };
}

const failedStatuses = ["FAILED", "TIMED_OUT", "CRASHED", "EXPIRED"] as const;

/** How many runs ended with a status within the last day, at most those of a page. */
function failedRunsOf(status: (typeof failedStatuses)[number], found: operations.EndedRunsFragment | undefined) {
  const since = Date.now() - dayMs;
  const count = found?.edges.filter(({ node }) => Date.parse(node.finishedAt ?? "") > since).length ?? 0;
  return { status, count, isMore: count === runsPageSize };
}
