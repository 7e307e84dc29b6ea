import type { Backups } from "@appserver/backups";
import { PostgresDatabase } from "@appserver/database-postgres";
import type { Logger } from "@appserver/kernel";
import type { OrchestratorConfig } from "../config/orchestrator-config.ts";
import type { UpConfig } from "../config/up-config.ts";
import { appDatabaseConnections } from "./app-database-connections.ts";
import { inLifecycle, openUpDatabase } from "./backup-sources.ts";
import { poolOptions } from "./drivers.ts";
import { backupsOf } from "./record-backup.ts";

type Records = Backups["records"];

/** Does work with the records of a platform of `appserver up`, which may be stopped. */
export async function withUpRecords<T>(config: UpConfig, logger: Logger, work: (records: Records) => Promise<T>): Promise<T> {
  return await inLifecycle(logger, async (lifecycle, clock) => {
    const { database } = await openUpDatabase(lifecycle, config, clock, logger);
    return await work(backupsOf(database, config.server.instance, clock).records);
  });
}

/** Does the same for a platform of `serve` and `orchestrate`. */
export async function withRecords<T>(
  config: OrchestratorConfig,
  logger: Logger,
  work: (records: Records) => Promise<T>,
): Promise<T> {
  return await inLifecycle(logger, async (lifecycle, clock) => {
    const { platform: connection } = appDatabaseConnections(config);
    const database = new PostgresDatabase({ connection, ...poolOptions(config.database), clock, logger });
    await lifecycle.use(database);
    return await work(backupsOf(database, config.options.instance, clock).records);
  });
}
