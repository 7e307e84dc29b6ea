import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";

/** With all attempts of each delivery, more would exceed the cost of an operation (docs/interface/graphql.md#limits). */
const pageSize = 40;
const pollMs = 5_000;
const outcomePollMs = 1_000;

export type Delivery = operations.DeliveryFragment;

export interface DeliveriesFilter {
  readonly status?: operations.DeliveryStatus | undefined;
  readonly app?: string | undefined;
  readonly hook?: string | undefined;
  /** Id of the event. */
  readonly event?: string | undefined;
}

/** Whether nothing is sent any more unless a user asks for it. */
export function isFinished({ status }: Pick<Delivery, "status">): boolean {
  return status === "DELIVERED" || status === "DROPPED" || status === "DEAD";
}

/** Read again every 5 s for each page that is shown: the API has no subscription for deliveries. */
export function deliveriesQuery({ status, app, hook, event }: DeliveriesFilter) {
  const filter = { status: status ?? null, appName: app ?? null, hookName: hook ?? null, eventId: event ?? null };
  return infiniteQueryOptions({
    queryKey: ["deliveries", filter],
    queryFn: async ({ pageParam: after }) =>
      (await send(operations.HookDeliveriesDocument, { ...filter, first: pageSize, after })).hookDeliveries,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    refetchInterval: ({ state }) => pollMs * (state.data?.pages.length ?? 1),
  });
}

/** The first deliveries of one event. Read again until each has finished. */
export function eventDeliveriesQuery(eventId: string, first: readonly Delivery[]) {
  return queryOptions({
    queryKey: ["deliveries", "of-event", eventId],
    queryFn: async () => {
      const { hookDeliveries } = await send(operations.HookDeliveriesDocument, { eventId, first: pageSize });
      return hookDeliveries.edges.map(({ node }) => node);
    },
    initialData: first,
    refetchInterval: ({ state }) => (state.data?.every(isFinished) ? false : outcomePollMs),
  });
}

/** Dead letters that are counted: counting all of them would read all of them every 15 s. */
export const maxDeadLetters = 100;

/** The number of dead letters, at most {@link maxDeadLetters}. */
export const deadLettersQuery = queryOptions({
  queryKey: ["deliveries", "dead"],
  queryFn: async () => deadLetterCount((await send(operations.DeadLettersDocument, { first: maxDeadLetters })).hookDeliveries),
  refetchInterval: 15_000,
});

export function deadLetterCount({ edges, pageInfo }: operations.DeadLetterCountFragment) {
  return { count: edges.length, isMore: pageInfo.hasNextPage };
}

/** Returns how many dead letters there are, as a text. */
export function deadLetterText({ count, isMore }: { readonly count: number; readonly isMore: boolean }): string {
  const shown = isMore ? `${count}+` : String(count);
  return i18n.t("{count, plural, one {{shown} undelivered event} other {{shown} undelivered events}}", { count, shown });
}
