import assert from "node:assert/strict";
import { test } from "node:test";
import { type RecentPermissionChanges, silentLogger } from "@appserver/kernel";
import { eventually, FakeClock } from "@appserver/testing/kit";
import { PermissionChangesWatch } from "./permission-changes-watch.ts";

const upTo = (horizon: number): RecentPermissionChanges => ({ horizon, latestOf: () => horizon });

test("changes are read every five seconds, and are unknown after fifteen seconds of failed reads", async () => {
  const clock = new FakeClock();
  let horizon = 1;
  const read = () => (horizon > 0 ? Promise.resolve(upTo(horizon)) : Promise.reject(new Error("no database")));
  const watch = new PermissionChangesWatch({ read, clock, logger: silentLogger });
  assert.equal(watch.recent(), undefined);
  await watch.start();
  assert.equal(watch.recent()?.horizon, 1);
  horizon = 2;
  await clock.advance(4_999);
  assert.equal(watch.recent()?.horizon, 1);
  await clock.advance(1);
  assert.equal(watch.recent()?.horizon, 2);
  horizon = 0;
  await clock.advance(14_999);
  assert.equal(watch.recent()?.horizon, 2);
  await clock.advance(1);
  assert.equal(watch.recent(), undefined);
  horizon = 3;
  await clock.advance(5_000);
  assert.equal(watch.recent()?.horizon, 3);
  await watch.stop();
});

test("after an event changes are unknown until a read that began later has ended", async () => {
  const answers: ((changes: RecentPermissionChanges) => void)[] = [];
  const read = () => new Promise<RecentPermissionChanges>((resolve) => answers.push(resolve));
  const watch = new PermissionChangesWatch({ read, clock: new FakeClock(), logger: silentLogger });
  const reads = (count: number) =>
    eventually(
      () => answers.length,
      (length) => length === count,
    );
  const first = watch.refresh();
  await reads(1);
  const second = watch.refresh();
  answers[0]?.(upTo(1));
  await reads(2);
  assert.equal(watch.recent(), undefined);
  answers[1]?.(upTo(2));
  await Promise.all([first, second]);
  assert.equal(watch.recent()?.horizon, 2);
  await watch.stop();
});
