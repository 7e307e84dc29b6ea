import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { expectedError, SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError, type ExhaustedResource } from "@appserver/kernel/ports";
import { eventually, restartWith, startOwnPostgres, type TestPostgres, testPool } from "@appserver/testing/kit";
import pg from "pg";
import { PostgresDatabase } from "./postgres-database.ts";

/** What an app can do with a login on the same server, and what the platform does then. */
describe("a server that another session uses up", () => {
  let server: TestPostgres;
  let database: PostgresDatabase;
  before(async () => {
    server = await startOwnPostgres();
    await restartWith(server, "max_notify_queue_pages", 64);
    const { connection } = server;
    database = new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock: new SystemClock() });
    await database.query("create role app login password 'app'");
    await database.query("create table written (at timestamptz)");
  });
  after(async () => {
    await database?.stop();
    await server?.stop();
  });

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...server.connection, user: "app", password: "app" });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const refused = async (work: Promise<unknown>, exhausted: ExhaustedResource, reason: string): Promise<void> => {
    const error = await work.then(
      () => assert.fail("it was not refused"),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof DatabaseError);
    assert.deepEqual([error.reason, error.exhausted], ["unavailable", exhausted], error.message);
    const seen = expectedError(error);
    assert.deepEqual([seen?.code, seen?.details["reason"]], ["SERVICE_UNAVAILABLE", reason]);
  };
  const write = () => database.transaction((tx) => tx.query("insert into written values (now())"));

  test("locks: writes are refused with the reason, ping names it, and both recover", async () => {
    const app = await connect();
    await assert.rejects(app.query("select count(pg_advisory_lock(i)) from generate_series(1, 200000) i"), { code: "53200" });
    // The failed statement keeps what it has locked, and one at a time gets the rest.
    await app.query("select 1");
    for (let n = 300_000; ; n += 1)
      if (
        await app.query("select pg_advisory_lock($1)", [n]).then(
          () => false,
          () => true,
        )
      )
        break;
    // Each table needs a lock of its own, beyond those that a process keeps for itself.
    const many = Array.from({ length: 40 }, (_, n) => `create table many_${n} (a int);`).join("");
    await refused(database.query(many), "locks", "database_out_of_locks");
    await assert.rejects(database.ping(), /out of locks/);
    await app.end();
    await eventually(() => database.ping(), undefined, { timeoutMs: 5_000 });
    await write();
  });

  test("notifications: commits are refused with the reason, ping names it, and both recover", async () => {
    const own: string[] = [];
    const subscription = await database.listen("own", (payload) => own.push(payload));
    const [listener, notifier] = [await connect(), await connect()];
    await listener.query("listen kept");
    await listener.query("begin; select 1");
    const text = "x".repeat(7_000);
    await assert.rejects(
      async () => {
        for (;;) await notifier.query("select pg_notify('kept', $1 || g) from generate_series(1, 200) g", [text]);
      },
      { code: "54000" },
    );
    const notify = () => database.transaction((tx) => tx.query("select pg_notify('own', '')"));
    await refused(notify(), "notifications", "database_notifications_full");
    await assert.rejects(database.ping(), /notification queue/);
    await listener.end();
    await eventually(() => database.ping(), undefined, { timeoutMs: 5_000 });
    // The platform's listener is behind as well, and the server wakes it only after a notification that it could store.
    await eventually(notify, undefined, { timeoutMs: 5_000 });
    await eventually(async () => {
      await notify();
      return own.length > 0;
    });
    await subscription.close();
    await notifier.end();
  });

  test("connections: new ones are refused with the reason, ping names it, and both recover", async () => {
    const { connection } = server;
    const modest = { ...connection, user: "app", password: "app" };
    const other = new PostgresDatabase({ ...testPool, connection: modest, logger: silentLogger, clock: new SystemClock() });
    const clients: pg.Client[] = [];
    await assert.rejects(
      async () => {
        for (;;) clients.push(await connect());
      },
      { code: "53300" },
    );
    await refused(other.query("select 1"), "connections", "database_out_of_connections");
    await assert.rejects(other.ping(), /no more connections/);
    await Promise.all(clients.map((client) => client.end()));
    await eventually(() => other.ping(), undefined, { timeoutMs: 5_000 });
    await other.stop();
  });
});
