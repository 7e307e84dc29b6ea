import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { DatabaseLogin } from "@appserver/kernel/ports";
import { eventually, restartWith, startOwnPostgres, type TestPostgres } from "@appserver/testing/kit";
import pg from "pg";
import { PostgresAppDatabases } from "./postgres-app-databases.ts";

const recoveryMs = 10_000;

describe("an app that uses up what all databases share", () => {
  let platform: TestPostgres;
  let server: TestPostgres;
  let databases: PostgresAppDatabases;
  let attacker: DatabaseLogin;
  let victim: DatabaseLogin;
  let isOver = false;
  const options = () => ({
    administrator: server.connection,
    platform: platform.connection,
    sharedServer: false,
    address: server.connection,
    connectionLimit: 5,
    sizeLimitBytes: 1_000_000_000,
    statementTimeoutMs: 60_000,
    idleTransactionTimeoutMs: 60_000,
    clock: new SystemClock(),
    logger: silentLogger,
  });
  before(async () => {
    [platform, server] = await Promise.all([startOwnPostgres(), startOwnPostgres()]);
    await restartWith(server, "max_notify_queue_pages", 64);
    databases = new PostgresAppDatabases(options());
    await databases.start();
    attacker = await databases.open({ appId: randomUUID(), appName: "com.example.attacker" }, 1);
    victim = await databases.open({ appId: randomUUID(), appName: "com.example.victim" }, 1);
    await asVictim((client) => client.query("create table written (at timestamptz)"));
  });
  after(async () => {
    isOver = true;
    await databases?.stop();
    await server?.stop();
    await platform?.stop();
  });

  const connect = async (login: DatabaseLogin): Promise<pg.Client> => {
    const client = new pg.Client({ ...login });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const asVictim = async (work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
    const client = await connect(victim);
    try {
      await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  };
  const write = () =>
    asVictim(async (client) => {
      await client.query("insert into written values (now())");
      await client.query("notify victim");
    });
  /** Repeats the attack with a new session whenever its session was ended. */
  const attack = async (work: (client: pg.Client) => Promise<void>): Promise<void> => {
    const wait = () => new Promise((resolve) => setTimeout(resolve, 20));
    while (!isOver) {
      const client = await connect(attacker).catch(() => undefined);
      if (client) {
        const ended = new Promise<void>((resolve) => client.once("end", resolve));
        await work(client).catch(() => {});
        await ended;
      }
      await wait();
    }
  };
  const closed = async (): Promise<boolean> => {
    const client = await connect(attacker).catch((error: unknown) => error as Error);
    if (client instanceof Error) return /too many connections for role/.test(client.message);
    await client.end();
    return false;
  };

  test("locks: its sessions end, it gets no connections for a while, and others write again within 10 s", async () => {
    const attacking = attack(async (client) => {
      await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
      await client.query("select count(pg_advisory_lock(i)) from generate_series(1, 200000) i").catch(() => {});
    });
    await eventually(closed, undefined, { timeoutMs: recoveryMs });
    await eventually(write, undefined, { timeoutMs: recoveryMs });
    await databases.open({ appId: randomUUID(), appName: "com.example.bystander" }, 1);
    isOver = true;
    await attacking;
  });

  test("a start gives connections back that an earlier process took", async () => {
    assert.equal(await closed(), true);
    await databases.stop();
    databases = new PostgresAppDatabases(options());
    await databases.start();
    assert.equal(await closed(), false);
  });

  test("notifications: the session that keeps the queue full ends, and others notify again within 10 s", async () => {
    // The server wakes it only after a notification that it could store.
    const idle = await connect(victim);
    await idle.query("listen written");
    const listener = await connect(attacker);
    const ended = new Promise<void>((resolve) => listener.once("end", resolve));
    await listener.query("set idle_in_transaction_session_timeout = 0; listen kept");
    await listener.query("begin; select 1");
    const notifier = await connect(attacker);
    const text = "x".repeat(7_000);
    await assert.rejects(
      async () => {
        for (;;) await notifier.query("select pg_notify('kept', $1 || g) from generate_series(1, 200) g", [text]);
      },
      { code: "54000" },
    );
    await ended;
    await eventually(write, undefined, { timeoutMs: recoveryMs });
    for (const client of [notifier, idle]) await client.end().catch(() => {});
  });
});
