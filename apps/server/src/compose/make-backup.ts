import { baseBackup, clusterFacts, type PostgresConnection } from "@appserver/database-postgres";
import type { ContainerRuntime, Database } from "@appserver/kernel/ports";
import { appVersions } from "@appserver/marketplace";
import { type BackupStream, writeBackupArchive } from "../backup/backup-archive.ts";
import { dataFiles, imageFiles } from "../backup/data-files.ts";
import { encrypt, type LockingKey } from "../backup/encryption.ts";
import { type BackedUpServer, type BackupManifest, backupFormat, streams } from "../backup/manifest.ts";
import type { BackupPlace } from "../backup/place.ts";
import { platformVersion } from "../version.ts";

/** What a backup copies. Everything may be in use at the same time. */
export interface BackupSource {
  readonly instance: string;
  /** Of the platform's tables. */
  readonly database: Pick<Database, "query">;
  /** The second one is missing if apps have their databases on the platform's server. */
  readonly servers: readonly {
    readonly name: BackedUpServer["name"];
    /** Its role has the right to replicate. */
    readonly connection: PostgresConnection;
    readonly embedded: boolean;
  }[];
  readonly runtime: Pick<ContainerRuntime, "storage" | "readStorage">;
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
  const images = withImages && source.dataDir !== undefined;
  const manifest = await manifestOf(source, images, now);
  const contents = await encrypt(writeBackupArchive(manifest, contentsOf(source, manifest)), key);
  return { manifest, bytes: await place.write(name, contents) };
}

async function manifestOf(source: BackupSource, images: boolean, now: Date): Promise<BackupManifest> {
  const { instance, database, runtime } = source;
  const servers: BackedUpServer[] = [];
  for (const { name, connection, embedded } of source.servers) {
    const { major, architecture } = await clusterFacts(connection);
    servers.push({ name, major, architecture, embedded });
  }
  const storage = (await runtime.storage({ instance })).map(({ appId, name }) => ({ appId, name }));
  const apps = await appVersions(database);
  return {
    format: backupFormat,
    platform: platformVersion,
    instance,
    created: now.toISOString(),
    servers,
    apps,
    storage,
    images,
    notOfOneMoment: storage.map(({ appId, name }) => {
      const app = apps.find(({ id }) => id === appId)?.name ?? appId;
      return `The storage ${name} of ${app} was copied while the app ran, after its database.`;
    }),
  };
}

async function* contentsOf(source: BackupSource, manifest: BackupManifest): AsyncGenerator<BackupStream> {
  const { instance, dataDir, runtime, options } = source;
  const own = source.servers.filter(({ embedded }) => embedded);
  const passwords = Object.fromEntries(own.map(({ name, connection }) => [name, connection.password]));
  yield { name: streams.secrets, contents: [Buffer.from(JSON.stringify({ options, passwords } satisfies BackupSecrets))] };
  for (const { name, connection } of source.servers) yield { name: streams.server(name), contents: baseBackup(connection) };
  // Keys come after the values that they encrypt.
  if (dataDir !== undefined) yield { name: streams.folder, contents: dataFiles(dataDir) };
  for (const [index, { appId, name }] of manifest.storage.entries())
    yield { name: streams.storage(index), contents: runtime.readStorage({ instance, appId }, name) };
  const images = manifest.images && dataDir !== undefined ? await imageFiles(dataDir) : undefined;
  if (images) yield { name: streams.images, contents: images };
}
