import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { createTestDatabase, FakeClock, startTestPostgres, testPool } from "@appserver/testing/kit";
import { ensurePostgres, type PostgresServer } from "../../../../tools/services/postgres.ts";
import { type DatabaseHarness, databaseSuite } from "../../database.suite.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { type TlsSettings, tlsOptions } from "./tls-mode.ts";

async function harnessOn(server: { connection: PostgresConnection; stop(): Promise<void> }): Promise<DatabaseHarness> {
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

databaseSuite("embedded PostgreSQL", async () => harnessOn(await startTestPostgres()));

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

const external = await ensurePostgres();
if ("unavailable" in external) {
  test("database contract: external PostgreSQL", { skip: external.unavailable });
} else {
  after(() => external.stop());
  databaseSuite("external PostgreSQL", () => harnessOn({ connection: external, stop: async () => {} }));
  tlsTests(external);
}

/** The test server's certificate is signed by a test authority and names `localhost`. */
function tlsTests(server: PostgresServer): void {
  const { rootCertificate } = server;
  const connect = async (host: string, tls: TlsSettings): Promise<boolean> => {
    const connection = { ...server, host, ssl: tlsOptions(tls) };
    const database = new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock: new SystemClock() });
    try {
      const { rows } = await database.query<{ ssl: boolean }>("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      return rows[0]?.ssl ?? false;
    } finally {
      await database.stop();
    }
  };
  const refused = (host: string, tls: TlsSettings, reason: RegExp): Promise<void> =>
    assert.rejects(connect(host, tls), (error) => error instanceof DatabaseError && reason.test(String(error.cause)));

  test("TLS modes encrypt and verify as libpq's do", async () => {
    assert.equal(await connect("127.0.0.1", { mode: "disable" }), false);
    assert.equal(await connect("127.0.0.1", { mode: "require" }), true);
    assert.equal(await connect("127.0.0.1", { mode: "verify-ca", rootCertificate }), true);
    assert.equal(await connect("localhost", { mode: "verify-full", rootCertificate }), true);
    await refused("127.0.0.1", { mode: "verify-ca" }, /certificate/);
    await refused("localhost", { mode: "verify-full" }, /certificate/);
    await refused("127.0.0.1", { mode: "verify-full", rootCertificate }, /does not match certificate/);
  });

  test("a full pool makes callers wait and never opens more connections", async () => {
    const poolSize = 3;
    const database = new PostgresDatabase({
      ...testPool,
      connection: server,
      logger: silentLogger,
      clock: new SystemClock(),
      poolSize,
    });
    const pids = await Promise.all(
      Array.from({ length: 20 }, () => database.query<{ pid: number }>("select pg_backend_pid() as pid, pg_sleep(0.02)")),
    );
    assert.equal(new Set(pids.map(({ rows }) => rows[0]?.pid)).size, poolSize);
    await database.stop();
  });
}

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
