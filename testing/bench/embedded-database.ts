import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PostgresConnection } from "@appserver/database-postgres";
import { databaseFolder } from "../faults/platform-records.ts";

/** Returns the connection to the PostgreSQL that `appserver dev` runs for this data folder. */
export async function embeddedDatabase(dataDir: string): Promise<PostgresConnection> {
  const folder = await databaseFolder(dataDir);
  const [port = "", password = ""] = await Promise.all(
    ["port", "password"].map(async (file) => (await readFile(join(folder, file), "utf8")).trim()),
  );
  return { host: "127.0.0.1", port: Number(port), user: "appserver", password, database: "appserver" };
}
