import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger, uuidv7 } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import {
  createTestDatabase,
  eventually,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
  testPool,
} from "@appserver/testing/kit";
import { brokerSuite } from "../../broker.suite.ts";
import type { BrokerHarness } from "../../broker-fixture.ts";
import { brokerMigrations } from "./broker-migrations.ts";
import { MessageStore } from "./message-store.ts";
import { PostgresBroker, type PostgresBrokerOptions } from "./postgres-broker.ts";

const clock = new SystemClock();
const visibilityMs = 600;

async function createHarness(): Promise<BrokerHarness> {
  const server = await startTestPostgres();
  const { connection, database, stop } = await createTestDatabase(server);
  await database.migrate(brokerMigrations);
  return {
    ordersAcrossProcesses: true,
    open: async () => {
      // A separate pool acts as another process.
      const pool = new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock });
      const broker = brokerOn(pool, { visibilityMs, stopTimeoutMs: 200, pollMs: 200 });
      await broker.start();
      const stopBroker = broker.stop.bind(broker);
      return Object.assign(broker, {
        stop: async () => {
          await stopBroker();
          await pool.stop();
        },
      });
    },
    spawnHangingConsumer: (options) => {
      const script = join(import.meta.dirname, "..", "test", "hang-on-events.ts");
      const args = [script, JSON.stringify(connection), JSON.stringify(options), String(visibilityMs)];
      return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    },
    close: async () => {
      await stop();
      await server.stop();
    },
  };
}

function brokerOn(database: PostgresDatabase, options: Partial<PostgresBrokerOptions> = {}): PostgresBroker {
  return new PostgresBroker({
    database,
    clock,
    logger: silentLogger,
    prefetch: 10,
    maxRetries: 5,
    retryDelayMs: () => 20,
    ...options,
  });
}

brokerSuite("PostgreSQL", createHarness);

describe("PostgreSQL broker", { timeout: 60_000 }, () => {
  let server: TestPostgres;
  let fixture: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate(brokerMigrations);
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });

  const event = (type: string, subject = "app"): EventEnvelope => ({
    id: uuidv7(),
    type,
    source: "/appserver/test",
    subject,
    time: new Date().toISOString(),
    body: {},
  });

  test("reports how many messages wait in each queue, and how many are dead", async () => {
    const broker = brokerOn(fixture.database, { pollMs: 20 });
    await broker.start();
    const handled = Promise.withResolvers<void>();
    const subscription = await broker.consume({ prefix: "depth.", types: ["app.counted"], maxRetries: 0 }, async () => {
      handled.resolve();
      throw new Error("never");
    });
    await broker.publish([event("app.counted")]);
    await handled.promise;
    const depth = async () => (await broker.queueDepths()).find(({ queue }) => queue === "depth.app.counted");
    while ((await depth())?.dead !== 1) await clock.sleep(10);
    await subscription.close();
    await broker.publish([event("app.counted"), event("app.counted")]);
    assert.deepEqual(await depth(), { queue: "depth.app.counted", pending: 2, dead: 1 });
    await broker.stop();
  });

  test("notifications, not polling, wake consumers", async () => {
    const broker = brokerOn(fixture.database, { pollMs: 3_600_000 });
    await broker.start();
    const order: string[] = [];
    const all = Promise.withResolvers<void>();
    await broker.consume({ prefix: "prompt.", types: ["prompt.event"] }, async ({ event: { id } }) => {
      order.push(id);
      if (order.length === 3) all.resolve();
    });
    const events = [event("prompt.event"), event("prompt.event"), event("prompt.event")];
    for (const each of events) await broker.publish([each]);
    await all.promise;
    assert.deepEqual(
      order,
      events.map(({ id }) => id),
    );
    await broker.stop();
  });

  test("an event of a consumer that was killed is delivered at once after all claims were released", async () => {
    const options = { prefix: "killed.", types: ["killed.event"] };
    const store = new MessageStore(fixture.database);
    const broker = brokerOn(fixture.database, { visibilityMs: 3_600_000, pollMs: 20 });
    await broker.start();
    await (await broker.consume(options, async () => {})).close();
    await broker.publish([event("killed.event")]);
    assert.equal((await store.claim(["killed.killed.event"], uuidv7(), 10, 3_600_000)).length, 1);
    await broker.releaseAll();
    const delivered = Promise.withResolvers<number>();
    await broker.consume(options, async ({ attempt }) => delivered.resolve(attempt));
    assert.equal(await delivered.promise, 2);
    await broker.stop();
  });

  test("the claim of a long handler is extended: no other consumer gets its event", async () => {
    const options = { prefix: "long.", types: ["long.event"] };
    const first = brokerOn(fixture.database, { visibilityMs: 1_000, pollMs: 50 });
    const second = brokerOn(fixture.database, { visibilityMs: 1_000, pollMs: 50 });
    await Promise.all([first.start(), second.start()]);
    const attempts: number[] = [];
    const slow = async ({ attempt }: { attempt: number }): Promise<void> => {
      attempts.push(attempt);
      await clock.sleep(3_000);
    };
    await first.consume(options, slow);
    await second.consume(options, slow);
    await first.publish([event("long.event")]);
    await eventually(() => attempts.length > 0);
    await clock.sleep(2_500);
    await Promise.all([first.stop(), second.stop()]);
    assert.deepEqual(attempts, [1]);
    assert.equal((await fixture.database.query("select 1 from broker.messages where queue = 'long.long.event'")).count, 0);
  });

  test("an event that kills its consumers every time ends as a dead letter", async () => {
    const broker = brokerOn(fixture.database, { pollMs: 20 });
    await broker.start();
    await (await broker.consume({ prefix: "killer.", types: ["killer.event"] }, async () => {})).close();
    await broker.publish([event("killer.event")]);
    await fixture.database.query("update broker.messages set attempt = 3 where queue = 'killer.killer.event'");
    const delivered: number[] = [];
    await broker.consume({ prefix: "killer.", types: ["killer.event"], maxRetries: 2 }, async ({ attempt }) => {
      delivered.push(attempt);
    });
    let letters = await broker.deadLetters("killer.killer.event", 1);
    for (; letters.length === 0; await clock.sleep(10)) letters = await broker.deadLetters("killer.killer.event", 1);
    assert.deepEqual([letters[0]?.attempts, letters[0]?.error], [3, "its consumers ended before they settled it"]);
    assert.deepEqual(delivered, []);
    await broker.stop();
  });

  test("after its listening connection was lost, observers get the events published in between", async () => {
    const broker = brokerOn(fixture.database);
    await broker.start();
    const heard: string[] = [];
    await broker.observe(["missed.event"], ({ id }) => heard.push(id));
    const events = [event("missed.event"), event("missed.event")];
    const other = new PostgresDatabase({ ...testPool, connection: fixture.connection, logger: silentLogger, clock });
    await fixture.database.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and query ilike 'listen %'",
    );
    await brokerOn(other).publish(events);
    while (heard.length < 2) await clock.sleep(10);
    assert.deepEqual(
      heard,
      events.map(({ id }) => id),
    );
    await other.stop();
    await broker.stop();
  });

  test("old observed events are deleted", async () => {
    const broker = brokerOn(fixture.database, { observedRetentionMs: 40 });
    await broker.start();
    await broker.publish([event("swept.event")]);
    const kept = async (): Promise<number> => (await fixture.database.query("select 1 from broker.recent_events")).count;
    while ((await kept()) > 0) await clock.sleep(10);
    await broker.stop();
  });

  test("publishing is all or nothing", async () => {
    const broker = brokerOn(fixture.database);
    const consuming = await broker.consume({ prefix: "atomic.", types: ["atomic.event"] }, async () => {});
    await consuming.close();
    const unstorable = { ...event("atomic.event"), subject: "zero \u0000 character" };
    await assert.rejects(broker.publish([event("atomic.event"), unstorable]));
    assert.equal((await fixture.database.query("select 1 from broker.messages where queue like 'atomic.%'")).count, 0);
    await broker.stop();
  });
});
