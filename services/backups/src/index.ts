import { type Component, PeriodicTasks } from "@appserver/kernel";
import type { Database, Leases, Outbox } from "@appserver/kernel/ports";
import { SqlBackupRecords } from "./adapters/sql-backup-records.ts";
import type { BackupRecords, BackupResult } from "./ports.ts";
import { BackupSchedule, type BackupScheduleDeps } from "./workers/backup-schedule.ts";
import { type BackupContext, runBackup } from "./workers/run-backup.ts";

export { backupsMigrations } from "../migrations/index.ts";
export type { BackupRecord, BackupState } from "./domain/backup-record.ts";
export type { BackupCommand } from "./ports.ts";

export interface BackupsDeps extends Pick<BackupContext, "clock"> {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly leases: Leases;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
}

/** The backups of the platform. Needs {@link backupsMigrations}. */
export interface Backups {
  readonly records: BackupRecords;
  /** See `runBackup`. */
  run<T extends BackupResult>(work: (signal: AbortSignal) => Promise<T>, patienceMs?: number): Promise<T>;
  /** Returns what follows the schedule, and makes the requested backups. Throws INVALID_REQUEST for a wrong schedule. */
  schedule(parts: Pick<BackupScheduleDeps, "command" | "schedule" | "logger">): Component;
}

/** How late a backup may begin. */
const lookEveryMs = 15_000;

export function createBackups({ database, outbox, leases, source, clock }: BackupsDeps): Backups {
  const records = new SqlBackupRecords({ database, outbox, source });
  const context = { records, leases, clock };
  return {
    records,
    run: (work, patienceMs) => runBackup(context, work, patienceMs),
    schedule: (parts) => {
      const schedule = new BackupSchedule({ ...context, ...parts });
      const task = { name: "schedule", intervalMs: lookEveryMs, run: (signal: AbortSignal) => schedule.look(signal) };
      return new PeriodicTasks({ name: "backup", tasks: [task], clock, logger: parts.logger });
    },
  };
}
