import { PostgresDatabase } from "@appserver/database-postgres";
import { Lifecycle, type Logger, SystemClock } from "@appserver/kernel";
import { createAppSnapshots } from "@appserver/orchestration";
import type { BackupManifest } from "../backup/manifest.ts";
import type { UpConfig } from "../config/up-config.ts";
import { poolOptions } from "./drivers.ts";
import { backupsOf } from "./record-backup.ts";
import { appDatabasesOf, startDatabases } from "./up-databases.ts";

/**
 * Starts the restored servers once, and gives each app the database of its snapshot. A server that cannot start makes the restore fail
 * here, and not later.
 */
export async function finishServers(config: UpConfig, manifest: BackupManifest, logger: Logger): Promise<void> {
  const clock = new SystemClock();
  const lifecycle = new Lifecycle({
    onError: (component, error) => logger.error({ err: error, component }, "restore: a component did not stop cleanly"),
  });
  try {
    const servers = await startDatabases(lifecycle, config, clock, logger);
    const database = new PostgresDatabase({ connection: servers.platform, ...poolOptions(config.database), clock, logger });
    await lifecycle.use(database);
    // Of the backup itself, which is not made here.
    await backupsOf(database, manifest.instance, clock).records.removeUnfinished();
    if (manifest.snapshots.length === 0) return;
    const { host, port } = servers.apps;
    const databases = await lifecycle.use(appDatabasesOf(servers, { host, port }, config, clock, logger));
    const snapshots = createAppSnapshots({ database, clock });
    for (const { appId, appName, snapshotId, hasDatabase } of manifest.snapshots) {
      const owner = { appId, appName };
      if (hasDatabase) await databases.restoreCopy(owner, snapshotId, owner);
      await databases.removeCopy(snapshotId);
      await snapshots.remove(snapshotId);
    }
  } finally {
    await lifecycle.stop();
  }
}
