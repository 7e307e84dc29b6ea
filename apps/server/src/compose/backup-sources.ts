import { type PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { type Clock, Lifecycle, type Logger, SystemClock } from "@appserver/kernel";
import { createAppSnapshots } from "@appserver/orchestration";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import type { OrchestratorConfig } from "../config/orchestrator-config.ts";
import type { UpConfig } from "../config/up-config.ts";
import { holdDataFolder, lockDataFolder } from "../data-folder/data-folder.ts";
import { appDatabaseConnections, connectionIn } from "./app-database-connections.ts";
import { poolOptions } from "./drivers.ts";
import type { BackupSource } from "./make-backup.ts";
import { pulledFolders } from "./pulled-folders.ts";
import { startDatabases } from "./up-databases.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Does work with what a backup of `appserver up` copies. Starts the databases if the platform is stopped, and joins them if it runs. */
export async function withUpSource<T>(
  config: UpConfig,
  options: Environment,
  logger: Logger,
  work: (source: BackupSource) => Promise<T>,
): Promise<T> {
  return await inLifecycle(logger, async (lifecycle, clock) => {
    const { dataDir } = config.up;
    const { database, runs, servers } = await openUpDatabase(lifecycle, config, clock, logger);
    const { platform, apps, areAppsLocal } = servers;
    const runtime = await openDriver(config.drivers.containers, {
      pullPolicy: "always",
      processes: pulledFolders({ stateFolder: processesFolder(dataDir), stopOnClose: false }),
    });
    await lifecycle.use({ name: "containers", stop: () => runtime.close() });
    return await work({
      instance: config.server.instance,
      database,
      appsRun: runs || runtime.abilities.outlivesProcess,
      snapshots: runs && areAppsLocal ? createAppSnapshots({ database, clock }) : undefined,
      servers: serversOf(config.backup, {
        platform: { connection: platform, embedded: config.databaseDriver.driver === "embedded" },
        apps: { connection: apps, embedded: areAppsLocal },
      }),
      runtime,
      dataDir,
      options,
    });
  });
}

/** Opens the database of a platform of `appserver up`. Starts its servers if it is stopped, and joins them if it runs. */
export async function openUpDatabase(lifecycle: Lifecycle, config: UpConfig, clock: Clock, logger: Logger) {
  const runs = await isRunning(lifecycle, config.up.dataDir);
  const servers = await startDatabases(lifecycle, config, clock, logger, runs);
  const database = new PostgresDatabase({ connection: servers.platform, ...poolOptions(config.database), clock, logger });
  return { database: await lifecycle.use(database), runs, servers };
}

/** Does the same for a platform of `serve` and `orchestrate`. */
export async function withSource<T>(
  config: OrchestratorConfig,
  logger: Logger,
  work: (source: BackupSource) => Promise<T>,
): Promise<T> {
  return await inLifecycle(logger, async (lifecycle, clock) => {
    const { platform, administrator } = appDatabaseConnections(config);
    const runtime = await openDriver(config.drivers.containers, {
      pullPolicy: "always",
      processes: pulledFolders({ stopOnClose: false }),
    });
    await lifecycle.use({ name: "containers", stop: () => runtime.close() });
    const database = new PostgresDatabase({ connection: platform, ...poolOptions(config.database), clock, logger });
    return await work({
      instance: config.options.instance,
      database: await lifecycle.use(database),
      appsRun: true,
      // Operators start the restored servers, so that no restore gives an app its copy.
      snapshots: undefined,
      servers: serversOf(config.backup, {
        platform: { connection: platform, embedded: false },
        apps: { connection: administrator, embedded: false },
      }),
      runtime,
      dataDir: undefined,
      options: Object.fromEntries(Object.entries(config.environment).filter(([name]) => name.startsWith("APPSERVER_"))),
    });
  });
}

/** Where `appserver up` keeps apps that are processes. */
export function processesFolder(dataDir: string): string {
  return `${dataDir}/processes`;
}

export async function inLifecycle<T>(logger: Logger, work: (lifecycle: Lifecycle, clock: Clock) => Promise<T>): Promise<T> {
  const lifecycle = new Lifecycle({
    onError: (component, error) => logger.error({ err: error, component }, "backup: a component did not stop cleanly"),
  });
  try {
    return await work(lifecycle, new SystemClock());
  } finally {
    await lifecycle.stop();
  }
}

/** Returns whether the platform runs. If it does not, it cannot start until the end of the lifecycle. */
export async function isRunning(lifecycle: Lifecycle, dataDir: string): Promise<boolean> {
  const lock = lockDataFolder(dataDir);
  if ("heldBy" in lock) return true;
  lock.release();
  const folder = await holdDataFolder(dataDir);
  await lifecycle.use({ name: "data folder", stop: () => folder.release() });
  return false;
}

type Servers = Readonly<Record<"platform" | "apps", { readonly connection: PostgresConnection; readonly embedded: boolean }>>;

function serversOf({ databaseUrl, appsDatabaseUrl }: UpConfig["backup"], { platform, apps }: Servers): BackupSource["servers"] {
  const own = { name: "platform", ...platform, connection: { ...platform.connection, ...credentialsOf(databaseUrl) } } as const;
  const { host, port } = apps.connection;
  if (platform.connection.host === host && platform.connection.port === port) return [own];
  return [own, { name: "apps", ...apps, connection: { ...apps.connection, ...credentialsOf(appsDatabaseUrl) } }];
}

/** A URL without a database leaves that of the connection. */
function credentialsOf(url: string | undefined): Partial<PostgresConnection> {
  if (url === undefined) return {};
  const { database, ...parts } = connectionIn(url);
  return new URL(url).pathname.length > 1 ? { ...parts, ...(database !== undefined && { database }) } : parts;
}
