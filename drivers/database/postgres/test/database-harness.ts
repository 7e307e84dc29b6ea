import { SystemClock, silentLogger } from "@appserver/kernel";
import { createTestDatabase, testPool } from "@appserver/testing/kit";
import type { DatabaseHarness } from "../../database.suite.ts";
import type { PostgresConnection } from "../src/postgres-connection.ts";
import { PostgresDatabase } from "../src/postgres-database.ts";

/** Returns a new database on the server for the suite of the family. Its `close` stops the server, too. */
export async function databaseHarness(server: {
  connection: PostgresConnection;
  stop(): Promise<void>;
}): Promise<DatabaseHarness> {
  const { connection, stop } = await createTestDatabase(server);
  return {
    open: async (options = {}) =>
      new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock: new SystemClock(), ...options }),
    close: async () => {
      await stop();
      await server.stop();
    },
  };
}
