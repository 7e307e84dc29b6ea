import type { ServerName } from "../data-folder/server-folders.ts";
import { BackupError } from "./backup-error.ts";

/** The format that this version writes, and the newest that it reads. */
export const backupFormat = 1;

/** A PostgreSQL server in a backup. */
export interface BackedUpServer {
  readonly name: ServerName;
  /** Only a server of the same version and processor can use the files. */
  readonly major: number;
  readonly architecture: string;
  /** Whether the platform runs the server itself, from its data folder. */
  readonly embedded: boolean;
}

export interface BackedUpStorage {
  readonly appId: string;
  readonly name: string;
}

export interface BackedUpApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly state: string;
}

/** The data of an app as it was in a pause of the app. It takes the place of what was copied while the app ran. */
export interface BackedUpSnapshot {
  readonly appId: string;
  readonly appName: string;
  /** The copies have the name of it. */
  readonly snapshotId: string;
  readonly hasDatabase: boolean;
}

/** The first entry of a backup: what is in it (docs/guides/one-machine.md#backup). */
export interface BackupManifest {
  readonly format: typeof backupFormat;
  /** Version of the platform. */
  readonly platform: string;
  readonly instance: string;
  /** ISO 8601. */
  readonly created: string;
  readonly servers: readonly BackedUpServer[];
  /** Those that were registered when the backup began. */
  readonly apps: readonly BackedUpApp[];
  readonly storage: readonly BackedUpStorage[];
  /** Of apps whose database and storage are of one moment. */
  readonly snapshots: readonly BackedUpSnapshot[];
  /** Whether the images of the platform's own registry are in it. */
  readonly images: boolean;
  /** What was copied at other moments than the rest, in sentences. */
  readonly notOfOneMoment: readonly string[];
}

/** Names of the entries. Storage is numbered: names of apps may be longer than those of entries. */
export const streams = {
  manifest: "manifest.json",
  secrets: "secrets.json",
  folder: "folder.tar",
  images: "images.tar",
  server: (name: ServerName): string => `servers/${name}.tar`,
  storage: (index: number): string => `storage/${index}.tar`,
  contents: "contents.json",
} as const;

/** Throws {@link BackupError} for a manifest of a newer version, or of one app. */
export function parseManifest(text: string): BackupManifest {
  const { kind, format, platform } = JSON.parse(text) as Readonly<Record<"kind" | "format" | "platform", unknown>>;
  if (kind !== undefined)
    throw new BackupError(
      "The file has the data of one app, and not a platform: restore it with --app and the name of the app.",
    );
  if (format === backupFormat) return JSON.parse(text) as BackupManifest;
  throw new BackupError(
    `The backup has format ${String(format)}, and this version reads format ${backupFormat}: restore it with version ${String(platform)} of the platform.`,
  );
}
