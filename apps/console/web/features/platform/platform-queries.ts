import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";

export type PlatformOption = operations.PlatformQuery["platform"]["options"][number];

/** Version and options of the server that answers. */
export const platformQuery = queryOptions({
  queryKey: ["platform"],
  queryFn: async () => (await send(operations.PlatformDocument, {})).platform,
});

/** The last values of one process of the platform. Every replica, worker and orchestrator is a process. */
export interface PlatformProcess {
  /** Host and process id. */
  readonly process: string;
  /** `serve`, `worker` (one of several of a server on one machine) or `orchestrate`. */
  readonly kind?: string;
  readonly version?: string;
  readonly startedAt?: string;
  readonly cpuSeconds?: number;
  readonly residentBytes?: number;
  readonly heapUsedBytes?: number;
  /** Part of the time in which the event loop was busy, 0 to 1. */
  readonly eventLoopUtilization?: number;
}

export const processesQuery = queryOptions({
  queryKey: ["processes"],
  queryFn: async () => (await send(operations.ProcessesDocument, {})).metrics.process as readonly PlatformProcess[],
  refetchInterval: 10_000,
});
