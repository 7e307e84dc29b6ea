import { partsOfUrl, tlsOptions } from "@appserver/contracts/database";
import {
  type AppServerInspection,
  appAccessRules,
  inspectAppServer,
  type PostgresConnection,
} from "@appserver/database-postgres";
import type { SectionValues } from "@appserver/options";
import type { databaseSection } from "@appserver/options/sections";
import type { OrchestratorConfig } from "../config/orchestrator-config.ts";

/** Returns the connection of the platform, and that of the role that creates the databases of apps. */
export function appDatabaseConnections({
  containers,
  database,
}: {
  readonly containers: Pick<OrchestratorConfig["containers"], "databaseAdminUrl">;
  readonly database: OrchestratorConfig["database"];
}): {
  readonly administrator: PostgresConnection;
  readonly platform: PostgresConnection;
} {
  const platform = connectionOf(database);
  return { administrator: { ...platform, ...connectionIn(containers.databaseAdminUrl) }, platform };
}

/** Returns the lines of `pg_hba.conf` that keep apps out of other databases, and the roles whose own rules come before them. */
export function appDatabaseRules(config: OrchestratorConfig): {
  readonly lines: readonly string[];
  readonly after: readonly string[];
} {
  const { administrator, platform } = appDatabaseConnections(config);
  return { lines: appAccessRules, after: [...new Set([administrator.user, platform.user])] };
}

/** Returns what is wrong with the server of the apps' databases. Connects to it and to the platform's own one. */
export async function inspectAppDatabases(config: OrchestratorConfig): Promise<AppServerInspection> {
  if (config.containers.isolation === "shared") return { refusals: [], warnings: [] };
  return await inspectAppServer({ ...appDatabaseConnections(config), sharedServer: config.containers.databaseSharedServer });
}

/** Returns the platform's own connection. */
export function connectionOf(database: SectionValues<typeof databaseSection>): PostgresConnection {
  const { host, port, user, password, name, sslMode } = database;
  const ssl = tlsOptions({
    mode: sslMode,
    rootCertificate: database.sslRootCertFile?.text,
    certificate: database.sslCertFile?.text,
    key: database.sslKeyFile?.text,
  });
  return { host, port, user, password, database: name, ssl };
}

/** Every server has it. */
const defaultDatabase = "postgres";

/** Returns what the URL names. The rest is that of the platform's own connection, but for the database, which another server lacks. */
export function connectionIn(url: string | undefined): Partial<PostgresConnection> {
  return url === undefined ? {} : { database: defaultDatabase, ...partsOfUrl(url) };
}
