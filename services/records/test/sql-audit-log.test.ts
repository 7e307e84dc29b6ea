import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { platformMigrations } from "@appserver/kernel";
import type { AuditRecord } from "@appserver/kernel/ports";
import { createTestDatabase, FakeClock, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { recordsMigrations } from "../migrations/index.ts";
import { SqlAuditLog } from "../src/adapters/sql-audit-log.ts";

describe("SQL audit log", () => {
  const clock = new FakeClock();
  let server: TestPostgres;
  let fixture: TestDatabase;
  let log: SqlAuditLog;
  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate([...platformMigrations, ...recordsMigrations]);
    log = new SqlAuditLog({ database: fixture.database, clock });
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });
  const entry = (more: Partial<AuditRecord> = {}): AuditRecord => ({
    actor: "user:alice",
    action: "settings.update",
    target: "app:a",
    outcome: "success",
    ...more,
  });
  const record = (given: AuditRecord) => fixture.database.transaction((tx) => log.record(tx, given));

  test("reads entries newest first, in pages, of one target or of all", async () => {
    await record(entry({ details: { keys: ["b"] }, traceId: "t" }));
    await clock.advance(1000);
    await record(entry({ target: "app:b", outcome: "denied" }));
    await record(entry({ action: "settings.delete" }));
    const all = await log.read({ limit: 10 });
    assert.deepEqual(
      all.map(({ action, target, outcome }) => [action, target, outcome]),
      [
        ["settings.delete", "app:a", "success"],
        ["settings.update", "app:b", "denied"],
        ["settings.update", "app:a", "success"],
      ],
    );
    assert.partialDeepStrictEqual(all[2], { actor: "user:alice", details: { keys: ["b"] }, traceId: "t" });
    assert.equal(all[2]?.at.getTime(), clock.now() - 1000);
    assert.deepEqual(
      (await log.read({ target: "app:a", limit: 1 })).map(({ id }) => id),
      [all[0]?.id],
    );
    assert.deepEqual(
      (await log.read({ target: "app:a", limit: 5, after: all[0]?.id ?? "" })).map(({ id }) => id),
      [all[2]?.id],
    );
  });

  test("reads the first entries of traces, oldest first", async () => {
    for (const action of ["first", "second", "third"]) await record(entry({ action, traceId: "traced" }));
    const actions = async (limit: number) => (await log.ofTraces(["traced", "other"], limit)).map(({ action }) => action);
    assert.deepEqual(
      [await actions(5), await actions(2)],
      [
        ["first", "second", "third"],
        ["first", "second"],
      ],
    );
    assert.deepEqual(await log.ofTraces([], 5), []);
  });

  test("reads and counts by actor, action, outcome and time", async () => {
    await clock.advance(60_000);
    const since = new Date(clock.now());
    await record(entry({ actor: "user:bob" }));
    await clock.advance(1000);
    const until = new Date(clock.now());
    await record(entry({ actor: "user:bob", action: "app.install", outcome: "failure" }));
    for (const [filter, expected] of [
      [{ actor: "user:bob" }, ["app.install", "settings.update"]],
      [{ actor: "user:bob", outcome: "failure" }, ["app.install"]],
      [{ action: "app.install" }, ["app.install"]],
      [{ since }, ["app.install", "settings.update"]],
      [{ since: until }, ["app.install"]],
      [{ since, until }, ["settings.update"]],
      [{ actor: "user:nobody" }, []],
    ] as const) {
      const found = await log.read({ ...filter, limit: 10 });
      assert.deepEqual(
        found.map(({ action }) => action),
        expected,
      );
      assert.equal(await log.count(filter), expected.length);
    }
  });

  test("stores entries of the past in one statement, with the program of a language model, and finds them by it", async () => {
    const at = new Date(clock.now() - 500);
    const client = "said: editor";
    await log.append([
      { ...entry({ client, details: { app: "a", text: "\u0000" }, traceId: "t2" }), at },
      { ...entry({ client, action: "agent.call" }), at: new Date(clock.now()) },
    ]);
    await record(entry({ client, action: "settings.delete" }));
    const found = await log.read({ client, limit: 10 });
    assert.deepEqual(
      found.map(({ action }) => action),
      ["settings.delete", "agent.call", "settings.update"],
    );
    assert.partialDeepStrictEqual(found[2], { at, client, details: { app: "a", text: "\u0000" }, traceId: "t2" });
    assert.equal(await log.count({ client: "editor" }), 0);
    await assert.rejects(record(entry({ client: "x".repeat(121) })), /client/);
  });

  test("counts the entries of one target or of all", async () => {
    const [all, ofOne] = [await log.count({}), await log.count({ target: "app:counted" })];
    await record(entry({ target: "app:counted" }));
    assert.deepEqual([ofOne, await log.count({ target: "app:counted" }), await log.count({})], [0, 1, all + 1]);
  });

  test("a rolled-back transaction leaves no entry", async () => {
    const failing = fixture.database.transaction(async (tx) => {
      await log.record(tx, entry({ target: "app:gone" }));
      throw new Error("no");
    });
    await assert.rejects(failing, /no/);
    assert.deepEqual(await log.read({ target: "app:gone", limit: 5 }), []);
  });
});
