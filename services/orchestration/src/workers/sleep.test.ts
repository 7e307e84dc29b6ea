import assert from "node:assert/strict";
import { test } from "node:test";
import { ContainerError } from "@appserver/kernel/ports";
import type { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { onEachEngine } from "../../test/supervising-runtime.ts";
import { fresh, healthyFixture, upgraded } from "../../test/switch-fixture.ts";
import { WakeTurns } from "./wake-turns.ts";

/** An app that is asleep, with its container stopped. */
async function asleepFixture(): Promise<ReconcileFixture> {
  const fixture = await healthyFixture();
  fixture.deployments.requestSleep(fixture.deployment.appId);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "ASLEEP");
  assert.equal(fixture.container?.status, "exited");
  fixture.runtime.calls.length = 0;
  return fixture;
}

const wake = (fixture: ReconcileFixture) => fixture.deployments.requestWake(fixture.deployment.appId);

test("an idle app is stopped, and started once it is asked for; neither counts as a restart", async () => {
  const fixture = await asleepFixture();
  await fixture.reconcile();
  await fixture.reconcile(true);
  assert.equal(fixture.takeStates(), "", "a start of the orchestrator does not wake it");
  assert.equal(fixture.container?.status, "exited");
  await wake(fixture);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "STARTING HEALTHY");
  const { restartCount, wakeRequestedAt, sleepRequestedAt } = fixture.deployment;
  assert.deepEqual([restartCount, wakeRequestedAt, sleepRequestedAt], [0, undefined, undefined]);
});

test("an app with a request that still runs is not stopped", async () => {
  const fixture = await healthyFixture();
  fixture.drain = { waiting: 0, exchanges: 1 };
  fixture.deployments.requestSleep(fixture.deployment.appId);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "ASLEEP STARTING HEALTHY");
  assert.deepEqual(fixture.runtime.calls, []);
});

test("an app is not stopped while a server may still send it requests", async () => {
  const fixture = await healthyFixture();
  fixture.drain = { waiting: 1, exchanges: 0 };
  fixture.deployments.requestSleep(fixture.deployment.appId);
  const reconciling = fixture.reconcile();
  await fixture.clock.advance(1_000);
  assert.equal(fixture.container?.status, "running");
  await wake(fixture);
  await fixture.clock.advance(1_000);
  await reconciling;
  assert.equal(fixture.takeStates(), "ASLEEP STARTING HEALTHY");
  assert.deepEqual(fixture.runtime.calls, []);
});

test("a container that is missing or out of date is created again when the app wakes up", async () => {
  const missing = await asleepFixture();
  missing.runtime.containers.clear();
  await missing.reconcile();
  assert.equal(missing.takeStates(), "", "a sleeping app needs none");
  await wake(missing);
  await missing.reconcile();
  assert.equal(missing.takeStates(), "CREATING STARTING HEALTHY");

  const outdated = await asleepFixture();
  outdated.desired = {
    ...upgraded({ generation: 1, version: "1.0.0", manifestDigest: "digest-1" }),
    environment: { NEW: "1" },
  };
  await outdated.reconcile();
  assert.equal(outdated.takeStates(), "");
  await wake(outdated);
  await outdated.reconcile();
  assert.equal(outdated.takeStates(), "CREATING STARTING HEALTHY");
  assert.equal(outdated.runtime.specs.at(-1)?.environment["NEW"], "1");
});

test("a start that fails backs off, as every other", async () => {
  const fixture = await asleepFixture();
  fixture.runtime.failures.set("start", new ContainerError("other", "the engine failed"));
  await wake(fixture);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PENDING");
  assert.ok(fixture.deployment.notBefore);
  await fixture.clock.advance(300_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PULLING CREATING STARTING HEALTHY");
});

test("a sleeping app that is uninstalled, restarted or replaced is stopped as any other", async () => {
  const uninstalled = await asleepFixture();
  uninstalled.desired = undefined;
  await uninstalled.reconcile();
  assert.equal(uninstalled.takeStates(), "STOPPING STOPPED");

  const restarted = await asleepFixture();
  await restarted.deployments.requestRestart(restarted.deployment.appName, new Date());
  await restarted.reconcile();
  assert.equal(restarted.takeStates(), `STOPPING STOPPED ${fresh}`);
});

onEachEngine(
  "a kill at any step of falling asleep and waking up leaves an app that serves when it is asked for",
  async (runtime) => {
    for (const kind of ["write", "call"] as const) {
      for (let at = 1; at <= 4; at++) {
        const fixture = await healthyFixture(runtime());
        if (kind === "write") fixture.deployments.killAtWrite = at + fresh.split(" ").length;
        else fixture.runtime.killAtCall = at;
        fixture.deployments.requestSleep(fixture.deployment.appId);
        await fixture.reconcile().catch(() => {});
        await wake(fixture);
        await fixture.reconcile().catch(() => {});
        await fixture.reconcile();
        await wake(fixture);
        await fixture.reconcile();
        assert.equal(fixture.deployment.state, "HEALTHY", `killed at ${kind} ${at}`);
        assert.equal(fixture.container?.status, "running");
        assert.equal(fixture.deployments.all.length, 1);
      }
    }
  },
);

test("two apps start at a time, and each that ends lets the next one start", () => {
  const woken: string[] = [];
  const turns = new WakeTurns((name) => woken.push(name));
  assert.deepEqual(
    ["a", "b", "c", "d", "a"].map((name) => turns.take(name)),
    [true, true, false, false, true],
  );
  turns.end("b");
  assert.deepEqual(woken, ["c"]);
  assert.equal(turns.take("c"), true);
  turns.end("d");
  turns.end("a");
  assert.deepEqual(woken, ["c"], "the app that waited no longer does");
});
