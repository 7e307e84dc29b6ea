import { infiniteQueryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";
import type { RequestFilter } from "./request-filter.ts";

export type RequestRow = operations.TracedRequestFragment;

/** More requests would exceed the cost of an operation (docs/interface/graphql.md#limits). */
const pageSize = 50;
const pollMs = 2_000;

/** Requests of the last hour. While `isLive`, read again every 2 s for each page that is shown, but not while the page is hidden. */
export function requestsQuery({ app, caller, failed, slower, since, until }: RequestFilter, isLive: boolean) {
  const filter = {
    appName: app ?? null,
    caller: caller ?? null,
    failed: failed ?? null,
    slowerThanMs: slower ?? null,
    since: since ?? null,
    until: until ?? null,
  };
  return infiniteQueryOptions({
    queryKey: ["requests", filter],
    queryFn: async ({ pageParam: after }) =>
      (await send(operations.RequestsDocument, { ...filter, first: pageSize, after })).requests,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    refetchInterval: ({ state }) => isLive && pollMs * (state.data?.pages.length ?? 1),
  });
}
