import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { platformMigrations } from "../platform-migrations.ts";
import { SqlLeases } from "./sql-leases.ts";

describe("SQL leases", () => {
  let server: TestPostgres;
  let fixture: TestDatabase;
  let leases: SqlLeases;
  before(async () => {
    server = await startTestPostgres();
    fixture = await createTestDatabase(server);
    await fixture.database.migrate(platformMigrations);
    leases = new SqlLeases({ database: fixture.database, holder: "test" });
  });
  after(async () => {
    await fixture?.stop();
    await server?.stop();
  });
  const expire = (name: string) =>
    fixture.database.query("update platform.leases set expires_at = now() - interval '1 ms' where name = $1", [name]);

  test("of many concurrent callers exactly one gets a free lease", async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => leases.acquire("contested", 60_000)));
    assert.equal(outcomes.filter((lease) => lease !== undefined).length, 1);
  });

  test("names are independent", async () => {
    assert.ok(await leases.acquire("a", 60_000));
    assert.ok(await leases.acquire("b", 60_000));
  });

  test("the fence grows with every acquisition, also after release and expiry", async () => {
    const first = await leases.acquire("fenced", 60_000);
    assert.equal(await leases.acquire("fenced", 60_000), undefined);
    await first?.release();
    const second = await leases.acquire("fenced", 60_000);
    await expire("fenced");
    const third = await leases.acquire("fenced", 60_000);
    assert.deepEqual([first?.fence, second?.fence, third?.fence], [1, 2, 3]);
  });

  test("renew extends by the ttl, and returns false once the lease is expired, taken or released", async () => {
    const lease = await leases.acquire("renewed", 60_000);
    assert.ok(lease);
    await fixture.database.query("update platform.leases set expires_at = now() + interval '5 s' where name = 'renewed'");
    assert.equal(await lease.renew(), true);
    const { rows } = await fixture.database.query<{ left: number }>(
      "select extract(epoch from expires_at - now())::float8 as left from platform.leases where name = 'renewed'",
    );
    assert.ok((rows[0]?.left ?? 0) > 50);
    await expire("renewed");
    assert.equal(await lease.renew(), false);
    const next = await leases.acquire("renewed", 60_000);
    assert.equal(await lease.renew(), false);
    assert.equal(await next?.renew(), true);
    await next?.release();
    assert.equal(await next?.renew(), false);
  });

  test("releaseAll ends all leases at once, and fences continue to grow", async () => {
    const lost = await leases.acquire("of a dead process", 60_000);
    await leases.releaseAll();
    assert.equal(await lost?.renew(), false);
    const next = await leases.acquire("of a dead process", 60_000);
    assert.equal(next?.fence, 2);
  });

  test("a holder that lost the lease cannot release its successor's", async () => {
    const late = await leases.acquire("stolen", 60_000);
    await expire("stolen");
    const successor = await leases.acquire("stolen", 60_000);
    await late?.release();
    assert.equal(await successor?.renew(), true);
  });
});
