import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { fresh, names, plain, roles, upgraded, upgradingFixture, watchRunning } from "../../test/switch-fixture.ts";
import type { DesiredRelease } from "../domain/desired-app.ts";

interface Kill {
  /** Number of the write, or of the call of the engine, before which the reconciler is killed. */
  readonly write?: number;
  readonly call?: number;
}

/** Runs a whole switch with real reconcilers: one that is killed, and one that follows it. */
async function switchWithKill({ write = 0, call = 0 }: Kill, strategy: DesiredRelease["strategy"]): Promise<ReconcileFixture> {
  const fixture = await upgradingFixture({ strategy });
  fixture.deployments.killAtWrite = write + fresh.split(" ").length;
  fixture.runtime.killAtCall = call;
  const watched = watchRunning(fixture);
  const kills = (): number => fixture.deployments.kills + fixture.runtime.kills;
  let stopping = new AbortController();
  let running = fixture.reconciler().run(stopping.signal);
  let reconcilers = 1;
  for (let step = 0; step < 100; step++) {
    await fixture.clock.advance(500);
    // The marketplace switches when the next deployment is HEALTHY.
    const { next: started } = await fixture.deployments.ofApp("com.example.notes");
    if (started?.state === "HEALTHY") fixture.desired = upgraded();
    if (kills() < reconcilers) continue;
    reconcilers += 1;
    stopping.abort();
    await fixture.clock.advance(0);
    await running;
    stopping = new AbortController();
    running = fixture.reconciler(true).run(stopping.signal);
  }
  stopping.abort();
  await fixture.clock.advance(0);
  await running;
  assert.equal(watched.most, strategy === "replace" ? 1 : 2);
  return fixture;
}

for (const [strategy, writes, calls] of [
  ["side_by_side", 9, 6],
  ["replace", 10, 7],
] as const) {
  test(`${strategy}: after a kill at any step of a switch, exactly one deployment runs at the end`, async () => {
    const steps: readonly Kill[] = [
      ...Array.from({ length: writes }, (_, index) => ({ write: index + 1 })),
      ...Array.from({ length: calls }, (_, index) => ({ call: index + 1 })),
    ];
    for (const step of steps) {
      const fixture = await switchWithKill(step, strategy);
      const what = `killed before ${JSON.stringify(step)}`;
      assert.equal(fixture.deployments.kills + fixture.runtime.kills, 1, what);
      assert.deepEqual(await roles(fixture), { current: "2.0.0 HEALTHY" }, what);
      assert.deepEqual(names(fixture), [`${plain} running`], what);
      assert.equal(fixture.deployments.all.length, 2, what);
    }
    const undisturbed = await switchWithKill({ write: writes + 1 }, strategy);
    assert.equal(undisturbed.deployments.kills, 0);
  });
}
