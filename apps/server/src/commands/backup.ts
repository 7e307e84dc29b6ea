import { readFileSync } from "node:fs";
import { messageOf } from "@appserver/kernel";
import { pick, readConfiguration, type SectionValues } from "@appserver/options";
import { allSections, backupSection } from "@appserver/options/sections";
import { BackupError } from "../backup/backup-error.ts";
import type { LockingKey, UnlockingKey } from "../backup/encryption.ts";
import type { BackupManifest } from "../backup/manifest.ts";
import { type OpenedPlace, openPlace, type PlaceOptions } from "../backup/open-place.ts";
import { loadOrchestratorConfig, loadUpConfig } from "../config/load-config.ts";
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
  const { dataDir, flags, environment } = on;
  const isUp = dataDir !== undefined;
  const config = isUp
    ? await loadUpConfig(flags, { ...environment, APPSERVER_DATA_DIR: dataDir })
    : await loadOrchestratorConfig(flags, environment);
  const key = lockingKey(given, config.backup);
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel, output: "standard error" });
  const now = new Date();
  return await (isUp
    ? withUpSource(config as Awaited<ReturnType<typeof loadUpConfig>>, environment, logger, run)
    : withSource(config as Awaited<ReturnType<typeof loadOrchestratorConfig>>, logger, run));

  async function run(source: Parameters<Parameters<typeof withSource>[2]>[0]): Promise<number> {
    const withImages = config.backup.images && given["without-images"] !== true;
    const target = await targetOf(given.to, config.backup);
    const { recordBackup } = await import("../compose/record-backup.ts");
    const made = await recordBackup({ source, target, key, withImages, now, keep: config.backup.keep });
    write(`${aboutBackup(made.manifest)}Written to ${made.location}, ${made.bytes} bytes.\n`);
    return 0;
  }
}

/** Runs `appserver restore`. Returns the exit code. Throws UsageError for other words and flags. */
export async function restore(words: readonly string[], given: BackupFlags, on: OnDataFolder, write: Write): Promise<number> {
  const [file, ...rest] = words;
  refuseWords(rest, "appserver restore <file> --data <folder>");
  const { dataDir, environment } = on;
  const isTrial = given["dry-run"] === true;
  if (file === undefined || (dataDir === undefined && !isTrial)) throw new UsageError(usageOf("restore") ?? "");
  const { restoreBackup, verifyBackup } = await import("../compose/restore-backup.ts");
  const { place, name } = await openPlace(file, placeOptions(environment));
  if (name === undefined) throw new UsageError("expected a file, or an object of S3 that ends with .age");
  const source = { name: file, read: () => place.read(name), key: unlockingKey(given, environment) };
  if (isTrial || dataDir === undefined) {
    const { manifest, bytes } = await verifyBackup(source);
    write(`${aboutBackup(manifest)}The file is whole and undamaged, ${bytes} bytes. Nothing was changed.\n`);
    return 0;
  }
  const logger = openLog({ service: "appserver", level: "warn", output: "standard error" });
  const manifest = await restoreBackup({ file: source, dataDir, environment, logger, withStorage: true });
  write(`${aboutBackup(manifest)}Restored into ${dataDir}. Start the platform on it.\n`);
  return 0;
}

/** Opens the target of a command. Throws UsageError if none is given or configured. */
export async function targetOf(given: string | undefined, configured: BackupOptions): Promise<OpenedPlace> {
  const to = given ?? configured.to;
  if (to === undefined) throw new UsageError("--to is missing: expected a file, a folder, or s3://<bucket>/<prefix>");
  return await openPlace(to, configured);
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

export function unlockingKey(given: BackupFlags, environment: Environment): UnlockingKey {
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

function aboutBackup(manifest: BackupManifest): string {
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
