import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { PostgresDatabase } from "@appserver/database-postgres";
import {
  createTestDatabase,
  eventually,
  recordsMigrations,
  SqlEventHistory,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
  testPool,
} from "@appserver/testing/kit";
import { SystemClock } from "../clock.ts";
import { uuidv7 } from "../ids.ts";
import { silentLogger } from "../logger.ts";
import { platformMigrations } from "../platform-migrations.ts";
import type { Broker, EventEnvelope } from "../platform-ports/broker.ts";
import { runInTrace } from "../telemetry/current-trace.ts";
import { outboxBacklog } from "./outbox-backlog.ts";
import { OutboxRelay } from "./outbox-relay.ts";
import { SqlOutbox } from "./sql-outbox.ts";

const clock = new SystemClock();

/** Records published events. It can be unavailable or refuse events: faults that a real broker shows only by accident. */
class FaultyBroker implements Pick<Broker, "publish" | "ping"> {
  readonly published: EventEnvelope[] = [];
  away = false;
  refuses: (event: EventEnvelope) => boolean = () => false;
  attempts = 0;
  beforeConfirm: () => Promise<void> = async () => {};

  async publish(events: readonly EventEnvelope[]): Promise<void> {
    this.attempts += 1;
    if (this.away) throw new Error("the broker is unreachable");
    if (events.some(this.refuses)) throw new Error("refused");
    this.published.push(...events);
    await this.beforeConfirm();
  }

  async ping(): Promise<void> {
    if (this.away) throw new Error("the broker is unreachable");
  }

  ids(): string[] {
    return this.published.map(({ id }) => id);
  }
}

describe("outbox relay", { timeout: 60_000 }, () => {
  const outbox = new SqlOutbox();
  let server: TestPostgres;
  let fixture: TestDatabase;
  let broker: FaultyBroker;
  let relays: OutboxRelay[];
  let history: SqlEventHistory;
  before(async () => {
    server = await startTestPostgres();
  });
  after(() => server?.stop());
  beforeEach(async () => {
    fixture = await createTestDatabase(server);
    await fixture.database.migrate([...platformMigrations, ...recordsMigrations]);
    const present = ({ type, body }: EventEnvelope) => ({
      type,
      severity: "INFO" as const,
      message: "",
      data: body,
      isListed: true,
    });
    history = new SqlEventHistory({ database: fixture.database, clock, present });
    broker = new FaultyBroker();
    relays = [];
  });
  afterEach(async () => {
    for (const relay of relays) await relay.stop();
    await fixture.stop();
  });

  const startRelay = (options: { pollMs?: number; batchSize?: number; database?: PostgresDatabase } = {}): OutboxRelay => {
    const relay = new OutboxRelay({
      database: fixture.database,
      broker: broker as unknown as Broker,
      history,
      clock,
      logger: silentLogger,
      pollMs: 50,
      backoffMs: [10, 50],
      ...options,
    });
    relays.push(relay);
    relay.start();
    return relay;
  };
  const append = (...events: EventEnvelope[]) => fixture.database.transaction((tx) => outbox.append(tx, events));
  const open = async (): Promise<number> => (await fixture.database.query("select 1 from platform.outbox")).count;
  const drained = () => eventually(async () => assert.equal(await open(), 0));

  test("publishes committed events in order, unchanged except for the sequence, and keeps no rows", async () => {
    startRelay();
    const first = { ...event("a"), body: { text: "zero \u0000, ünï" } };
    const second = { ...event("a"), sequence: 1234 };
    await append(first, second);
    await append();
    await drained();
    assert.equal(broker.published.length, 2);
    const { sequence, ...rest } = broker.published[0] ?? assert.fail();
    assert.deepEqual(rest, first);
    assert.equal(typeof sequence, "number");
    assert.deepEqual(broker.published[1], second);
  });

  test("events carry the trace of the work that appended them, unless they already have one", async () => {
    startRelay();
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01";
    await runInTrace(traceparent, () => append(event("a"), { ...event("a"), traceparent: other }));
    await append(event("a"));
    await drained();
    assert.deepEqual(
      broker.published.map((published) => published.traceparent),
      [traceparent, other, undefined],
    );
  });

  test("the backlog reports the number of waiting events and their age", async () => {
    assert.deepEqual(await outboxBacklog(fixture.database), { pending: 0, oldestAgeSeconds: 0 });
    await append(event("a"), event("b"));
    await fixture.database.query("update platform.outbox set created_at = now() - interval '90 s' where subject = 'a'");
    const { pending, oldestAgeSeconds } = await outboxBacklog(fixture.database);
    assert.equal(pending, 2);
    assert.ok(oldestAgeSeconds >= 90 && oldestAgeSeconds < 120);
  });

  test("rolled-back events are never published", async () => {
    startRelay();
    await assert.rejects(
      fixture.database.transaction(async (tx) => {
        await outbox.append(tx, [event("a")]);
        throw new Error("changed my mind");
      }),
    );
    const kept = event("a");
    await append(kept);
    await drained();
    assert.deepEqual(broker.ids(), [kept.id]);
  });

  test("the commit wakes the relay before the next poll", async () => {
    startRelay({ pollMs: 3_600_000 });
    await append(event("a"));
    await drained();
    await append(event("b"));
    await drained();
    assert.equal(broker.published.length, 2);
  });

  test("waits while the broker is unavailable, and publishes in order when it is back", async () => {
    broker.away = true;
    startRelay({ batchSize: 7 });
    const events = Array.from({ length: 40 }, (_, number) => event(`app${number % 3}`));
    for (const each of events) await append(each);
    await eventually(async () => assert.ok(broker.attempts >= 3));
    assert.deepEqual([broker.published.length, await open()], [0, 40]);
    broker.away = false;
    await drained();
    assert.deepEqual(broker.ids(), ids(events));
  });

  test("deletes only after the broker confirmed: if a relay dies in between, the event is published again", async () => {
    const published = Promise.withResolvers<void>();
    const confirm = Promise.withResolvers<void>();
    broker.beforeConfirm = () => {
      published.resolve();
      return confirm.promise;
    };
    const database = new PostgresDatabase({ ...testPool, connection: fixture.connection, logger: silentLogger, clock });
    startRelay({ database });
    await append(event("a"));
    await published.promise;
    assert.equal(await open(), 1);
    await fixture.database.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
    broker.beforeConfirm = async () => {};
    confirm.resolve();
    await drained();
    assert.equal(broker.published.length, 2);
    assert.equal(new Set(broker.ids()).size, 1);
    await relays.pop()?.stop();
    await database.stop();
  });

  test("an event that commits late with a lower id is not skipped", async () => {
    startRelay();
    const appended = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const [slow, quick] = [event("slow"), event("quick")];
    const slowly = fixture.database.transaction(async (tx) => {
      await outbox.append(tx, [slow]);
      appended.resolve();
      await commit.promise;
    });
    await appended.promise;
    await append(quick);
    await drained();
    assert.deepEqual(broker.ids(), [quick.id]);
    commit.resolve();
    await slowly;
    await drained();
    assert.deepEqual(broker.ids(), [quick.id, slow.id]);
  });

  test("with several relays, each event is published once and in order", async () => {
    const others = [1, 2].map(
      () => new PostgresDatabase({ ...testPool, connection: fixture.connection, logger: silentLogger, clock }),
    );
    startRelay({ batchSize: 5 });
    for (const database of others) startRelay({ batchSize: 5, database });
    const events = Array.from({ length: 100 }, (_, number) => event(`app${number % 4}`));
    for (let from = 0; from < 100; from += 4) await append(...events.slice(from, from + 4));
    await drained();
    assert.deepEqual(broker.ids(), ids(events));
    for (const relay of relays.splice(0)) await relay.stop();
    for (const database of others) await database.stop();
  });

  test("an event that the broker refuses blocks only its subject, and is published once accepted", async () => {
    const refused = event("bad");
    const [behind, other] = [event("bad"), event("good")];
    broker.refuses = ({ id }) => id === refused.id;
    startRelay();
    await append(refused, behind, other);
    await eventually(async () => assert.deepEqual(broker.ids(), [other.id]));
    const later = event("good");
    await append(later);
    await eventually(async () => assert.deepEqual(broker.ids(), [other.id, later.id]));
    broker.refuses = () => false;
    await drained();
    assert.deepEqual(broker.ids(), [other.id, later.id, refused.id, behind.id]);
  });
});

function event(subject: string): EventEnvelope {
  return { id: uuidv7(), type: "app.tested", source: "/appserver/test", subject, time: "2026-01-01T00:00:00.000Z", body: {} };
}

function ids(events: readonly EventEnvelope[]): string[] {
  return events.map(({ id }) => id);
}
