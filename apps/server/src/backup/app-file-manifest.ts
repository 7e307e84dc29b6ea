import { BackupError } from "./backup-error.ts";

/** The format that this version writes, and the newest that it reads. */
export const appFileFormat = 1;

/** A database in a file, as a dump in the custom format of pg_dump. */
export interface DumpedDatabase {
  /** Major version of the server. Only one of this or a newer version takes the dump. */
  readonly server: number;
  /** Major version of pg_dump. An older pg_restore cannot read the dump. */
  readonly client: number;
  /** In the server. The dump is smaller. */
  readonly bytes: number;
}

export interface FiledStorage {
  readonly name: string;
  readonly usedBytes: number;
}

/** The first entry of the file of one app (docs/guides/backup-and-restore.md#one-app). */
export interface AppFileManifest {
  readonly kind: "app";
  readonly format: typeof appFileFormat;
  /** Version of the platform. */
  readonly platform: string;
  readonly instance: string;
  /** The moment of the data. ISO 8601. */
  readonly moment: string;
  /** How long the app was paused for it. Missing if it did not run. */
  readonly pausedMs?: number;
  readonly app: {
    readonly name: string;
    readonly version: string;
    readonly manifestDigest: string;
  };
  /** Missing if the app has none. */
  readonly database?: DumpedDatabase;
  readonly storage: readonly FiledStorage[];
}

/** Names of the entries, besides those that every archive has. Storage is numbered by its place in the manifest. */
export const appStreams = {
  database: "database.dump",
  storage: (index: number): string => `storage/${index}.tar`,
} as const;

/** Throws {@link BackupError} for a manifest of another kind or of a newer version. */
export function parseAppFileManifest(text: string): AppFileManifest {
  const manifest = JSON.parse(text) as AppFileManifest;
  const { kind, format, platform } = manifest as Readonly<Record<"kind" | "format" | "platform", unknown>>;
  if (kind === undefined)
    throw new BackupError("The file is the backup of a platform, and not of one app: restore it without --app.");
  if (kind !== "app" || format !== appFileFormat)
    throw new BackupError(
      `The file is of the kind ${String(kind)} and the format ${String(format)}, and this version reads the kind app and the format ${appFileFormat}: restore it with version ${String(platform)} of the platform.`,
    );
  return manifest;
}
