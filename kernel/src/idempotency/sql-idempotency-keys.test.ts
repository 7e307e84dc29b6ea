import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  createTestDatabase,
  eventually,
  FakeClock,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { platformMigrations } from "../platform-migrations.ts";
import type { KeyedWork } from "../platform-ports/idempotency-keys.ts";
import { currentKeyedWork, earlierReceipt, outsideKeyedWork, recordKeyedWork, runKeyedWork } from "./keyed-work.ts";
import { SqlIdempotencyKeys } from "./sql-idempotency-keys.ts";

const request = (key: string, content = "a", caller = "user:alice") => ({ caller, key, digest: Buffer.from(content) });

describe("keys of idempotent requests", () => {
  let clock: FakeClock;
  let server: TestPostgres;
  let fixture: TestDatabase;
  let keys: SqlIdempotencyKeys;
  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate(platformMigrations);
    await fixture.database.query("create table made (id int)");
    clock = new FakeClock();
    keys = new SqlIdempotencyKeys({ database: fixture.database, clock, keptKeys: 12 });
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });
  const workOf = async (key: string): Promise<KeyedWork> => {
    const begun = await keys.begin(request(key));
    assert.equal(begun.outcome, "first");
    return "work" in begun ? begun.work : assert.fail();
  };
  const outcomeOf = async (key: string, content?: string, caller?: string) =>
    (await keys.begin(request(key, content, caller))).outcome;
  /** Makes a row in a transaction that waits before its end. */
  const make = (work: KeyedWork, id: number, wait: Promise<unknown> = Promise.resolve()) =>
    runKeyedWork(work, () =>
      fixture.database.transaction(async (tx) => {
        await recordKeyedWork(tx, { id });
        await tx.query("insert into made values ($1)", [id]);
        await wait;
      }),
    );
  const made = async (id: number) => (await fixture.database.query("select from made where id = $1", [id])).count;
  /** What passes for the database, whatever the clocks of processes say. */
  const pass = (time: string) =>
    fixture.database.query(
      "update platform.idempotency_keys set claimed_until = claimed_until - $1::interval, expires_at = expires_at - $1::interval",
      [time],
    );

  test("of many requests at once one does the work; the others learn what it made when it has ended", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => keys.begin(request("busy"))));
    const first = all.flatMap((begun) => (begun.outcome === "first" ? [begun.work] : []));
    assert.equal(first.length, 1);
    assert.ok(all.every(({ outcome }) => outcome === "first" || outcome === "in_flight"));
    const [work] = first;
    assert.ok(work);
    await make(work, 1);
    assert.equal(await outcomeOf("busy"), "in_flight");
    await keys.complete(work);
    assert.partialDeepStrictEqual(await keys.begin(request("busy")), { outcome: "done", work: { earlier: { id: 1 } } });
    assert.equal(await outcomeOf("busy", "b"), "other_request");
    assert.equal(await outcomeOf("busy", "a", "user:bob"), "first");
  });

  test("a request that failed before it stored anything frees its key, also for other content", async () => {
    await keys.fail(await workOf("failed"));
    assert.equal(await outcomeOf("failed", "b"), "first");
  });

  test("work whose key is free again cannot be stored any more", async () => {
    const late = await workOf("late");
    await keys.fail(late);
    await assert.rejects(make(late, 2), rejectsWith("CONFLICT"));
    await make(await workOf("late"), 2);
    assert.equal(await made(2), 1);
  });

  test("a failure while the work may still be stored frees the key only when that is known", async () => {
    const [work, end] = [await workOf("slow"), Promise.withResolvers<void>()];
    await pass("1 minute");
    const making = make(work, 3, end.promise);
    await eventually(
      async () => (await fixture.database.query("select from pg_locks where relation = 'made'::regclass")).count > 0,
    );
    await keys.fail(work);
    assert.equal(await outcomeOf("slow"), "in_flight");
    end.resolve();
    await making;
    assert.partialDeepStrictEqual(await keys.begin(request("slow")), { outcome: "done", work: { earlier: { id: 3 } } });
    assert.equal(await made(3), 1);
  });

  test("the key of a process that died is taken over after 10 s of the database, and its late work is not stored", async () => {
    const late = await workOf("dead");
    await pass("9 seconds");
    assert.equal(await outcomeOf("dead"), "in_flight");
    await pass("2 seconds");
    assert.equal(await outcomeOf("dead", "b"), "other_request");
    const work = await workOf("dead");
    assert.deepEqual([late.isRepeated, work.isRepeated], [false, true]);
    await assert.rejects(make(late, 4), rejectsWith("CONFLICT"));
    await keys.complete(late);
    await keys.fail(late);
    assert.equal(await outcomeOf("dead"), "in_flight");
    await make(work, 4);
    assert.equal(await made(4), 1);
  });

  test("the key of a process that died after its work leads to what it made", async () => {
    await make(await workOf("made"), 5);
    await pass("11 seconds");
    assert.partialDeepStrictEqual(await keys.begin(request("made")), { outcome: "done", work: { earlier: { id: 5 } } });
  });

  test("a process that lives keeps its keys", async () => {
    await workOf("long");
    await pass("9 seconds");
    await clock.advance(2_000);
    await eventually(async () => {
      const { count } = await fixture.database.query(
        "select from platform.idempotency_keys where key = 'long' and claimed_until > now() + interval '5 seconds'",
      );
      return count === 1;
    });
  });

  test("a repeated request reads what was made, and cannot make it again", async () => {
    await keys.complete(await workOf("read"));
    const begun = await keys.begin(request("read"));
    const work = begun.outcome === "done" ? begun.work : assert.fail();
    assert.deepEqual(await runKeyedWork(work, async () => earlierReceipt()), {});
    await assert.rejects(make(work, 6), rejectsWith("CONFLICT"));
  });

  test("what only prepares the work, and what follows it, is not recorded", async () => {
    const work = await workOf("around");
    const [prepared, later] = await runKeyedWork(work, async () => {
      const next = Promise.withResolvers<void>();
      const after = next.promise.then(() => currentKeyedWork());
      setImmediate(next.resolve);
      return [outsideKeyedWork(() => currentKeyedWork()), { after }] as const;
    });
    assert.deepEqual([prepared, await later.after], [undefined, undefined]);
  });

  test("a key is free again after 24 hours, and new keys remove expired ones", async () => {
    await keys.complete(await workOf("old"));
    await pass("24 hours 1 second");
    assert.equal(await outcomeOf("old", "b"), "first");
    for (let each = 0; each < 3; each += 1) await workOf(`new ${each}`);
    assert.equal((await fixture.database.query("select from platform.idempotency_keys")).count, 4);
  });

  test("a caller has a maximum of keys: the oldest that has ended is forgotten first", async () => {
    for (let each = 0; each < 20; each += 1) await keys.complete(await workOf(`many ${each}`));
    const { rows } = await fixture.database.query(
      "select key from platform.idempotency_keys where ended and caller = 'user:alice'",
    );
    assert.equal(rows.length, 12);
    assert.deepEqual([await outcomeOf("many 19"), await outcomeOf("many 0")], ["done", "first"]);
  });
});
