import type { AppSnapshots, SnapshotImports } from "@appserver/contracts/deployments";
import {
  type DumpClients,
  findDumpClients,
  fittingClients,
  majorOfServer,
  type PostgresConnection,
  PostgresDatabase,
} from "@appserver/database-postgres";
import { type Clock, type Logger, SqlLeases } from "@appserver/kernel";
import type { ContainerRuntime, Database, Leases } from "@appserver/kernel/ports";
import { findInstalledApp, type InstalledApp } from "@appserver/marketplace";
import { createAppSnapshots, createSnapshotImports } from "@appserver/orchestration";
import { BackupError } from "../backup/backup-error.ts";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import type { OrchestratorConfig } from "../config/orchestrator-config.ts";
import type { UpConfig } from "../config/up-config.ts";
import { processName } from "../process-name.ts";
import { appDatabaseConnections } from "./app-database-connections.ts";
import { inLifecycle, isRunning, processesFolder } from "./backup-sources.ts";
import { poolOptions } from "./drivers.ts";
import { pulledFolders } from "./pulled-folders.ts";
import { startDatabases } from "./up-databases.ts";

/** A running platform, as far as the file of an app needs it. */
export interface AppFilePlatform {
  readonly instance: string;
  readonly database: Database;
  readonly snapshots: AppSnapshots;
  readonly imports: SnapshotImports;
  readonly leases: Leases;
  readonly runtime: Pick<ContainerRuntime, "readStorage" | "writeStorage">;
  /** Of the server of the apps' databases. Undefined if apps have none of their own. */
  readonly apps: AppDatabaseServer | undefined;
  readonly clock: Clock;
}

export interface AppDatabaseServer {
  readonly administrator: PostgresConnection;
  readonly major: number;
  /** The clients on this machine that fit this server, and dumps of this version. Throws BackupError if there are none. */
  readonly clientsFor: (dumped?: number) => DumpClients;
}

/** `path`: the value of PATH. */
interface Given {
  readonly path: string | undefined;
  readonly logger: Logger;
}

/** Does work with a platform of `appserver up`. Rejects with BackupError if it does not run, or if this machine has no clients that fit. */
export async function withUpApps<T>(
  config: UpConfig,
  given: Given,
  work: (platform: AppFilePlatform) => Promise<T>,
): Promise<T> {
  const { logger } = given;
  return await inLifecycle(logger, async (lifecycle, clock) => {
    const { dataDir } = config.up;
    if (!(await isRunning(lifecycle, dataDir)))
      throw new BackupError(`The platform in ${dataDir} does not run, and the file of one app needs it: start it.`);
    const { platform, apps } = await startDatabases(lifecycle, config, clock, logger, true);
    const processes = pulledFolders({ stateFolder: processesFolder(dataDir), stopOnClose: false });
    const runtime = await openDriver(config.drivers.containers, { pullPolicy: "always", processes });
    await lifecycle.use({ name: "containers", stop: () => runtime.close() });
    const database = new PostgresDatabase({ connection: platform, ...poolOptions(config.database), clock, logger });
    await lifecycle.use(database);
    const { instance } = config.server;
    return await work({ instance, runtime, clock, ...storesOf(database, clock), apps: await serverOf(apps, given.path) });
  });
}

/** Does the same for a platform of `serve` and `orchestrate`. An orchestrator must run. */
export async function withApps<T>(
  config: OrchestratorConfig,
  { path, logger }: Given,
  work: (platform: AppFilePlatform) => Promise<T>,
): Promise<T> {
  return await inLifecycle(logger, async (lifecycle, clock) => {
    const { platform, administrator } = appDatabaseConnections(config);
    const apps = config.containers.isolation === "shared" ? undefined : await serverOf(administrator, path);
    const processes = pulledFolders({ stopOnClose: false });
    const runtime = await openDriver(config.drivers.containers, { pullPolicy: "always", processes });
    await lifecycle.use({ name: "containers", stop: () => runtime.close() });
    const database = new PostgresDatabase({ connection: platform, ...poolOptions(config.database), clock, logger });
    await lifecycle.use(database);
    return await work({ instance: config.options.instance, runtime, clock, ...storesOf(database, clock), apps });
  });
}

/** Returns an app with data of its own. Rejects with BackupError if there is none. */
export async function requireInstalled({ database, instance }: AppFilePlatform, name: string): Promise<InstalledApp> {
  const app = await findInstalledApp(database, name);
  if (!app) throw new BackupError(`The app ${name} is not installed in the installation ${instance}.`);
  if (app.hasContainer) return app;
  throw new BackupError(`The app ${name} has no container, and so the platform keeps no data of it.`);
}

function storesOf(database: Database, clock: Clock) {
  const leases = new SqlLeases({ database, holder: `app-file@${processName}` });
  return {
    database,
    leases,
    snapshots: createAppSnapshots({ database, clock }),
    imports: createSnapshotImports({ database, clock }),
  };
}

async function serverOf(administrator: PostgresConnection, path: string | undefined): Promise<AppDatabaseServer> {
  const major = await majorOfServer(administrator);
  const found = await findDumpClients(path);
  const clientsFor = (dumped = major): DumpClients => {
    const needed = Math.max(major, dumped);
    const clients = fittingClients(found, needed);
    if (clients) return clients;
    const present = found.length === 0 ? "none" : found.map((each) => each.major).join(", ");
    throw new BackupError(
      `The database of an app needs pg_dump and pg_restore of PostgreSQL ${needed} or newer, and this machine has ${present} in PATH and /usr/lib/postgresql: install the Debian package postgresql-client-${needed}.`,
    );
  };
  clientsFor();
  return { administrator, major, clientsFor };
}
