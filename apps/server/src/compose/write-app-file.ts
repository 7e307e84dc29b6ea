import { type AppSnapshot, snapshotStorageOwner } from "@appserver/contracts/deployments";
import { dumpDatabaseCopy } from "@appserver/database-postgres";
import { within } from "@appserver/kernel";
import type { InstalledApp } from "@appserver/marketplace";
import { type AppFileManifest, appFileFormat, appStreams } from "../backup/app-file-manifest.ts";
import { type BackupStream, writeBackupArchive } from "../backup/backup-archive.ts";
import { BackupError } from "../backup/backup-error.ts";
import { encrypt, type LockingKey } from "../backup/encryption.ts";
import type { BackupPlace } from "../backup/place.ts";
import { platformVersion } from "../version.ts";
import { type AppFilePlatform, requireInstalled } from "./app-file-platform.ts";

/** A file is written within this time, or the copies of a killed command are deleted after it. */
export const copiesKeptMs = 24 * 3_600_000;
/** A switch of the app may come first. */
const snapshotLimitMs = 15 * 60_000;

export interface AppFileJob {
  readonly platform: AppFilePlatform;
  readonly app: string;
  readonly place: BackupPlace;
  readonly name: string;
  readonly key: LockingKey;
}

export interface WrittenAppFile {
  readonly manifest: AppFileManifest;
  readonly bytes: number;
}

/** Writes the data of an app, of one moment, into one encrypted file. The app is paused while its data is copied on the server. */
export async function writeAppFile({ platform, app, place, name, key }: AppFileJob): Promise<WrittenAppFile> {
  const { snapshots } = platform;
  const snapshot = await takeSnapshot(platform, await requireInstalled(platform, app));
  try {
    const manifest = manifestOf(platform, snapshot);
    const contents = await encrypt(writeBackupArchive(manifest, contentsOf(platform, snapshot, manifest)), key);
    return { manifest, bytes: await place.write(name, contents) };
  } finally {
    await snapshots.remove(snapshot.id);
  }
}

async function takeSnapshot({ snapshots, clock }: AppFilePlatform, app: InstalledApp): Promise<AppSnapshot> {
  const { id: appId, name: appName, version: appVersion, manifestDigest } = app;
  const expiresAt = new Date(clock.now() + copiesKeptMs);
  const request = { appId, appName, appVersion, manifestDigest, reason: "backup", label: "for a file", expiresAt } as const;
  const { id } = await snapshots.request(request);
  const late = (): Error =>
    new BackupError(
      `No orchestrator has copied the data of ${appName} within ${snapshotLimitMs / 60_000} minutes. Does one run?`,
    );
  const snapshot = await within((signal) => snapshots.finished(id, signal), { clock, ms: snapshotLimitMs, error: late });
  if (snapshot.state === "COMPLETED") return snapshot;
  throw new BackupError(`The data of ${appName} could not be copied: ${snapshot.error}.`);
}

function manifestOf({ instance, apps }: AppFilePlatform, snapshot: AppSnapshot): AppFileManifest {
  const {
    appName: name,
    appVersion: version,
    manifestDigest,
    createdAt,
    finishedAt,
    pausedMs,
    databaseBytes: bytes,
  } = snapshot;
  if (bytes !== undefined && !apps)
    throw new BackupError(`The app ${name} has a database, and this configuration does not name its server.`);
  return {
    kind: "app",
    format: appFileFormat,
    platform: platformVersion,
    instance,
    moment: (finishedAt ?? createdAt).toISOString(),
    ...(pausedMs !== undefined && { pausedMs }),
    app: { name, version, manifestDigest },
    ...(apps && bytes !== undefined && { database: { server: apps.major, client: apps.clientsFor().major, bytes } }),
    storage: snapshot.storage,
  };
}

async function* contentsOf(
  { instance, runtime, apps }: AppFilePlatform,
  { id, appId }: AppSnapshot,
  { database, storage }: AppFileManifest,
): AsyncGenerator<BackupStream> {
  if (database && apps)
    yield { name: appStreams.database, contents: dumpDatabaseCopy(apps.administrator, id, apps.clientsFor()) };
  const owner = snapshotStorageOwner({ instance, appId }, id);
  for (const [index, { name }] of storage.entries())
    yield { name: appStreams.storage(index), contents: runtime.readStorage(owner, name) };
}
