import { randomBytes } from "node:crypto";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresUrl } from "@appserver/contracts/database";
import { EmbeddedPostgres, type PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { removeDataFolder } from "./remove-data-folder.ts";
import { testPool } from "./test-pool.ts";

/** A running server that several tests of a file may share. */
export interface TestPostgres {
  readonly connection: PostgresConnection;
  stop(): Promise<void>;
}

/** An empty database and an open pool on it. */
export interface TestDatabase {
  readonly connection: PostgresConnection;
  readonly database: PostgresDatabase;
  /** Closes the pool and drops the database. */
  stop(): Promise<void>;
}

/** Names the server that all test files of a run share: its connection as JSON. */
export const postgresVariable = "APPSERVER_TEST_POSTGRES";

/**
 * Returns the server that all test files of this run share, or starts one if there is none. Every test creates a database of its own
 * there (`createTestDatabase`) and leaves the server as it is.
 */
export async function startTestPostgres(): Promise<TestPostgres> {
  const shared = process.env[postgresVariable];
  if (shared === undefined) return await startOwnPostgres();
  return { connection: JSON.parse(shared) as PostgresConnection, stop: async () => {} };
}

/**
 * Starts an embedded server for a test that stops, freezes or configures it, with its data in a temporary folder, which `stop`
 * removes. Takes about a second.
 */
export async function startOwnPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "appserver-test-"));
  // If the tests run as root, the server runs under another account, which must reach the folder.
  await chmod(folder, 0o755);
  const server = new EmbeddedPostgres({ folder: join(folder, "postgres"), logger: silentLogger, clock: new SystemClock() });
  const stop = async (): Promise<void> => {
    await server.stop();
    await removeDataFolder(folder);
  };
  try {
    await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { connection: server.connection, stop };
}

/** Creates a new database on the server, so that tests that share a server share no tables. */
export async function createTestDatabase(server: Pick<TestPostgres, "connection">): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await administer(server.connection, `create database ${name}`);
  const connection = { ...server.connection, database: name };
  const database = new PostgresDatabase({ connection, logger: silentLogger, clock: new SystemClock(), ...testPool });
  return {
    connection,
    database,
    stop: async () => {
      await database.stop();
      await administer(server.connection, `drop database ${name} with (force)`);
    },
  };
}

/** Returns the variable by which an app finds its database (docs/interface/containers.md#environment). */
export function databaseVariables({ connection }: Pick<TestDatabase, "connection">): Readonly<Record<string, string>> {
  const { host, port, database, user, password } = connection;
  return { DATABASE_URL: postgresUrl({ host, port: String(port), database, user, password, sslMode: "disable" }) };
}

async function administer(connection: PostgresConnection, statement: string): Promise<void> {
  const database = new PostgresDatabase({
    connection,
    logger: silentLogger,
    clock: new SystemClock(),
    ...testPool,
    poolSize: 1,
  });
  try {
    await database.query(statement);
  } finally {
    await database.stop();
  }
}
