import { AppError, type Call, type Clock, earlierReceipt, requirePermission, userAuditEntry, uuidv7 } from "@appserver/kernel";
import type { BackupRecord } from "../domain/backup-record.ts";
import { type BackupReads, noPlan } from "./read-backups.ts";

export interface StartBackupContext extends BackupReads {
  readonly clock: Clock;
}

/**
 * Requests a backup, which the process that follows the schedule makes. Returns the one that waits already, if there is one. Throws
 * INVALID_STATE if that process has no place or no key for backups. Needs `backup:manage`.
 */
export async function startBackup({ records, permissions, clock }: StartBackupContext, call: Call): Promise<BackupRecord> {
  await requirePermission(permissions, call, "backup:manage");
  const earlier = earlierReceipt()?.["backup"];
  if (earlier !== undefined) return await findBackup(records, String(earlier));
  const { problem } = (await records.plan()) ?? { problem: noPlan };
  if (problem !== undefined) throw new AppError("INVALID_STATE", problem);
  const now = new Date(clock.now());
  const id = uuidv7(now.getTime());
  const entry = userAuditEntry(call, { action: "backup.start", target: "platform", details: { backup: id } });
  return await records.request({ id, requestedAt: now }, entry);
}

async function findBackup(records: BackupReads["records"], id: string): Promise<BackupRecord> {
  const found = await records.find(id);
  if (!found) throw new AppError("INVALID_STATE", `the backup ${id} is not listed any more`, { details: { id } });
  return found;
}
