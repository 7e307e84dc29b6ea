import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type TlsSettings, tlsOptions } from "@appserver/contracts/database";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { testPool } from "@appserver/testing/kit";
import { ensurePostgres, type PostgresServer } from "../../../../tools/services/postgres.ts";
import { databaseSuite } from "../../database.suite.ts";
import { databaseHarness } from "../test/database-harness.ts";
import { PostgresDatabase } from "./postgres-database.ts";

const external = await ensurePostgres();
if ("unavailable" in external) {
  test("database contract: external PostgreSQL", { skip: external.unavailable });
} else {
  after(() => external.stop());
  databaseSuite("external PostgreSQL", () => databaseHarness({ connection: external, stop: async () => {} }));
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
