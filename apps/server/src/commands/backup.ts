import { readFileSync } from "node:fs";
import type { Backups } from "@appserver/backups";
import { type Logger, messageOf } from "@appserver/kernel";
import { pick, readConfiguration, type SectionValues } from "@appserver/options";
import { allSections, backupSection } from "@appserver/options/sections";
import { BackupError } from "../backup/backup-error.ts";
import type { LockingKey, UnlockingKey } from "../backup/encryption.ts";
import type { BackupManifest } from "../backup/manifest.ts";
import { type OpenedPlace, openPlace, type PlaceOptions } from "../backup/open-place.ts";
import type { BackupSource } from "../compose/make-backup.ts";
import type { BackupFile } from "../compose/restore-backup.ts";
import { loadOrchestratorConfig, loadUpConfig } from "../config/load-config.ts";
import type { OrchestratorConfig } from "../config/orchestrator-config.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;
type Write = (text: string) => void;
type BackupOptions = SectionValues<typeof backupSection>;

/** The flags of `appserver backup` and `appserver restore` that are no options. */
export interface BackupFlags {
  readonly to?: string;
  readonly "passphrase-file"?: string;
  readonly recipient?: readonly string[];
  readonly "identity-file"?: string;
  readonly "dry-run"?: boolean;
  readonly test?: boolean;
  readonly "without-images"?: boolean;
  /** The data of this app only. */
  readonly app?: string;
}

/** Of a platform in one process: its data folder, and its options. */
export interface OnDataFolder {
  readonly dataDir: string | undefined;
  readonly flags: Flags;
  readonly environment: Environment;
}

/** Runs `appserver backup`. Returns the exit code. Throws UsageError for other words. */
export async function backup(words: readonly string[], given: BackupFlags, on: OnDataFolder, write: Write): Promise<number> {
  refuseWords(words, "appserver backup [--to <file, folder or s3://…>]");
  const { withSource, withUpSource } = await import("../compose/backup-sources.ts");
  const platform = await platformOf(on);
  const { config, logger } = platform;
  const key = lockingKey(given, config.backup);
  const now = new Date();
  return await ("up" in platform
    ? withUpSource(platform.up, on.environment, logger, run)
    : withSource(platform.orchestrator, logger, run));

  async function run(source: BackupSource): Promise<number> {
    const withImages = config.backup.images && given["without-images"] !== true;
    const target = await openTarget(given, config.backup);
    const { recordBackup } = await import("../compose/record-backup.ts");
    const made = await recordBackup({ source, target, key, withImages, now, keep: config.backup.keep });
    write(`${aboutBackup(made.manifest)}Written to ${made.location}, ${made.bytes} bytes.\n`);
    return 0;
  }
}

/** Does work with the records of backups of a platform. */
export async function withRecordsOf<T>(on: OnDataFolder, work: (records: Backups["records"]) => Promise<T>): Promise<T> {
  const { withRecords, withUpRecords } = await import("../compose/backup-records.ts");
  const platform = await platformOf(on);
  const { logger } = platform;
  return await ("up" in platform ? withUpRecords(platform.up, logger, work) : withRecords(platform.orchestrator, logger, work));
}

/** Reads the configuration of a platform: of one process with a data folder, or that of the orchestrator. */
async function platformOf({ dataDir, flags, environment }: OnDataFolder) {
  if (dataDir !== undefined) {
    const up = await loadUpConfig(flags, { ...environment, APPSERVER_DATA_DIR: dataDir });
    return { up, config: up, logger: logOf(up) };
  }
  const orchestrator = await loadOrchestratorConfig(flags, environment);
  return { orchestrator, config: orchestrator, logger: logOf(orchestrator) };
}

function logOf({ telemetry }: Pick<OrchestratorConfig, "telemetry">): Logger {
  return openLog({ service: "appserver", level: telemetry.logLevel, output: "standard error" });
}

/** Runs `appserver restore`. Returns the exit code. Throws UsageError for other words and flags. */
export async function restore(words: readonly string[], given: BackupFlags, on: OnDataFolder, write: Write): Promise<number> {
  const [file, ...rest] = words;
  refuseWords(rest, "appserver restore <file> --data <folder>");
  const { dataDir, environment } = on;
  const isTrial = given["dry-run"] === true;
  if (file === undefined || (dataDir === undefined && !isTrial)) throw new UsageError(usageOf("restore") ?? "");
  const { restoreBackup, verifyBackup } = await import("../compose/restore-backup.ts");
  const source = await openFile(file, given, environment);
  if (isTrial || dataDir === undefined) {
    const { manifest, bytes } = await verifyBackup(source);
    write(`${aboutBackup(manifest)}The file is whole and undamaged, ${bytes} bytes. Nothing was changed.\n`);
    return 0;
  }
  const logger = openLog({ service: "appserver", level: "warn", output: "standard error" });
  const manifest = await restoreBackup({ file: source, dataDir, environment, logger, isTest: false });
  write(`${aboutBackup(manifest)}Restored into ${dataDir}. Start the platform on it.\n`);
  return 0;
}

/** Opens where backups are written. */
export async function openTarget(given: BackupFlags, configured: BackupOptions): Promise<OpenedPlace> {
  const to = given.to ?? configured.to;
  if (to === undefined) throw new UsageError("--to is missing: expected a file, a folder, or s3://<bucket>/<prefix>");
  return await openPlace(to, configured);
}

/** Opens a file that is restored. */
export async function openFile(file: string, given: BackupFlags, environment: Environment): Promise<BackupFile> {
  const { place, name } = await openPlaceOf(file, environment);
  if (name === undefined) throw new UsageError("expected a file, or an object of S3 that ends with .age");
  return { name: place.locationOf(name), read: () => place.read(name), key: unlockingKey(given, environment) };
}

/** Opens a place with the options of S3 of the environment. */
export function openPlaceOf(address: string, environment: Environment): Promise<OpenedPlace> {
  return openPlace(address, placeOptions(environment));
}

/** The options of S3. The machine of a restore has no others of the platform. */
function placeOptions(environment: Environment): PlaceOptions {
  const sections = { backup: pick(backupSection, "s3Endpoint", "s3Region", "s3AccessKeyId", "s3SecretAccessKey") };
  const sources = { flags: {}, environment, readFile: readFileSync };
  return readConfiguration({ process: "restore", sections, rules: () => [] }, sources, { sections: Object.values(allSections) })
    .values.backup;
}

const keyForm = "expected --passphrase-file <file> or --recipient age1…";

export function lockingKey(given: BackupFlags, configured: BackupOptions): LockingKey {
  const { recipient, "passphrase-file": file } = given;
  if (recipient && file !== undefined) throw new UsageError(`a backup has one kind of key: ${keyForm}`);
  if (recipient) return { recipients: recipient };
  if (file !== undefined) return { passphrase: secretIn(file) };
  if (configured.recipients) return { recipients: configured.recipients };
  if (configured.passphraseFile !== undefined) return { passphrase: secretIn(configured.passphraseFile) };
  throw new UsageError(`a backup is encrypted: ${keyForm}`);
}

function unlockingKey(given: BackupFlags, environment: Environment): UnlockingKey {
  const { "identity-file": identities, "passphrase-file": file = environment["APPSERVER_BACKUP_PASSPHRASE_FILE"] } = given;
  if (identities !== undefined) return { identities: identitiesIn(identities) };
  if (file !== undefined) return { passphrase: secretIn(file) };
  throw new UsageError("a backup is encrypted: expected --passphrase-file <file> or --identity-file <file>");
}

/** The form of `age-keygen`: comments, and one identity in each other line. */
function identitiesIn(file: string): readonly string[] {
  const lines = secretIn(file)
    .split("\n")
    .map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** A passphrase ends with its line. */
function secretIn(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new BackupError(`The key of backups cannot be read: ${messageOf(error)}.`);
  }
  if (text === "") throw new BackupError(`The key of backups is empty: ${file}.`);
  return text;
}

/** Lists what is in a backup. */
export function aboutBackup(manifest: BackupManifest): string {
  const { instance, created, platform, servers, apps, storage, images, notOfOneMoment } = manifest;
  return summaryOf([
    ["installation", `${instance}, at ${created}, version ${platform}`],
    ...servers.map(
      ({ name, major, architecture, embedded }) =>
        [`server ${name}`, `PostgreSQL ${major}, ${architecture}, ${embedded ? "embedded" : "external"}`] as const,
    ),
    ["apps", apps.length === 0 ? "none" : apps.map(({ name, version }) => `${name} ${version}`).join(", ")],
    [
      "storage",
      storage.length === 0 ? "none" : storage.map(({ appId, name }) => `${name} of ${nameIn(apps, appId)}`).join(", "),
    ],
    ["images", images ? "yes" : "no"],
    ...notOfOneMoment.map((sentence) => ["note", sentence] as const),
  ]);
}

/** Returns a line for each row, with the names in a column. */
export function summaryOf(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join("");
}

function nameIn(apps: BackupManifest["apps"], appId: string): string {
  return apps.find(({ id }) => id === appId)?.name ?? appId;
}
