import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";
import { isActive } from "../activities/activity-queries.ts";
import { isFinished } from "../hooks/hook-queries.ts";

export type Trace = NonNullable<operations.TraceQuery["trace"]>;
export type TraceLogs = NonNullable<operations.TraceLogsQuery["trace"]>;

const pollMs = 2_000;
/** A request is stored within a second after its end, and what it causes comes a moment later. */
const firstLooks = 5;

/** Read again until every delivery and every run of the trace has ended. */
export function traceQuery(id: string) {
  return queryOptions({
    queryKey: ["trace", id],
    queryFn: async () => (await send(operations.TraceDocument, { id })).trace ?? null,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      dataUpdateCount < firstLooks || (data && hasOpenWork(data)) ? pollMs : false,
  });
}

/** Whether a delivery or a run has not ended. */
export function hasOpenWork({ deliveries, runs }: Pick<Trace, "deliveries" | "runs">): boolean {
  return deliveries.some((delivery) => !isFinished(delivery)) || runs.some(isActive);
}

/** Read from the containers, so that the page does not wait for it. `progress` changes with what the trace has so far. */
export function traceLogsQuery(id: string, progress: string) {
  return queryOptions({
    queryKey: ["trace-logs", id, progress],
    queryFn: async () => (await send(operations.TraceLogsDocument, { id })).trace ?? null,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
}
