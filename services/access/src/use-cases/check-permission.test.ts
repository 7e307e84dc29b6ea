import assert from "node:assert/strict";
import { test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { anonymousCaller, type Caller, isAppError, silentLogger } from "@appserver/kernel";
import { FakeClock, MapCache, RecordingMetrics, SetAuthorization } from "@appserver/testing/kit";
import type { PermissionChanges } from "../ports.ts";
import { CachedPermissions } from "./check-permission.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const permission = ["notes:read", "notes"] as const;
const scope = "permission_scope:notes/read_notes";
const entry = `permission:user:alice|${scope}`;

/** Change numbers by subject. `isUnknown`: they could not be read recently. */
class NumberedChanges implements PermissionChanges {
  readonly latest = new Map<string, number>();
  horizon = 0;
  isUnknown = false;

  note(subject: string): void {
    this.horizon += 1;
    this.latest.set(subject, this.horizon);
  }

  recent() {
    const { horizon, latest } = this;
    return this.isUnknown ? undefined : { horizon, latestOf: (subject: string) => latest.get(subject) ?? 0 };
  }
}

function scene() {
  const clock = new FakeClock();
  const cache = new MapCache(clock);
  const authorization = new SetAuthorization();
  const metrics = new RecordingMetrics();
  const changes = new NumberedChanges();
  const replica = () =>
    new CachedPermissions({
      authorization,
      cache,
      changes,
      clock,
      logger: silentLogger,
      macKey: Buffer.alloc(32, 1),
      metrics,
    });
  return {
    clock,
    cache,
    changes,
    authorization,
    replica,
    metrics,
    forged: () => metrics.value(metricCatalogue.permissionCacheForgeries),
  };
}

test("the platform has every permission, an anonymous caller has none, and neither causes a check", () => {
  const { replica, authorization } = scene();
  assert.equal(replica().allowed({ kind: "system", reason: "test" }, ...permission), true);
  assert.equal(replica().allowed(anonymousCaller, ...permission), false);
  assert.equal(authorization.asked, 0);
});

test("results are cached locally for a second, and shared for five minutes", async () => {
  const { replica, authorization, clock, metrics } = scene();
  authorization.grant("user:alice", scope);
  const [one, two] = [replica(), replica()];
  assert.equal(await one.allowed(alice, ...permission), true);
  assert.equal(one.allowed(alice, ...permission), true, "at once");
  assert.equal(await two.allowed(alice, ...permission), true);
  await clock.advance(299_000);
  assert.equal(await one.allowed(alice, ...permission), true);
  assert.equal(authorization.asked, 1);
  const counted = ["local", "shared", "service"].map((source) => metrics.value(metricCatalogue.permissionChecks, { source }));
  assert.deepEqual(counted, [1, 2, 1]);
  authorization.tuples.clear();
  await clock.advance(2_000);
  assert.equal(await one.allowed(alice, ...permission), false);
  assert.equal(authorization.asked, 2);
});

test("after an invalidation the next check queries again, on this replica at once, on others within a second", async () => {
  const { replica, authorization, clock } = scene();
  authorization.grant("user:alice", scope);
  const [one, two] = [replica(), replica()];
  await one.allowed(alice, ...permission);
  await two.allowed(alice, ...permission);
  authorization.tuples.clear();
  await one.invalidate("user:alice");
  assert.equal(await one.allowed(alice, ...permission), false);
  await clock.advance(1_000);
  assert.equal(await two.allowed(alice, ...permission), false);
});

test("a userset invalidates every subject, another subject does not", async () => {
  const { replica, authorization, cache } = scene();
  const checker = replica();
  await checker.allowed(alice, ...permission);
  await checker.invalidate("user:bob");
  assert.notEqual(cache.get(entry), undefined);
  await checker.invalidate("role:easy#assignee");
  assert.equal(cache.get(entry), undefined);
  await checker.allowed(alice, ...permission);
  assert.equal(authorization.asked, 2);
});

test("a result that was pending when permissions changed is not cached", async () => {
  const { replica, authorization } = scene();
  authorization.grant("user:alice", scope);
  const checker = replica();
  const stale = checker.allowed(alice, ...permission);
  await checker.invalidate();
  authorization.tuples.clear();
  await stale;
  assert.equal(await checker.allowed(alice, ...permission), false);
});

test("forged and moved entries of the shared cache are ignored and counted", async () => {
  const { replica, authorization, cache, forged } = scene();
  authorization.grant("user:root", scope);
  const root: Caller = { kind: "user", id: "root", displayName: "Root" };
  await replica().allowed(root, ...permission);
  const others = cache.get(`permission:user:root|${scope}`) ?? "";
  for (const value of ["1", "1.0.", `1.${Date.now()}.AAAA`, others, others.replace("1.", "0."), "", "yes.1.x"]) {
    cache.set(entry, value, 60_000);
    assert.equal(await replica().allowed(alice, ...permission), false, value);
  }
  assert.equal(forged(), 7);
});

test("a valid entry that was saved and restored is ignored after its five minutes", async () => {
  const { replica, authorization, cache, clock } = scene();
  authorization.grant("user:alice", scope);
  await replica().allowed(alice, ...permission);
  const kept = cache.get(entry) ?? "";
  authorization.tuples.clear();
  await clock.advance(300_000);
  cache.set(entry, kept, 300_000);
  assert.equal(await replica().allowed(alice, ...permission), false);
});

test("a valid entry that was saved and restored does not undo a revocation", async () => {
  const { replica, authorization, cache, changes, forged } = scene();
  authorization.grant("user:alice", scope);
  assert.equal(await replica().allowed(alice, ...permission), true);
  const kept = cache.get(entry) ?? "";
  authorization.tuples.clear();
  changes.note("user:alice");
  cache.set(entry, kept, 300_000);
  assert.equal(await replica().allowed(alice, ...permission), false);
  cache.set(entry, kept, 300_000);
  assert.deepEqual(await replica().allowedEach(alice, [{ permission: "notes:read", owner: "notes" }]), [false]);
  cache.set(entry, kept.replace(".0.", ".1."), 300_000);
  assert.equal(await replica().allowed(alice, ...permission), false);
  assert.equal(forged(), 1);
});

test("changes of other subjects keep an entry; while changes are unknown the service is queried and nothing is shared", async () => {
  const { replica, authorization, cache, changes } = scene();
  authorization.grant("user:alice", scope);
  await replica().allowed(alice, ...permission);
  changes.note("user:bob");
  assert.equal(await replica().allowed(alice, ...permission), true);
  assert.equal(authorization.asked, 1);
  changes.isUnknown = true;
  await replica().allowed(alice, ...permission);
  assert.equal(authorization.asked, 2);
  cache.delete(entry);
  await replica().allowed(alice, ...permission);
  assert.equal(cache.get(entry), undefined);
});

test("a result that was requested before a change is ignored after it", async () => {
  const { replica, authorization, cache, changes } = scene();
  authorization.grant("user:alice", scope);
  const stale = replica().allowed(alice, ...permission);
  changes.note("user:alice");
  await stale;
  assert.notEqual(cache.get(entry), undefined);
  authorization.tuples.clear();
  assert.equal(await replica().allowed(alice, ...permission), false);
});

test("an outage is SERVICE_UNAVAILABLE and never cached; cached results are still used", async () => {
  const { replica, authorization, clock } = scene();
  authorization.grant("user:alice", scope);
  const checker = replica();
  authorization.outage = true;
  await assert.rejects(
    async () => checker.allowed(alice, ...permission),
    (error) => isAppError(error, "SERVICE_UNAVAILABLE"),
  );
  authorization.outage = false;
  assert.equal(await checker.allowed(alice, ...permission), true);
  authorization.outage = true;
  await clock.advance(60_000);
  assert.equal(await checker.allowed(alice, ...permission), true);
});

test("concurrent checks of one permission share one query", async () => {
  const { replica, authorization } = scene();
  const checker = replica();
  await Promise.all([
    checker.allowed(alice, ...permission),
    checker.allowed(alice, ...permission),
    checker.allowed(alice, ...permission),
  ]);
  assert.equal(authorization.asked, 1);
});

test("concurrent checks of the same permissions share one query", async () => {
  const { replica, authorization, cache } = scene();
  authorization.grant("user:alice", scope);
  const names = ["read", "write"].map((action) => ({ permission: `notes:${action}`, owner: "notes" }));
  const [one, another] = [replica(), replica()];
  const decisions = await Promise.all(Array.from({ length: 100 }, () => one.allowedEach(alice, names)));
  assert.ok(decisions.every(([reads, writes]) => reads === true && writes === false));
  assert.equal(authorization.asked, 2);
  await another.allowedEach(alice, names);
  cache.deletePrefix("");
  assert.deepEqual(await another.allowedEach(alice, names), [true, false]);
  assert.equal(authorization.asked, 2, "a shared decision is kept for a second");
});

test("a check of many permissions is one query with one result for each", async () => {
  const { replica, authorization } = scene();
  authorization.grant("user:alice", scope);
  let batches = 0;
  const { batchCheck } = authorization;
  authorization.batchCheck = (requests) => {
    batches += 1;
    return batchCheck.call(authorization, requests);
  };
  const checker = replica();
  const actions = ["list", "read", "write", "read"];
  const names = actions.map((action) => ({ permission: `notes:${action}`, owner: "notes" }));
  assert.deepEqual(await checker.allowedEach(alice, names), [false, true, false, true]);
  assert.deepEqual([batches, authorization.asked], [1, 3]);
  assert.equal(checker.allowed(alice, ...permission), true, "kept");
  assert.deepEqual(await checker.allowedEach(alice, names), [false, true, false, true]);
  assert.deepEqual(await checker.allowedEach(anonymousCaller, names), [false, false, false, false]);
  assert.deepEqual([batches, authorization.asked], [1, 3]);
});
