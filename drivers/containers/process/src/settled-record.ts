import { isAlive } from "@appserver/kernel/files";
import { findByLogFile } from "./app-process.ts";
import type { ContainerRecord, ContainerRecords } from "./container-record.ts";

/** Returns the record of a container, updated from the state of its process. Call it only under the container's lock. */
export async function settledRecord(
  records: Pick<ContainerRecords, "read" | "write" | "logFile">,
  name: string,
  exitCodeOf: (record: ContainerRecord) => Promise<number | undefined>,
): Promise<ContainerRecord | undefined> {
  const record = records.read(name);
  if (record?.status === "starting") {
    const found = await findByLogFile(records.logFile(name));
    const settled: ContainerRecord = found
      ? { ...record, status: "started", process: found }
      : { ...record, status: "created" };
    records.write(settled);
    return settled;
  }
  if (record?.status !== "started" || !record.process || isAlive(record.process)) return record;
  const exitCode = await exitCodeOf(record);
  const exited: ContainerRecord = { ...record, status: "exited", ...(exitCode === undefined ? {} : { exitCode }) };
  records.write(exited);
  return exited;
}
