import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { testPool } from "./test-pool.ts";

/** The database servers of `appserver dev`: the platform's, and that of the apps. */
export type EmbeddedServer = "postgres" | "postgres-apps";

/**
 * The folder of a database server of `appserver dev`. If its account cannot reach the data folder, the file `location` holds the
 * path.
 */
export async function embeddedDatabaseFolder(dataDir: string, server: EmbeddedServer = "postgres"): Promise<string> {
  const folder = join(dataDir, server);
  const location = await readFile(join(folder, "location"), "utf8").catch(() => undefined);
  return location?.trim() ?? folder;
}

/** Returns the connection to a database server of an `appserver dev` that runs on this data. */
export async function embeddedConnection(dataDir: string, server: EmbeddedServer = "postgres"): Promise<PostgresConnection> {
  const folder = await embeddedDatabaseFolder(dataDir, server);
  const read = async (file: string): Promise<string> => (await readFile(join(folder, file), "utf8")).trim();
  const [port, password] = [await read("port"), await read("password")];
  return { host: "127.0.0.1", port: Number(port), user: "appserver", password, database: "appserver" };
}

/** Runs `work` directly on a platform's database. */
export async function onDatabase<T>(connection: PostgresConnection, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new PostgresDatabase({
    ...testPool,
    connection,
    clock: new SystemClock(),
    logger: silentLogger,
    poolSize: 1,
    idleConnections: 0,
  });
  try {
    return await work(database);
  } finally {
    await database.stop();
  }
}
