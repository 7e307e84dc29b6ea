import { type AppSnapshot, type SnapshotRestore, snapshotStorageOwner } from "@appserver/contracts/deployments";
import { importDatabaseCopy } from "@appserver/database-postgres";
import { holdLease, isAppError, within } from "@appserver/kernel";
import { compareVersions, type InstalledApp, isVersion } from "@appserver/marketplace";
import { type AppFileManifest, appStreams, parseAppFileManifest } from "../backup/app-file-manifest.ts";
import { readBackupArchive } from "../backup/backup-archive.ts";
import { BackupError } from "../backup/backup-error.ts";
import { decrypt } from "../backup/encryption.ts";
import { type AppDatabaseServer, type AppFilePlatform, requireInstalled } from "./app-file-platform.ts";
import type { BackupFile } from "./restore-backup.ts";
import { copiesKeptMs } from "./write-app-file.ts";

const lookEveryMs = 500;
/** A switch of the app may come first, and the copies may be large. */
const restoreLimitMs = 3_600_000;
/** How long a command that was killed keeps others from importing for the app. */
const leaseMs = 10_000;

/** Reads a file to its end. Rejects with BackupError unless it is whole, undamaged, and of a format that this version reads. */
export async function verifyAppFile({ read, key }: BackupFile): Promise<AppFileManifest> {
  return await readBackupArchive(await decrypt(read(), key), drain, parseAppFileManifest);
}

export interface RestoredAppFile {
  readonly manifest: AppFileManifest;
  readonly restore: SnapshotRestore;
}

/**
 * Gives an app the data of a file. Reads the whole file before anything is changed. Then it makes a snapshot from the file, and has that
 * restored: what the app has until then is kept as another snapshot. If the process is killed, the next call for the app or the expiry of
 * snapshots deletes what it has written.
 */
export async function restoreAppFile(platform: AppFilePlatform, name: string, file: BackupFile): Promise<RestoredAppFile> {
  const app = await requireInstalled(platform, name);
  const manifest = await verifyAppFile(file);
  refuseOther(platform, app, manifest);
  const { snapshots, leases, clock } = platform;
  // The derivation of the key may take longer than a lease is good for.
  const archive = await decrypt(file.read(), file.key);
  const until = clock.monotonic() + leaseMs;
  for (;;) {
    const result = await holdLease(leases, `app-file:${app.id}`, leaseMs, clock, async ({ signal }) => {
      const snapshot = await importSnapshot(platform, app, { file, archive, manifest, signal });
      try {
        return { manifest, restore: await restored(platform, app, snapshot) };
      } finally {
        // While it is restored, it cannot be deleted. It expires.
        await snapshots.remove(snapshot.id).catch(ignoreConflict);
      }
    });
    if (result.held) return result.value;
    if (clock.monotonic() > until) throw new BackupError(`Another command restores a file to ${name} at this time.`);
    await clock.sleep(lookEveryMs);
  }
}

/** Throws BackupError if the app cannot have the data. */
export function refuseOther(
  { apps }: { readonly apps: Pick<AppDatabaseServer, "major" | "clientsFor"> | undefined },
  app: Pick<InstalledApp, "name" | "version" | "storage">,
  { app: filed, database, storage }: AppFileManifest,
): void {
  if (filed.name !== app.name) throw new BackupError(`The file has the data of ${filed.name}, and not of ${app.name}.`);
  if (!isVersion(filed.version) || compareVersions(filed.version, app.version) > 0)
    throw new BackupError(
      `The file has the data of ${app.name} ${filed.version}, and version ${app.version} is installed, which may not understand it: upgrade the app first.`,
    );
  const unknown = storage.find(({ name }) => !app.storage.includes(name));
  if (unknown)
    throw new BackupError(
      `The file has the storage ${JSON.stringify(unknown.name)}, which ${app.name} ${app.version} does not declare.`,
    );
  if (!database) return;
  if (!apps) throw new BackupError("The file has a database, and apps have none of their own in this installation.");
  if (apps.major < database.server)
    throw new BackupError(
      `The file has a database of PostgreSQL ${database.server}, and the server here is PostgreSQL ${apps.major}: restore it on a server of the same or a newer version.`,
    );
  apps.clientsFor(database.client);
}

interface Import {
  readonly file: BackupFile;
  /** What is in the file. */
  readonly archive: AsyncIterable<Uint8Array>;
  readonly manifest: AppFileManifest;
  readonly signal: AbortSignal;
}

/** Makes a complete snapshot from the file. If this fails, the orchestrator deletes what was written. */
async function importSnapshot(platform: AppFilePlatform, app: InstalledApp, from: Import): Promise<AppSnapshot> {
  const { imports, snapshots, clock } = platform;
  const { moment, pausedMs, database, storage, app: filed, instance } = from.manifest;
  const snapshot = await imports.begin({
    appId: app.id,
    appName: app.name,
    appVersion: filed.version,
    manifestDigest: filed.manifestDigest,
    label: `of ${moment} in ${instance}`.slice(0, 200),
    expiresAt: new Date(clock.now() + copiesKeptMs),
  });
  try {
    const written = await writeCopies(platform, snapshot, from);
    await imports.complete(snapshot.id, { databaseBytes: database && written, storage, pausedMs });
    return snapshot;
  } catch (error) {
    await snapshots.remove(snapshot.id);
    throw error;
  }
}

/** Returns the size of the database. */
async function writeCopies(
  { instance, runtime, apps }: AppFilePlatform,
  { id, appId, appName }: AppSnapshot,
  { file, archive, manifest, signal }: Import,
): Promise<number> {
  const owner = snapshotStorageOwner({ instance, appId }, id);
  let databaseBytes = 0;
  const take = async (stream: string, contents: AsyncIterable<Uint8Array>): Promise<void> => {
    signal.throwIfAborted();
    const storage = manifest.storage.find((_, index) => appStreams.storage(index) === stream);
    if (storage) await runtime.writeStorage(owner, storage.name, contents);
    else if (stream === appStreams.database && manifest.database && apps) {
      const clients = apps.clientsFor(manifest.database.client);
      const into = { copyId: id, owner: { appId, appName }, clients };
      databaseBytes = await importDatabaseCopy(apps.administrator, into, contents);
    } else await drain(stream, contents);
  };
  const read = await readBackupArchive(archive, take, parseAppFileManifest);
  if (JSON.stringify(read) !== JSON.stringify(manifest))
    throw new BackupError(`The file ${file.name} has changed while it was read.`);
  return databaseBytes;
}

/** Has the snapshot restored, and returns the restore once it is complete. */
async function restored(
  { snapshots, clock }: AppFilePlatform,
  { id: appId, name: appName, version: appVersion, manifestDigest }: InstalledApp,
  { id: snapshotId }: AppSnapshot,
): Promise<SnapshotRestore> {
  const { id } = await snapshots.restore({ snapshotId, app: { appId, appName, appVersion, manifestDigest } });
  const ended = async (signal: AbortSignal): Promise<SnapshotRestore> => {
    for (;;) {
      const restore = await snapshots.getRestore(id);
      if (restore?.state === "COMPLETED") return restore;
      if (!restore || restore.state === "FAILED")
        throw new BackupError(`The data of ${appName} was not replaced: ${restore?.error ?? "the request was deleted"}.`);
      await clock.sleep(lookEveryMs, signal);
    }
  };
  const late = (): Error =>
    new BackupError(
      `The data of ${appName} is not replaced after ${restoreLimitMs / 60_000} minutes. An orchestrator does it, now or when it runs.`,
    );
  return await within(ended, { clock, ms: restoreLimitMs, error: late });
}

function ignoreConflict(error: unknown): void {
  if (!isAppError(error, "CONFLICT")) throw error;
}

async function drain(_stream: string, contents: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of contents);
}
