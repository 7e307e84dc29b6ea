import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReadDatabase, readTables, removeEmbedded } from "@appserver/database-postgres";
import type { Logger } from "@appserver/kernel";
import { appVersions } from "@appserver/marketplace";
import { BackupError } from "../backup/backup-error.ts";
import type { BackedUpServer, BackupManifest } from "../backup/manifest.ts";
import { loadUpConfig } from "../config/load-config.ts";
import { withOperatorOptions } from "../data-folder/operator-options.ts";
import { serverFolder } from "../data-folder/server-folders.ts";
import { inLifecycle, openUpDatabase } from "./backup-sources.ts";
import { decryptEverything } from "./key-rotation.ts";
import { type BackupFile, restoreBackup } from "./restore-backup.ts";

/** What a test has read of a restored backup. */
export interface TestedBackup {
  readonly manifest: BackupManifest;
  readonly apps: number;
  /** Secret settings that were decrypted, as all other secrets were. */
  readonly secrets: number;
  readonly databases: readonly (ReadDatabase & { readonly server: BackedUpServer["name"] })[];
}

/**
 * Restores a backup of `appserver up` into a temporary folder, starts its databases, and reads every table and every secret. Removes the folder.
 * Storage of apps is compared with its sums, and written nowhere. Rejects with BackupError if the backup cannot be used.
 */
export async function testBackup(file: BackupFile, logger: Logger): Promise<TestedBackup> {
  const folder = await mkdtemp(join(tmpdir(), "appserver-restore-test-"));
  const dataDir = join(folder, "data");
  try {
    // If root tests, the databases run under another account, which needs access to the folder.
    await chmod(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
    const manifest = await restoreBackup({ file, dataDir, environment: {}, logger, isTest: true });
    return { manifest, ...(await readEverything(dataDir, logger)) };
  } finally {
    for (const server of ["platform", "apps"] as const) await removeEmbedded(serverFolder(dataDir, server));
    await rm(folder, { recursive: true, force: true });
  }
}

async function readEverything(dataDir: string, logger: Logger): Promise<Omit<TestedBackup, "manifest">> {
  const config = await loadUpConfig({}, await withOperatorOptions(dataDir, { APPSERVER_DATA_DIR: dataDir }));
  return await inLifecycle(logger, async (lifecycle, clock) => {
    const { database, servers } = await openUpDatabase(lifecycle, config, clock, logger);
    const databases = [];
    for (const server of ["platform", "apps"] as const)
      for (const read of await readTables(servers[server])) databases.push({ server, ...read });
    const { rotated, unreadable } = await decryptEverything(database, config, logger);
    const [first] = unreadable;
    if (first)
      throw new BackupError(
        `The backup cannot be used: ${unreadable.length} secrets cannot be decrypted, the first one of ${first.owner}: ${first.problem}.`,
      );
    return { apps: (await appVersions(database)).length, secrets: rotated, databases };
  });
}
