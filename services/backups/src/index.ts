import { type Component, PeriodicTasks, type Permissions } from "@appserver/kernel";
import type { AuditLog, Database, Leases, Outbox } from "@appserver/kernel/ports";
import { SqlBackupRecords } from "./adapters/sql-backup-records.ts";
import { backupResolvers } from "./api/graphql.ts";
import type { BackupRecords, BackupResult } from "./ports.ts";
import { BackupSchedule, type BackupScheduleDeps } from "./workers/backup-schedule.ts";
import { type BackupContext, runBackup } from "./workers/run-backup.ts";

export { backupsMigrations } from "../migrations/index.ts";
export type { BackupPlan, BackupRecord, BackupState } from "./domain/backup-record.ts";
export type { BackupCommand } from "./ports.ts";

export interface BackupsDeps extends Pick<BackupContext, "clock"> {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly leases: Leases;
  /** Of a process that takes requests of people. */
  readonly audit?: AuditLog;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
}

/** The backups of the platform. Needs {@link backupsMigrations}. */
export interface Backups {
  readonly records: BackupRecords;
  /** See `runBackup`. */
  run<T extends BackupResult>(work: (signal: AbortSignal) => Promise<T>, patienceMs?: number): Promise<T>;
  /** Returns what follows the schedule, and makes the requested backups. Throws INVALID_REQUEST for a wrong schedule. */
  schedule(parts: Pick<BackupScheduleDeps, "command" | "plan" | "logger">): Component;
  resolvers(permissions: Permissions): ReturnType<typeof backupResolvers>;
}

/** How late a backup may begin. */
const lookEveryMs = 15_000;

export function createBackups({ leases, clock, ...deps }: BackupsDeps): Backups {
  const records = new SqlBackupRecords(deps);
  const context = { records, leases, clock };
  return {
    records,
    resolvers: (permissions) => backupResolvers({ records, permissions, clock }),
    run: (work, patienceMs) => runBackup(context, work, patienceMs),
    schedule: (parts) => {
      const schedule = new BackupSchedule({ ...context, ...parts });
      const task = { name: "schedule", intervalMs: lookEveryMs, run: (signal: AbortSignal) => schedule.look(signal) };
      return new PeriodicTasks({ name: "backup", tasks: [task], clock, logger: parts.logger });
    },
  };
}
