import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createTestDatabase, FakeClock, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { platformMigrations } from "../platform-migrations.ts";
import { SqlIdempotencyKeys } from "./sql-idempotency-keys.ts";

const hour = 3_600_000;
const seal = {
  seal: async (owner: string, name: string, text: string) => Buffer.from(JSON.stringify([owner, name, text])).toString("hex"),
  open: async (owner: string, name: string, sealed: string) => {
    const [sealedOwner, sealedName, text] = JSON.parse(Buffer.from(sealed, "hex").toString()) as [string, string, string];
    assert.deepEqual([sealedOwner, sealedName], [owner, name]);
    return text;
  },
};
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
    clock = new FakeClock();
    keys = new SqlIdempotencyKeys({ database: fixture.database, clock, seal });
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });
  const claimOf = async (of = request("k")): Promise<string> => {
    const begun = await keys.begin(of);
    assert.equal(begun.outcome, "first");
    return begun.outcome === "first" ? begun.claim : "";
  };
  const outcomeOf = async (of: ReturnType<typeof request>) => (await keys.begin(of)).outcome;
  const stored = async (): Promise<number> =>
    (await fixture.database.query("select 1 from platform.idempotency_keys")).rows.length;

  test("of many requests at once one does the work; the others get its response when it has ended", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => keys.begin(request("busy"))));
    const first = all.filter(({ outcome }) => outcome === "first");
    assert.equal(first.length, 1);
    assert.ok(all.every(({ outcome }) => outcome === "first" || outcome === "in_flight"));
    const [begun] = first;
    await keys.complete(request("busy"), begun?.outcome === "first" ? begun.claim : "", "done");
    assert.deepEqual(await keys.begin(request("busy")), { outcome: "repeated", response: "done" });
    assert.equal(await outcomeOf(request("busy", "b")), "other_request");
    assert.equal(await outcomeOf(request("busy", "a", "user:bob")), "first");
  });

  test("the stored response cannot be read without the key of the platform", async () => {
    await keys.complete(request("secret"), await claimOf(request("secret")), "password");
    const { rows } = await fixture.database.query<{ readonly text: string }>(
      "select to_jsonb(k)::text as text from platform.idempotency_keys k",
    );
    assert.ok(rows.every(({ text }) => !text.includes("password")));
  });

  test("an abandoned request may be repeated, also with other content", async () => {
    await keys.abandon(request("failed"), await claimOf(request("failed")));
    await claimOf(request("failed", "b"));
  });

  test("the claim of a dead process ends after two minutes, and its late response does not count", async () => {
    const late = await claimOf(request("dead"));
    await clock.advance(119_000);
    assert.equal(await outcomeOf(request("dead")), "in_flight");
    await clock.advance(2_000);
    assert.equal(await outcomeOf(request("dead", "b")), "other_request");
    const claim = await claimOf(request("dead"));
    await keys.complete(request("dead"), late, "late");
    await keys.abandon(request("dead"), late);
    assert.equal(await outcomeOf(request("dead")), "in_flight");
    await keys.complete(request("dead"), claim, "in time");
    assert.deepEqual(await keys.begin(request("dead")), { outcome: "repeated", response: "in time" });
  });

  test("a key is free again after 24 hours, and new keys remove expired ones", async () => {
    await keys.complete(request("old"), await claimOf(request("old")), "x");
    await clock.advance(24 * hour + 1);
    assert.equal(await outcomeOf(request("old", "b")), "first");
    for (let each = 0; each < 3; each += 1) await claimOf(request(`new ${each}`));
    assert.equal(await stored(), 4);
  });
});
