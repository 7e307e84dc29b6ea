import type { BackupRecord } from "./domain/backup-record.ts";

/** What a finished backup is recorded with. */
export type BackupResult = Pick<BackupRecord, "location" | "bytes" | "notOfOneMoment">;

/** The records of backups. Events are in the transaction of the change that they are about. */
export interface BackupRecords {
  /** Requests a backup. Returns the one that waits already, if there is one. */
  request(record: Pick<BackupRecord, "id" | "dueAt" | "requestedAt">): Promise<BackupRecord>;
  /** Makes the requested backup the running one; without a request, adds one. */
  begin(id: string, at: Date): Promise<string>;
  complete(id: string, result: BackupResult, at: Date): Promise<void>;
  fail(id: string, error: string, at: Date): Promise<void>;
  /** Returns the newest ones. */
  list(limit: number): Promise<readonly BackupRecord[]>;
  unfinished(): Promise<readonly BackupRecord[]>;
  /** The newest time of the schedule for which a backup was requested. */
  lastDueAt(): Promise<Date | undefined>;
  tested(location: string, at: Date): Promise<void>;
  /** Removes those that are not finished: they are of the platform that was copied. */
  removeUnfinished(): Promise<void>;
}

/** Makes backups in a process of its own: encryption would keep this one from its other work. */
export interface BackupCommand {
  /** Runs the command to its end. Rejects with its last output if it fails, and ends it when `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}
