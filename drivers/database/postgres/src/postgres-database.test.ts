import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { createTestDatabase, FakeClock, startTestPostgres } from "@appserver/testing/kit";
import { type DatabaseHarness, databaseSuite } from "../../database.suite.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { PostgresDatabase } from "./postgres-database.ts";

async function harnessOn(server: { connection: PostgresConnection; stop(): Promise<void> }): Promise<DatabaseHarness> {
  const { connection, stop } = await createTestDatabase(server);
  return {
    open: async (options = {}) =>
      new PostgresDatabase({ connection, logger: silentLogger, clock: new SystemClock(), ...options }),
    close: async () => {
      await stop();
      await server.stop();
    },
  };
}

databaseSuite("embedded PostgreSQL", async () => harnessOn(await startTestPostgres()));

const externalUrl = process.env["APPSERVER_TEST_DATABASE_URL"];
if (externalUrl) {
  const url = new URL(externalUrl);
  const connection: PostgresConnection = {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
  databaseSuite("external PostgreSQL", () => harnessOn({ connection, stop: async () => {} }));
} else {
  test("database contract: external PostgreSQL", { skip: "APPSERVER_TEST_DATABASE_URL is not set" });
}

const nowhere = { host: "127.0.0.1", port: 1, user: "nobody", password: "", database: "none" };

test("no server: every call is unavailable, and nothing else happens", async () => {
  const database = new PostgresDatabase({ connection: nowhere, logger: silentLogger, clock: new SystemClock() });
  const unavailable = (error: unknown) => error instanceof DatabaseError && error.reason === "unavailable";
  await assert.rejects(database.query("select 1"), unavailable);
  await assert.rejects(
    database.transaction(async () => {}),
    unavailable,
  );
  await assert.rejects(
    database.listen("channel", () => {}),
    unavailable,
  );
  await assert.rejects(database.ping(), unavailable);
  await assert.rejects(database.migrate([]), unavailable);
  await database.stop();
  await assert.rejects(database.query("select 1"), unavailable);
});

test("whenReachable tries with back-off until aborted", async () => {
  const clock = new FakeClock();
  const tries: string[] = [];
  const logger = {
    ...silentLogger,
    warn: () => tries.push(`at ${clock.monotonic()}`),
    child: () => logger,
  } as typeof silentLogger;
  const database = new PostgresDatabase({ connection: nowhere, logger, clock });
  const abort = new AbortController();
  const reachable = database.whenReachable(abort.signal);
  for (const [pause, count] of [
    [100, 1],
    [200, 2],
    [400, 3],
  ] as const) {
    while (tries.length < count || clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(pause);
  }
  abort.abort(new Error("enough"));
  await assert.rejects(reachable, /enough/);
  assert.deepEqual(tries.slice(0, 3), ["at 0", "at 100", "at 300"]);
  await database.stop();
});
