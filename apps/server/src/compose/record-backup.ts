import { type Backups, createBackups } from "@appserver/backups";
import { type Clock, SqlLeases, SqlOutbox, SystemClock } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { OpenedPlace } from "../backup/open-place.ts";
import { type BackupPlace, backupName, isBackupName } from "../backup/place.ts";
import { processName } from "../process-name.ts";
import { type BackupJob, type MadeBackup, makeBackup } from "./make-backup.ts";

/** Longer than a killed backup seems to run. */
const patienceMs = 45_000;

export interface RecordedJob extends Omit<BackupJob, "place" | "name"> {
  readonly target: OpenedPlace;
  /** How many backups of the installation a folder or a bucket keeps. */
  readonly keep: number;
}

/** Makes a backup, one at a time for a platform, records it, and deletes those that are too many. */
export async function recordBackup({ target, keep, ...job }: RecordedJob): Promise<MadeBackup & { readonly location: string }> {
  const { place } = target;
  const { instance, database } = job.source;
  const name = target.name ?? backupName(instance, job.now);
  return await backupsOf(database, instance, new SystemClock()).run(async () => {
    const made = await makeBackup({ ...job, place, name });
    if (target.name === undefined) await removeOldest(place, instance, keep);
    return { ...made, location: place.locationOf(name), notOfOneMoment: made.manifest.notOfOneMoment };
  }, patienceMs);
}

/** Returns the records of the backups of a platform. */
export function backupsOf(database: Database, instance: string, clock: Clock): Backups {
  const leases = new SqlLeases({ database, holder: `backup@${processName}` });
  return createBackups({ database, outbox: new SqlOutbox(), leases, source: `/appserver/${instance}`, clock });
}

async function removeOldest(place: BackupPlace, instance: string, keep: number): Promise<void> {
  const own = (await place.list()).filter(({ name }) => isBackupName(name, instance));
  for (const { name } of own.slice(0, -keep)) await place.remove(name);
}
