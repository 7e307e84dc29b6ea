import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";

/** Where `appserver dev` keeps its database: elsewhere where its account cannot reach the folder; `location` says where. */
export async function embeddedDatabaseFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, "postgres");
  const location = await readFile(join(folder, "location"), "utf8").catch(() => undefined);
  return location?.trim() ?? folder;
}

/** How to reach the database of an `appserver dev` that runs on this data. */
export async function embeddedConnection(dataDir: string): Promise<PostgresConnection> {
  const folder = await embeddedDatabaseFolder(dataDir);
  const read = async (file: string): Promise<string> => (await readFile(join(folder, file), "utf8")).trim();
  const [port, password] = [await read("port"), await read("password")];
  return { host: "127.0.0.1", port: Number(port), user: "appserver", password, database: "appserver" };
}

/** Works on a platform's database, past the platform. */
export async function onDatabase<T>(connection: PostgresConnection, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new PostgresDatabase({
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
