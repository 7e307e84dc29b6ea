import assert from "node:assert/strict";
import { test } from "node:test";
import { desiredRelease } from "../../test/fixtures.ts";
import type { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { beside, bothLoops, names, plain, roles, upgraded, upgradingFixture } from "../../test/switch-fixture.ts";

async function retiringFixture(): Promise<ReconcileFixture> {
  const fixture = await upgradingFixture();
  await bothLoops(fixture);
  fixture.drain = { waiting: 1, exchanges: 1 };
  fixture.desired = upgraded();
  await fixture.reconcile();
  return fixture;
}

const isRetiring = async (fixture: ReconcileFixture): Promise<boolean> => (await roles(fixture))["retiring"] !== undefined;

test("the replaced deployment is stopped when every server has reported and its exchanges have ended", async () => {
  const fixture = await retiringFixture();
  const retiring = fixture.reconcile(false, "switching");
  await fixture.clock.advance(5_000);
  fixture.drain = { waiting: 0, exchanges: 1 };
  await fixture.clock.advance(5_000);
  assert.ok(await isRetiring(fixture));
  fixture.drain = { waiting: 0, exchanges: 0 };
  await fixture.clock.advance(500);
  await retiring;
  assert.ok(!(await isRetiring(fixture)));
});

test("exchanges have the drain timeout after the reports; reports have 60 s", async () => {
  const silent = await retiringFixture();
  const slow = silent.reconcile(false, "switching");
  await silent.clock.advance(89_500);
  assert.ok(await isRetiring(silent));
  await silent.clock.advance(1_000);
  await slow;
  assert.ok(!(await isRetiring(silent)));

  const busy = await retiringFixture();
  const draining = busy.reconcile(false, "switching");
  await busy.clock.advance(10_000);
  busy.drain = { waiting: 0, exchanges: 1 };
  await busy.clock.advance(30_000);
  assert.ok(await isRetiring(busy));
  await busy.clock.advance(1_000);
  await draining;
  assert.ok(!(await isRetiring(busy)));
});

test("while the replaced deployment is drained, the current one is repaired, and a third release waits", async () => {
  const fixture = await retiringFixture();
  const third = desiredRelease({
    generation: 3,
    manifestDigest: "digest-3",
    operationId: "0193b8f0-0000-7000-8000-0000000000a3",
  });
  fixture.desired = { ...upgraded(), next: third };
  const retiring = fixture.reconcile(false, "switching");
  fixture.runtime.end(beside, 1);
  await fixture.reconcile();
  await fixture.clock.advance(10_000);
  await fixture.reconcile();
  assert.deepEqual(await roles(fixture), { retiring: "1.0.0 HEALTHY", current: "2.0.0 HEALTHY" });
  assert.deepEqual(names(fixture), [`${beside} running`, `${plain} running`].sort());
  fixture.drain = { waiting: 0, exchanges: 0 };
  await fixture.clock.advance(1_000);
  await retiring;
  assert.equal((await roles(fixture))["next"], "2.0.0 HEALTHY");
});
