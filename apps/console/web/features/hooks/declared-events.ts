import { infiniteQueryOptions, queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { follow, send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";

const pageSize = 40;
/** Events often arrive in groups. The lists are read once for each group. */
const groupMs = 500;

export type HookEvent = operations.HookEventSummaryFragment;

export interface EventsFilter {
  readonly hook?: string | undefined;
  readonly app?: string | undefined;
}

/** Events, newest first, without their payloads. {@link useHookTail} reads them again. */
export function hookEventsQuery({ hook, app }: EventsFilter) {
  const filter = { hookName: hook ?? null, appName: app ?? null };
  return infiniteQueryOptions({
    queryKey: ["hook-events", filter],
    queryFn: async ({ pageParam: after }) =>
      (await send(operations.HookEventsDocument, { ...filter, first: pageSize, after })).hookEvents,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });
}

/** An event with its payload. Null if it is no longer kept. */
export function hookEventQuery(id: string) {
  return queryOptions({
    queryKey: ["hook-event", id],
    queryFn: async () => (await send(operations.HookEventDocument, { id })).hookEvent ?? null,
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Reads the lists of events and deliveries again after hooks are triggered. */
export function useHookTail(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      void queries.invalidateQueries({ queryKey: ["deliveries"] });
      void queries.invalidateQueries({ queryKey: ["hook-events"] });
    };
    const stop = follow(operations.HookTailDocument, {}, () => {
      timer ??= setTimeout(refresh, groupMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [queries]);
}
