import { EmbeddedPostgres, PostgresAppDatabases, type PostgresConnection } from "@appserver/database-postgres";
import type { Clock, Lifecycle, Logger } from "@appserver/kernel";
import type { UpConfig } from "../config/up-config.ts";
import { type ServerName, serverFolder } from "../data-folder/server-folders.ts";
import { appDatabaseConnections } from "./app-database-connections.ts";
import { limitsOfApps } from "./drivers.ts";

/** The servers of the data folder that run, and those that the operator has. */
export interface UpDatabases {
  readonly platform: PostgresConnection;
  /** The administrator of the apps' databases. */
  readonly apps: PostgresConnection;
  /** Whether this process runs the server of the apps' databases. */
  readonly areAppsLocal: boolean;
}

/** Starts the PostgreSQL servers of the data folder. `join`: uses those that another process runs. Rejects with EmbeddedPostgresError. */
export async function startDatabases(
  lifecycle: Lifecycle,
  config: UpConfig,
  clock: Clock,
  logger: Logger,
  join = false,
): Promise<UpDatabases> {
  const { databaseDriver, containers } = config;
  const embedded = async (name: ServerName): Promise<PostgresConnection> => {
    const server = new EmbeddedPostgres({ folder: serverFolder(config.up.dataDir, name), join, clock, logger });
    return (await lifecycle.use(server)).connection;
  };
  const areAppsLocal = containers.databaseAdminUrl === undefined;
  const isLocal = databaseDriver.driver === "embedded";
  const configured = appDatabaseConnections(config);
  const [platform, apps] = await Promise.all([
    isLocal ? embedded("platform") : Promise.resolve(configured.platform),
    areAppsLocal ? embedded("apps") : Promise.resolve(configured.administrator),
  ]);
  return { platform, apps, areAppsLocal };
}

/** Creates the databases of apps, which reach their server at `address`. */
export function appDatabasesOf(
  { platform, apps: administrator }: UpDatabases,
  address: { readonly host: string; readonly port: number },
  { containers }: UpConfig,
  clock: Clock,
  logger: Logger,
): PostgresAppDatabases {
  const limits = limitsOfApps(containers);
  return new PostgresAppDatabases({ administrator, platform, sharedServer: false, address, ...limits, clock, logger });
}
