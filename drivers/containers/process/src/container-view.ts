import { isAlive } from "@appserver/kernel/files";
import { type ContainerView, singleInstance } from "@appserver/kernel/ports";
import type { ContainerRecord } from "./container-record.ts";

/** Returns what callers see of a container now. `exitCodeOf` is called if its process has ended. */
export async function viewOf(record: ContainerRecord, exitCodeOf: () => Promise<number | undefined>): Promise<ContainerView> {
  const isRunning = record.status === "started" && record.process !== undefined && isAlive(record.process);
  const hasEnded = record.status === "exited" || (record.status === "started" && !isRunning);
  const exitCode = hasEnded ? await exitCodeOf() : undefined;
  const status = isRunning ? "running" : hasEnded ? "exited" : "created";
  const { id, startedAt: started } = record;
  const startedAt = started !== undefined && status !== "created" ? { startedAt: new Date(started) } : {};
  const reached = isRunning ? { endpoint: `http://127.0.0.1:${record.port}` } : {};
  return {
    id,
    name: record.name,
    status,
    labels: record.labels,
    image: record.imageDigest,
    // The record is the container: another program cannot change one without the other.
    fingerprint: record.id,
    ...startedAt,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...reached,
    ...singleInstance({ id, status, ...startedAt, ...reached }),
  };
}
