import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import * as operations from "../generated/operations.ts";
import { query } from "./client.ts";

/** With all attempts of each delivery, more would exceed the cost of an operation (docs/interface/graphql.md#limits). */
const pageSize = 40;
const pollMs = 5_000;
const outcomePollMs = 1_000;

export type Delivery = operations.DeliveryFragment;

export interface DeliveriesFilter {
  readonly status?: operations.DeliveryStatus | undefined;
  readonly app?: string | undefined;
  readonly hook?: string | undefined;
}

/** Whether nothing is sent any more unless a user asks for it. */
export function isFinished({ status }: Pick<Delivery, "status">): boolean {
  return status === "DELIVERED" || status === "DROPPED" || status === "DEAD";
}

/** Read again every 5 s for each page that is shown: the API has no subscription for deliveries. */
export function deliveriesQuery({ status, app, hook }: DeliveriesFilter) {
  const filter = { status: status ?? null, appName: app ?? null, hookName: hook ?? null };
  return infiniteQueryOptions({
    queryKey: ["deliveries", filter],
    queryFn: async ({ pageParam: after }) =>
      (await query(operations.HookDeliveriesDocument, { ...filter, first: pageSize, after })).hookDeliveries,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    refetchInterval: ({ state }) => pollMs * (state.data?.pages.length ?? 1),
  });
}

/** The deliveries of one event among the newest of its hook. Read again until each has finished. */
export function eventDeliveriesQuery(hookName: string, eventId: string, first: readonly Delivery[]) {
  return queryOptions({
    queryKey: ["deliveries", "of-event", eventId],
    queryFn: async () => {
      const { hookDeliveries } = await query(operations.HookDeliveriesDocument, { hookName, first: pageSize });
      const found = hookDeliveries.edges.map(({ node }) => node).filter((each) => each.eventId === eventId);
      return found.length < first.length ? first : found;
    },
    initialData: first,
    refetchInterval: ({ state }) => (state.data?.every(isFinished) ? false : outcomePollMs),
  });
}

export const deadLettersQuery = queryOptions({
  queryKey: ["deliveries", "dead"],
  queryFn: async () => (await query(operations.DeadLettersDocument, {})).hookDeliveries.totalCount,
  refetchInterval: 15_000,
});
