import { type AppSnapshots, snapshotStorageOwner } from "@appserver/contracts/deployments";
import { baseBackup, clusterFacts, type PostgresConnection } from "@appserver/database-postgres";
import type { ContainerRuntime, Database, StorageOwner } from "@appserver/kernel/ports";
import { type AppVersion, appVersions } from "@appserver/marketplace";
import { type BackupStream, writeBackupArchive } from "../backup/backup-archive.ts";
import { dataFiles, imageFiles } from "../backup/data-files.ts";
import { encrypt, type LockingKey } from "../backup/encryption.ts";
import { type BackedUpServer, type BackupManifest, backupFormat, streams } from "../backup/manifest.ts";
import type { BackupPlace } from "../backup/place.ts";
import { platformVersion } from "../version.ts";
import { removeSnapshots, type TakenSnapshots, takeSnapshots } from "./backup-snapshots.ts";

/** What a backup copies. Everything may be in use at the same time. */
export interface BackupSource {
  readonly instance: string;
  /** Of the platform's tables. */
  readonly database: Database;
  /** The second one is missing if apps have their databases on the platform's server. */
  readonly servers: readonly {
    readonly name: BackedUpServer["name"];
    /** Its role has the right to replicate. */
    readonly connection: PostgresConnection;
    readonly embedded: boolean;
  }[];
  readonly runtime: Pick<ContainerRuntime, "abilities" | "storage" | "readStorage">;
  /** Undefined if no orchestrator runs, or a restore could not use the copies. */
  readonly snapshots: AppSnapshots | undefined;
  /** Whether apps may write to their storage. */
  readonly appsRun: boolean;
  /** Undefined for a platform without one. */
  readonly dataDir: string | undefined;
  /** Options of the platform, with its secrets, by their variables. */
  readonly options: Readonly<Record<string, string | undefined>>;
}

export interface BackupJob {
  readonly source: BackupSource;
  readonly place: BackupPlace;
  readonly name: string;
  readonly key: LockingKey;
  readonly withImages: boolean;
  readonly now: Date;
}

/** The entry `secrets.json`. */
export interface BackupSecrets {
  readonly options: BackupSource["options"];
  /** Of the administrators of embedded servers, by the names of these. */
  readonly passwords: Readonly<Partial<Record<BackedUpServer["name"], string>>>;
}

export interface MadeBackup {
  readonly manifest: BackupManifest;
  readonly bytes: number;
}

/**
 * Copies the platform into one encrypted file. What was acknowledged before the call is in it. The platform's own server comes first: what an
 * app has and the platform does not know does no harm, and deliveries that the platform does not know as done are repeated.
 */
export async function makeBackup({ source, place, name, key, withImages, now }: BackupJob): Promise<MadeBackup> {
  const { instance, database, runtime, snapshots } = source;
  const apps = await appVersions(database);
  const { copiesStorage } = runtime.abilities;
  const storage = (await runtime.storage({ instance })).map(({ appId, name: kept }) => ({ appId, name: kept }));
  const stored = apps.filter(({ id }) => storage.some(({ appId }) => appId === id));
  const found = snapshots && copiesStorage ? await takeSnapshots(snapshots, stored, now) : { taken: [], failures: new Map() };
  try {
    const manifest: BackupManifest = {
      format: backupFormat,
      platform: platformVersion,
      instance,
      created: now.toISOString(),
      servers: await serversOf(source),
      apps: apps.map(({ manifestDigest: _digest, ...app }) => app),
      storage: copiesStorage ? storage : [],
      snapshots: found.taken,
      images: withImages && source.dataDir !== undefined,
      notOfOneMoment: copiesStorage ? (source.appsRun ? notOfOneMoment(stored, found) : []) : notCopied(stored),
    };
    const contents = await encrypt(writeBackupArchive(manifest, contentsOf(source, manifest)), key);
    return { manifest, bytes: await place.write(name, contents) };
  } finally {
    if (snapshots) await removeSnapshots(snapshots, found.taken);
  }
}

async function serversOf(source: BackupSource): Promise<readonly BackedUpServer[]> {
  const servers: BackedUpServer[] = [];
  for (const { name, connection, embedded } of source.servers) {
    const { major, architecture } = await clusterFacts(connection);
    servers.push({ name, major, architecture, embedded });
  }
  return servers;
}

function notOfOneMoment(stored: readonly AppVersion[], { taken, failures }: TakenSnapshots): readonly string[] {
  const left = stored.filter(({ id }) => !taken.some(({ appId }) => appId === id));
  return left.map(({ id, name }) => {
    const reason = failures.get(id) ?? "it was not paused";
    return `The storage of ${name} was copied later than its database: ${reason}.`;
  });
}

function notCopied(stored: readonly AppVersion[]): readonly string[] {
  return stored.map(({ name }) => `The storage of ${name} is not in the backup: the engine of containers does not copy it.`);
}

async function* contentsOf(source: BackupSource, manifest: BackupManifest): AsyncGenerator<BackupStream> {
  const { dataDir, runtime, options } = source;
  const own = source.servers.filter(({ embedded }) => embedded);
  const passwords = Object.fromEntries(own.map(({ name, connection }) => [name, connection.password]));
  yield { name: streams.secrets, contents: [Buffer.from(JSON.stringify({ options, passwords } satisfies BackupSecrets))] };
  for (const { name, connection } of source.servers) yield { name: streams.server(name), contents: baseBackup(connection) };
  // Keys come after the values that they encrypt.
  if (dataDir !== undefined) yield { name: streams.folder, contents: dataFiles(dataDir) };
  for (const [index, { appId, name }] of manifest.storage.entries())
    yield { name: streams.storage(index), contents: runtime.readStorage(ownerOf(manifest, appId), name) };
  const images = manifest.images && dataDir !== undefined ? await imageFiles(dataDir) : undefined;
  if (images) yield { name: streams.images, contents: images };
}

/** Returns whose storage has the files of an app: its snapshot, if there is one. */
function ownerOf({ instance, snapshots }: BackupManifest, appId: string): StorageOwner {
  const snapshot = snapshots.find((each) => each.appId === appId);
  return snapshot ? snapshotStorageOwner({ instance, appId }, snapshot.snapshotId) : { instance, appId };
}
