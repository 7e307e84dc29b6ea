import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { type Caller, Mailbox, platformMigrations, SqlOutbox, uuidv7 } from "@appserver/kernel";
import type { EventEnvelope, SystemEventRecord } from "@appserver/kernel/ports";
import {
  createTestDatabase,
  FakeClock,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { recordsMigrations } from "../migrations/index.ts";
import { SqlEventHistory } from "../src/adapters/sql-event-history.ts";
import { type Present, systemEventRecord } from "../src/adapters/system-event-record.ts";
import {
  followSystemEvents,
  readSystemEvent,
  readSystemEvents,
  readTracedEvents,
  systemEventCursorOf,
} from "../src/use-cases/read-system-events.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };

const types: Readonly<Record<string, string>> = {
  "app.installed": "APP_INSTALLED",
  "app.uninstalled": "APP_UNINSTALLED",
  "hook.triggered": "HOOK_TRIGGERED",
};

const present: Present = ({ type, subject, body }) => {
  const shown = types[type];
  const isListed = shown !== "HOOK_TRIGGERED";
  return shown ? { type: shown, severity: "INFO", message: `about ${subject}`, data: body, isListed } : undefined;
};

function recordOf(event: EventEnvelope): SystemEventRecord {
  const presented = present(event);
  assert.ok(presented);
  return systemEventRecord(event, presented);
}

function callOf(caller: Caller, signal = new AbortController().signal) {
  return { caller, requestId: "request", traceparent: undefined, signal };
}

function eventOf(subject: string, version: string, more: Partial<EventEnvelope> = {}): EventEnvelope {
  const time = "2026-01-01T00:00:00.000Z";
  const body = { version, image: "", generation: 1 };
  return { id: uuidv7(), type: "app.installed", source: "/appserver/test", subject, time, sequence: 1, body, ...more };
}

describe("history of events", () => {
  const outbox = new SqlOutbox();
  let clock: FakeClock;
  let server: TestPostgres;
  let fixture: TestDatabase;
  let history: SqlEventHistory;
  let published: Mailbox<SystemEventRecord>;
  before(async () => {
    server = await startTestPostgres();
  });
  beforeEach(async () => {
    clock = new FakeClock();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate([...platformMigrations, ...recordsMigrations]);
    history = new SqlEventHistory({ database: fixture.database, clock, present });
    published = new Mailbox(10);
  });
  afterEach(() => fixture.stop());
  after(() => server.stop());

  const append = (...events: EventEnvelope[]) => fixture.database.transaction((tx) => history.append(tx, events));
  const context = () => ({
    history,
    permissions: { allowed: async (caller: Caller, permission: string) => caller === alice && permission === "event:view" },
    notifications: { published: () => published },
  });
  const versions = (events: readonly SystemEventRecord[]) =>
    events.map(({ appName, data }) => `${appName} ${(data as { readonly version: string }).version}`);

  test("stores what people see, once, without the hooks and runs that have lists of their own", async () => {
    const installed = eventOf("com.example.a", "1.0.0", {
      actor: "user:alice",
      traceparent: `00-${"a".repeat(32)}-b-01`,
      correlationId: "operation",
    });
    const forPrograms = eventOf("com.example.a", "", { type: "permission.changed" });
    const triggered = eventOf("com.example.a", "", { type: "hook.triggered", body: { hookName: "a.b", data: "private" } });
    await append(installed, forPrograms, triggered);
    await append(installed);
    const page = await readSystemEvents(context(), {}, callOf(alice));
    assert.deepEqual(page.items, [
      {
        id: installed.id,
        type: "APP_INSTALLED",
        severity: "INFO",
        appName: "com.example.a",
        message: "about com.example.a",
        data: { version: "1.0.0", image: "", generation: 1 },
        at: new Date(installed.time),
        actor: "user:alice",
        traceId: "a".repeat(32),
        operationId: "operation",
        sequence: 1,
      },
    ]);
    assert.equal(await page.totalCount(), 1);
    assert.deepEqual(await readSystemEvent(context(), installed.id, callOf(alice)), page.items[0]);
    for (const id of [triggered.id, "not an id"]) assert.equal(await readSystemEvent(context(), id, callOf(alice)), undefined);
  });

  test("texts that PostgreSQL cannot hold are stored as well", async () => {
    const text = "zero \0, half \ud800";
    const shown = { type: "A", severity: "INFO", message: text, data: { text }, isListed: true } as const;
    const odd = new SqlEventHistory({ database: fixture.database, clock, present: () => shown });
    await fixture.database.transaction((tx) => odd.append(tx, [eventOf("com.example.a", "1")]));
    const [stored] = await history.newest({}, undefined, 1);
    assert.deepEqual([stored?.message, stored?.data], ["zero \ufffd, half \ufffd", { text }]);
  });

  test("pages newest first, in the order of publication, by app and type", async () => {
    const events = ["1", "2", "3", "4"].map((version) => eventOf("com.example.a", version));
    // Ids do not follow the order of commits.
    await append(...events.toReversed(), eventOf("com.example.b", "1", { type: "app.uninstalled" }));
    const first = await readSystemEvents(context(), { first: 3 }, callOf(alice));
    assert.deepEqual(versions(first.items), ["com.example.b 1", "com.example.a 1", "com.example.a 2"]);
    assert.equal(first.hasNext, true);
    const after = systemEventCursorOf(first.items[2] as SystemEventRecord);
    const second = await readSystemEvents(context(), { first: 3, after }, callOf(alice));
    assert.deepEqual(versions(second.items), ["com.example.a 3", "com.example.a 4"]);
    const ofApp = await readSystemEvents(context(), { appName: "com.example.b" }, callOf(alice));
    assert.deepEqual(versions(ofApp.items), ["com.example.b 1"]);
    const ofType = await readSystemEvents(context(), { types: ["APP_UNINSTALLED"], first: 1 }, callOf(alice));
    assert.deepEqual([versions(ofType.items), await ofType.totalCount()], [["com.example.b 1"], 1]);
  });

  test("reads the first events of traces, in the order of publication", async () => {
    const traceparent = `00-${"b".repeat(32)}-${"1".repeat(16)}-00`;
    const traced = (version: string) => eventOf("com.example.a", version, { traceparent });
    await append(traced("1"), eventOf("com.example.a", "2"), traced("3"));
    const read = (limit: number, caller = alice) => readTracedEvents(context(), ["b".repeat(32)], limit, callOf(caller));
    assert.deepEqual(versions(await read(5)), ["com.example.a 1", "com.example.a 3"]);
    assert.deepEqual(versions(await read(1)), ["com.example.a 1"]);
    await assert.rejects(read(1, bob), rejectsWith("PERMISSION_DENIED", /event:view/));
  });

  test("events older than 30 days go with the next ones", async () => {
    const at = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString();
    await append(eventOf("com.example.a", "old", { time: at(-31) }), eventOf("com.example.a", "kept", { time: at(-29) }));
    await append(eventOf("com.example.a", "new", { time: at(0) }));
    assert.deepEqual(versions(await history.newest({}, undefined, 10)), ["com.example.a new", "com.example.a kept"]);
  });

  test("a follower gets what it missed, stored or only committed, and then what follows, each once", async () => {
    const [seen, missed, pending, live] = ["1", "2", "3", "4"].map((version) => eventOf("com.example.a", version));
    assert.ok(seen && missed && pending && live);
    await append(seen, missed);
    await fixture.database.transaction((tx) => outbox.append(tx, [pending]));
    const end = new AbortController();
    const events = await followSystemEvents(context(), { after: seen.id }, callOf(alice, end.signal));
    for (const event of [missed, pending, live]) published.push(recordOf(event));
    const received: SystemEventRecord[] = [];
    for await (const event of events) if (received.push(event) === 3) break;
    assert.deepEqual(versions(received), ["com.example.a 2", "com.example.a 3", "com.example.a 4"]);
  });

  test("a follower gets nothing twice that was published and not stored, because the process was killed", async () => {
    const other = eventOf("com.example.b", "1");
    const [before, seen, next] = ["1", "2", "3"].map((version) => eventOf("com.example.a", version));
    assert.ok(before && seen && next);
    await fixture.database.transaction((tx) => outbox.append(tx, [before, other, seen, next]));
    const events = await followSystemEvents(context(), { after: seen.id }, callOf(alice));
    for (const event of [before, other, seen, next, eventOf("com.example.a", "4")]) published.push(recordOf(event));
    const received: SystemEventRecord[] = [];
    for await (const event of events) if (received.push(event) === 3) break;
    // Events of different apps are published in any order, so that of the other app may be new.
    assert.deepEqual(versions(received), ["com.example.b 1", "com.example.a 3", "com.example.a 4"]);
  });

  test("a follower whose last event is not stored gets those with later ids", async () => {
    const [gone, next] = [eventOf("com.example.a", "1"), eventOf("com.example.a", "2")];
    await append(next);
    assert.deepEqual(versions(await history.following({}, gone.id, 10)), ["com.example.a 2"]);
    assert.deepEqual(await history.following({}, next.id, 10), []);
  });

  test("needs event:view, and refuses what is no id", async () => {
    await assert.rejects(readSystemEvents(context(), {}, callOf(bob)), rejectsWith("PERMISSION_DENIED", /event:view/));
    await assert.rejects(readSystemEvent(context(), uuidv7(), callOf(bob)), rejectsWith("PERMISSION_DENIED", /event:view/));
    await assert.rejects(followSystemEvents(context(), {}, callOf(bob)), rejectsWith("PERMISSION_DENIED", /event:view/));
    await assert.rejects(followSystemEvents(context(), { after: "x" }, callOf(alice)), rejectsWith("INVALID_REQUEST", /after/));
    await assert.rejects(readSystemEvents(context(), { after: "x" }, callOf(alice)), rejectsWith("INVALID_REQUEST", /after/));
  });
});
