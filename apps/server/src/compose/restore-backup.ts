import { join } from "node:path";
import { embeddedFacts, restoreEmbedded, restoreFiles } from "@appserver/database-postgres";
import type { Logger } from "@appserver/kernel";
import { replaceFile } from "@appserver/kernel/files";
import type { ContainerRuntime } from "@appserver/kernel/ports";
import { readBackupArchive } from "../backup/backup-archive.ts";
import { BackupError } from "../backup/backup-error.ts";
import { writeDataFiles } from "../backup/data-files.ts";
import { decrypt, type UnlockingKey } from "../backup/encryption.ts";
import { type BackupManifest, streams } from "../backup/manifest.ts";
import {
  beginRestore,
  finishRestore,
  isEmptyFolder,
  removeUnfinished,
  unfinishedRestore,
} from "../backup/unfinished-restore.ts";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import { loadOrchestratorConfig, loadUpConfig } from "../config/load-config.ts";
import { holdDataFolder } from "../data-folder/data-folder.ts";
import { operatorFile } from "../data-folder/operator-options.ts";
import { serverFolder } from "../data-folder/server-folders.ts";
import { processesFolder } from "./backup-sources.ts";
import { finishServers } from "./finish-servers.ts";
import type { BackupSecrets } from "./make-backup.ts";
import { pulledFolders } from "./pulled-folders.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** An encrypted backup, which can be read more than once. */
export interface BackupFile {
  /** Its whole address. */
  readonly name: string;
  readonly read: () => AsyncIterable<Uint8Array>;
  readonly key: UnlockingKey;
}

export interface VerifiedBackup {
  readonly manifest: BackupManifest;
  readonly secrets: BackupSecrets;
  readonly bytes: number;
}

/** Reads a backup to its end. Rejects with BackupError unless it is whole, undamaged, and of a format that this version reads. */
export async function verifyBackup({ read, key }: BackupFile): Promise<VerifiedBackup> {
  let secrets: BackupSecrets = { options: {}, passwords: {} };
  let bytes = 0;
  const archive = await decrypt(
    counted(read(), (length) => (bytes += length)),
    key,
  );
  const manifest = await readBackupArchive(archive, async (name, contents) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of contents) if (name === streams.secrets) pieces.push(piece);
    if (name === streams.secrets) secrets = JSON.parse(Buffer.concat(pieces).toString()) as BackupSecrets;
  });
  return { manifest, secrets, bytes };
}

async function* counted(chunks: AsyncIterable<Uint8Array>, count: (length: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

export interface RestoreOptions {
  readonly file: BackupFile;
  readonly dataDir: string;
  /** Options that count more than those in the backup. */
  readonly environment: Environment;
  readonly logger: Logger;
  /** Nothing is written but the data folder. Files of external servers are refused: nothing here could start them. */
  readonly isTest: boolean;
}

/**
 * Makes a data folder from a backup, and the storage of apps with the container engine of the configuration. Reads the whole backup
 * before anything is changed. An interrupted restore is begun again by the next call for the same folder.
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { file, dataDir } = options;
  const { manifest, secrets } = await verifyBackup(file);
  await refuseOtherServers(manifest);
  if (options.isTest) refuseExternalServers(manifest);
  const folder = await holdDataFolder(dataDir);
  try {
    await restoreInto(options, manifest, secrets);
  } finally {
    folder.release();
  }
  return manifest;
}

async function restoreInto(
  { file, dataDir, environment, logger, isTest }: RestoreOptions,
  manifest: BackupManifest,
  secrets: BackupSecrets,
): Promise<void> {
  const variables = { ...secrets.options, ...environment, APPSERVER_DATA_DIR: dataDir };
  const storage = isTest ? [] : manifest.storage;
  const opened = (): Promise<ContainerRuntime> => openRuntime(manifest, variables, dataDir);
  await emptyFolder(dataDir, opened);
  const { instance } = manifest;
  await beginRestore(dataDir, { instance, storage: [] });
  await using runtime = new LazyRuntime(opened);
  if (storage.length > 0) {
    await refuseTakenStorage(manifest, await runtime.get(), dataDir);
    await beginRestore(dataDir, { instance, storage });
  }
  await writeParts(file, { dataDir, manifest, secrets, runtime: isTest ? undefined : runtime });
  if (isOfUp(manifest)) await finishServers(await loadUpConfig({}, variables), manifest, logger);
  await replaceFile(operatorFile(dataDir), `${JSON.stringify(secrets.options, undefined, 2)}\n`);
  await finishRestore(dataDir);
}

/** Opens a runtime at its first use: one of processes makes a folder. */
class LazyRuntime implements AsyncDisposable {
  readonly #open: () => Promise<ContainerRuntime>;
  #runtime: Promise<ContainerRuntime> | undefined;

  constructor(open: () => Promise<ContainerRuntime>) {
    this.#open = open;
  }

  get(): Promise<ContainerRuntime> {
    this.#runtime ??= this.#open();
    return this.#runtime;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const runtime = await this.#runtime?.catch(() => undefined);
    await runtime?.close();
  }
}

/** Another version cannot use the files of a server. Those of external servers are for the operator, who may have this version. */
async function refuseOtherServers({ servers }: BackupManifest): Promise<void> {
  const here = await embeddedFacts();
  const other = servers.find(
    ({ embedded, major, architecture }) => embedded && (major !== here.major || architecture !== here.architecture),
  );
  if (!other) return;
  throw new BackupError(
    `The backup has the files of PostgreSQL ${other.major} on ${other.architecture}, and this platform has PostgreSQL ${here.major} on ${here.architecture}: restore it with a version of the platform and a machine that fit.`,
  );
}

function refuseExternalServers({ servers }: BackupManifest): void {
  const external = servers.find(({ embedded }) => !embedded);
  if (!external) return;
  throw new BackupError(
    `The backup has files of a server of the operator, PostgreSQL ${external.major}, which this test cannot start: check the file with --dry-run, and restore it on a test machine.`,
  );
}

/** Opens what keeps the storage of apps, with the options of the platform in the backup. */
async function openRuntime(manifest: BackupManifest, variables: Environment, dataDir: string): Promise<ContainerRuntime> {
  const isUp = isOfUp(manifest);
  const { drivers } = isUp ? await loadUpConfig({}, variables) : await loadOrchestratorConfig({}, variables);
  const processes = pulledFolders(
    isUp ? { stateFolder: processesFolder(dataDir), stopOnClose: false } : { stopOnClose: false },
  );
  return await openDriver(drivers.containers, { pullPolicy: "always", processes });
}

/** Removes what an interrupted restore has left. Rejects with BackupError if there is anything else. */
async function emptyFolder(dataDir: string, opened: () => Promise<ContainerRuntime>): Promise<void> {
  const left = await unfinishedRestore(dataDir);
  if (left) {
    await using runtime = new LazyRuntime(opened);
    for (const { appId, name } of left.storage)
      await (await runtime.get()).removeStorage({ instance: left.instance, appId }, name);
    await removeUnfinished(dataDir);
  } else if (!(await isEmptyFolder(dataDir)))
    throw new BackupError(`The folder ${dataDir} is not empty: a restore needs an empty one.`);
}

async function refuseTakenStorage(
  { instance, storage }: BackupManifest,
  runtime: ContainerRuntime,
  dataDir: string,
): Promise<void> {
  const present = await runtime.storage({ instance });
  const taken = storage.find(({ appId, name }) => present.some((each) => each.appId === appId && each.name === name));
  if (!taken) return;
  await removeUnfinished(dataDir);
  await finishRestore(dataDir);
  throw new BackupError(
    `There is storage of the installation ${instance} already, ${taken.name} of the app ${taken.appId}: a restore writes over none. Remove it, or restore on another machine.`,
  );
}

/** Whether the platform ran its servers itself. */
function isOfUp({ servers }: BackupManifest): boolean {
  return servers.some(({ embedded }) => embedded);
}

interface Parts {
  readonly dataDir: string;
  readonly manifest: BackupManifest;
  readonly secrets: BackupSecrets;
  /** Undefined: storage is not restored. */
  readonly runtime: LazyRuntime | undefined;
}

async function writeParts({ read, key }: BackupFile, parts: Parts): Promise<void> {
  await readBackupArchive(await decrypt(read(), key), async (name, contents) => {
    await (writerOf(name, parts)?.(contents) ?? drain(contents));
  });
}

type Writer = (contents: AsyncIterable<Uint8Array>) => Promise<void>;

function writerOf(stream: string, { dataDir, manifest, secrets, runtime }: Parts): Writer | undefined {
  const { instance, servers, storage } = manifest;
  if (stream === streams.folder || stream === streams.images) return (contents) => writeDataFiles(dataDir, contents);
  const server = servers.find(({ name }) => streams.server(name) === stream);
  if (server) {
    const { name, embedded } = server;
    return embedded
      ? (contents) => restoreEmbedded(serverFolder(dataDir, name), contents, secrets.passwords[name] ?? "")
      : (contents) => restoreFiles(join(dataDir, "servers", name), contents);
  }
  const kept = storage.find((_, index) => streams.storage(index) === stream);
  if (!kept || !runtime) return undefined;
  return async (contents) => (await runtime.get()).writeStorage({ instance, appId: kept.appId }, kept.name, contents);
}

async function drain(contents: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of contents);
}
