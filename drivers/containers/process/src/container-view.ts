import { isAlive } from "@appserver/kernel/files";
import type { ContainerView } from "@appserver/kernel/ports";
import type { ContainerRecord } from "./container-record.ts";

/** Returns what callers see of a container now. `exitCodeOf` is called if its process has ended. */
export async function viewOf(record: ContainerRecord, exitCodeOf: () => Promise<number | undefined>): Promise<ContainerView> {
  const isRunning = record.status === "started" && record.process !== undefined && isAlive(record.process);
  const hasEnded = record.status === "exited" || (record.status === "started" && !isRunning);
  const exitCode = hasEnded ? await exitCodeOf() : undefined;
  return {
    id: record.id,
    name: record.name,
    status: isRunning ? "running" : hasEnded ? "exited" : "created",
    labels: record.labels,
    image: record.imageDigest,
    // The record is the container: another program cannot change one without the other.
    fingerprint: record.id,
    ...(record.startedAt !== undefined && (isRunning || hasEnded) ? { startedAt: new Date(record.startedAt) } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(isRunning ? { endpoint: `http://127.0.0.1:${record.port}` } : {}),
  };
}
