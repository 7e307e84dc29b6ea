import type { AuditRecord } from "@appserver/kernel/ports";
import type { BackupPlan, BackupRecord } from "./domain/backup-record.ts";

/** What a finished backup is recorded with. */
export type BackupResult = Pick<BackupRecord, "location" | "bytes" | "notOfOneMoment">;

/** The records of backups. Events are in the transaction of the change that they are about. */
export interface BackupRecords {
  /** Requests a backup, with its audit entry. Returns the one that waits already, if there is one. */
  request(record: Pick<BackupRecord, "id" | "dueAt" | "requestedAt">, audit?: AuditRecord): Promise<BackupRecord>;
  /** Makes the requested backup the running one; without a request, adds one. */
  begin(id: string, at: Date): Promise<string>;
  complete(id: string, result: BackupResult, at: Date): Promise<void>;
  fail(id: string, error: string, at: Date): Promise<void>;
  /** Returns the newest ones. `before`: only those that are older than this one. */
  list(limit: number, before?: string): Promise<readonly BackupRecord[]>;
  count(): Promise<number>;
  find(id: string): Promise<BackupRecord | undefined>;
  /** Returns the newest complete one. */
  lastCompleted(): Promise<BackupRecord | undefined>;
  /** Returns the one whose file was tested last. */
  lastTested(): Promise<BackupRecord | undefined>;
  unfinished(): Promise<readonly BackupRecord[]>;
  /** The newest time of the schedule for which a backup was requested. */
  lastDueAt(): Promise<Date | undefined>;
  /** Stores that the file at this place was restored on trial. Returns whether there is a record of it. */
  tested(location: string, at: Date): Promise<boolean>;
  /** Removes those that are not finished: they are of the platform that was copied. */
  removeUnfinished(): Promise<void>;
  /** Stores what the process that makes backups is configured to do, for other processes. */
  storePlan(plan: BackupPlan): Promise<void>;
  /** Returns undefined if no process has made backups so far. */
  plan(): Promise<BackupPlan | undefined>;
}

/** Makes backups in a process of its own: encryption would keep this one from its other work. */
export interface BackupCommand {
  /** Runs the command to its end. Rejects with its last output if it fails, and ends it when `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}
