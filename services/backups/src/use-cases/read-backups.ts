import {
  type Call,
  Cursors,
  isUuid,
  type Page,
  type Permissions,
  pageOf,
  pageSize,
  requirePermission,
} from "@appserver/kernel";
import type { BackupRecord, BackupSummary } from "../domain/backup-record.ts";
import type { BackupRecords } from "../ports.ts";

export interface BackupReads {
  readonly records: BackupRecords;
  readonly permissions: Permissions;
}

export interface BackupPageRequest {
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last one seen. */
  readonly after?: string | undefined;
}

export interface BackupPage extends Page<BackupRecord> {
  totalCount(): Promise<number>;
}

const cursors = new Cursors("backup", isUuid);

/** Without a row of it, no process of this platform makes backups. */
export const noPlan =
  "no process of this platform makes backups: expected appserver up or appserver orchestrate, with the options backup.to and backup.passphrase_file or backup.recipients";

/** Returns one page of backups, newest first. Needs `backup:manage`. */
export async function readBackups(
  { records, permissions }: BackupReads,
  { first, after }: BackupPageRequest,
  call: Call,
): Promise<BackupPage> {
  await requirePermission(permissions, call, "backup:manage");
  const size = pageSize(first);
  return { ...pageOf(await records.list(size + 1, cursors.read(after)), size), totalCount: () => records.count() };
}

/** Returns the plan of backups, and those that count. Needs `backup:manage`. */
export async function readBackupSummary({ records, permissions }: BackupReads, call: Call): Promise<BackupSummary> {
  await requirePermission(permissions, call, "backup:manage");
  const [plan, lastCompleted, lastTested] = await Promise.all([records.plan(), records.lastCompleted(), records.lastTested()]);
  return { ...(plan ?? { problem: noPlan }), lastCompleted, lastTested };
}

/** Returns the cursor of a backup, opaque to clients. */
export function backupCursorOf({ id }: BackupRecord): string {
  return cursors.of(id);
}
