import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { test } from "node:test";
import { type Logger, SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { createTestDatabase, eventually, FakeClock, startTestPostgres, testPool } from "@appserver/testing/kit";
import { databaseSuite } from "../../database.suite.ts";
import { databaseHarness } from "../test/database-harness.ts";
import { PostgresDatabase } from "./postgres-database.ts";

databaseSuite("embedded PostgreSQL", async () => databaseHarness(await startTestPostgres()));

test("a server that ends a connection in the packet that confirms it fails one transaction, not the process", async (t) => {
  const { server, port } = await endingServer();
  t.after(() => void server.close());
  const connection = { host: "127.0.0.1", port, user: "app", password: "", database: "app" };
  const database = new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock: new SystemClock() });
  t.after(() => database.stop());
  await assert.rejects(
    database.transaction((tx) => tx.query("select 1")),
    DatabaseError,
  );
});

/** Accepts every login, and ends each connection in the same packet, as PostgreSQL does when it shuts down at that moment. */
async function endingServer(): Promise<{ readonly server: Server; readonly port: number }> {
  const message = (type: string, body: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const [loggedIn, ready] = [message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))];
  const fields = ["SFATAL", "C57P01", "Mterminating connection due to administrator command"];
  const ended = message("E", Buffer.from(`${fields.join("\0")}\0\0`));
  const server = createServer((socket) => {
    socket.once("data", () => socket.end(Buffer.concat([loggedIn, ready, ended])));
    socket.on("error", () => {});
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

test("the log lines about lost connections name an unavailable database, for the log of outages", async (t) => {
  const server = await startTestPostgres();
  t.after(() => server.stop());
  const logged = new Map<string | undefined, unknown>();
  const logger: Logger = {
    ...silentLogger,
    debug: () => {},
    warn: (fields, message) =>
      void logged.set(message, (fields as { readonly err?: { readonly reason?: unknown } }).err?.reason),
    child: () => logger,
  };
  // Of its own: this test ends every connection to it.
  const fixture = await createTestDatabase(server);
  t.after(() => fixture.stop());
  const database = new PostgresDatabase({ ...testPool, connection: fixture.connection, logger, clock: new SystemClock() });
  t.after(() => database.stop());
  await database.listen("channel", () => {});
  await Promise.all([database.query("select 1"), database.query("select 1")]);
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await eventually(
    () => logged,
    ({ size }) => size === 2,
  );
  assert.deepEqual(Object.fromEntries(logged), {
    "database: an idle connection failed": "unavailable",
    "database: lost the connection for notifications; reconnecting": "unavailable",
  });
});

const nowhere = { host: "127.0.0.1", port: 1, user: "nobody", password: "", database: "none" };

test("no server: every call is unavailable, without other effects", async () => {
  const database = new PostgresDatabase({ ...testPool, connection: nowhere, logger: silentLogger, clock: new SystemClock() });
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

test("whenReachable retries with back-off until aborted", async () => {
  const clock = new FakeClock();
  const tries: string[] = [];
  const logger = {
    ...silentLogger,
    warn: () => tries.push(`at ${clock.monotonic()}`),
    child: () => logger,
  } as typeof silentLogger;
  const database = new PostgresDatabase({ ...testPool, connection: nowhere, logger, clock });
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
