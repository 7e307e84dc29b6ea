import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf } from "@appserver/contracts/deployments";
import { ContainerError } from "@appserver/kernel/ports";
import { desiredApp, desiredRelease } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { ReplicatedRuntime } from "../../test/replicated-runtime.ts";
import { fresh, plain } from "../../test/switch-fixture.ts";

type Fixture = ReconcileFixture<ReplicatedRuntime>;

const two = { replicas: { min: 2, max: 2 } };
const [first, second] = ["i1:3000", "i2:3000"];

async function started(unhealthy: readonly string[] = [], changes: Parameters<typeof desiredApp>[0] = {}): Promise<Fixture> {
  const fixture = new ReconcileFixture(new ReplicatedRuntime());
  fixture.runtime.clock = fixture.clock;
  for (const address of unhealthy) fixture.unhealthy.add(`http://${address}`);
  fixture.desired = desiredApp({ ...two, ...changes });
  await fixture.reconcile();
  assert.equal(fixture.takeStates().slice(0, fresh.length), fresh);
  fixture.runtime.calls.length = 0;
  return fixture;
}

/** Lets time pass and looks at the app. */
async function look(fixture: Fixture, afterMs: number): Promise<void> {
  await fixture.clock.advance(afterMs);
  await fixture.reconcile();
}

test("an app is healthy with one ready instance, and the other gets no requests before it is ready", async () => {
  const fixture = await started([second]);
  assert.deepEqual(addressesOf(fixture.deployment), [first]);
  assert.notEqual(fixture.deployment.degradedSince, undefined);
  fixture.unhealthy.clear();
  await look(fixture, 1_000);
  assert.deepEqual(addressesOf(fixture.deployment), [first, second]);
  assert.equal(fixture.takeStates(), "HEALTHY", "an event: requests go to both");
});

test("an instance whose checks fail is taken out at the threshold, and comes back with the first success", async () => {
  const fixture = await started();
  await look(fixture, 1_000);
  fixture.unhealthy.add(`http://${first}`);
  for (const addresses of [[first, second], [first, second], [second], [second]]) {
    await look(fixture, 30_000);
    assert.deepEqual([fixture.deployment.state, addressesOf(fixture.deployment)], ["HEALTHY", addresses]);
  }
  fixture.unhealthy.clear();
  await look(fixture, 30_000);
  assert.deepEqual(addressesOf(fixture.deployment), [first, second]);
  assert.deepEqual(fixture.runtime.calls, [], "no restart: it serves");
});

test("an app of which no instance is healthy is unhealthy until one is", async () => {
  const fixture = await started();
  await look(fixture, 1_000);
  fixture.isHealthy = false;
  for (let check = 0; check < 3; check += 1) await look(fixture, 30_000);
  assert.equal(fixture.deployment.state, "UNHEALTHY");
  fixture.isHealthy = true;
  await look(fixture, 30_000);
  assert.equal(fixture.deployment.state, "HEALTHY");
});

test("one that ends is recorded and started again after the back-off, and the app stays healthy", async () => {
  const fixture = await started();
  await look(fixture, 1_000);
  fixture.takeStates();
  for (const [number, delayMs, restarts] of [
    [2, 10_000, 1],
    [1, 20_000, 2],
  ] as const) {
    await look(fixture, 1_000);
    fixture.runtime.log = "out of luck";
    fixture.runtime.endOne(plain, number);
    await fixture.reconcile();
    const { state, endpoint, restartCount, lastCrash, instances } = fixture.deployment;
    assert.deepEqual([state, restartCount, lastCrash?.exitCode, lastCrash?.output], ["HEALTHY", restarts, 3, ["out of luck"]]);
    const ended = instances?.[number - 1];
    assert.deepEqual([ended?.ready, ended?.restarts, ended?.lastEnd?.exitCode], [false, 1, 3]);
    const serving = number === 1 ? second : first;
    assert.deepEqual([endpoint, addressesOf(fixture.deployment)], [`http://${serving}`, [serving]]);
    await look(fixture, delayMs - 1_000);
    assert.deepEqual(fixture.runtime.calls, [], "the back-off");
    await look(fixture, 1_000);
    assert.deepEqual(fixture.runtime.calls.splice(0), [`start ${plain} 2`]);
    assert.deepEqual(addressesOf(fixture.deployment), [first, second]);
    assert.deepEqual([fixture.deployment.restartCount, fixture.deployment.instances?.[number - 1]?.restarts], [restarts, 1]);
  }
  assert.match(fixture.takeStates(), /^HEALTHY( HEALTHY)*$/);
});

test("an app whose instances end again and again fails only if none serves", async () => {
  const fixture = await started();
  for (let end = 0; end < 6; end += 1) {
    await look(fixture, 1_000);
    fixture.runtime.endOne(plain, 2);
    await look(fixture, 0);
    await look(fixture, 300_000);
  }
  assert.deepEqual([fixture.deployment.state, fixture.deployment.restartCount], ["HEALTHY", 6]);
  fixture.runtime.end(plain, 1);
  await look(fixture, 0);
  assert.equal(fixture.deployment.state, "FAILED");
});

test("requests leave the last instances before there are fewer", async () => {
  const fixture = await started();
  await look(fixture, 1_000);
  fixture.desired = desiredApp({ replicas: { min: 1, max: 1 } });
  const reconciling = fixture.reconcile();
  while (fixture.clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([addressesOf(fixture.deployment), fixture.runtime.calls], [[first], []]);
  await fixture.clock.advance(5_000);
  await reconciling;
  assert.deepEqual(fixture.runtime.calls, [`start ${plain} 1`]);
  assert.deepEqual([fixture.deployment.wantedInstances, addressesOf(fixture.deployment)], [1, undefined]);
});

test("more instances get requests once they are ready", async () => {
  const fixture = await started();
  await look(fixture, 1_000);
  fixture.unhealthy.add("http://i3:3000");
  fixture.desired = desiredApp({ replicas: { min: 3, max: 3 } });
  await fixture.reconcile();
  assert.deepEqual(addressesOf(fixture.deployment), [first, second]);
  fixture.unhealthy.clear();
  await look(fixture, 1_000);
  assert.deepEqual(addressesOf(fixture.deployment), [first, second, "i3:3000"]);
});

test("an instance that cannot be made is explained and tried again, and the health of the others is checked", async () => {
  const fixture = await started();
  await look(fixture, 1_000);
  fixture.runtime.failures.set("start", new ContainerError("other", "no space left"));
  fixture.desired = desiredApp({ replicas: { min: 3, max: 3 } });
  await fixture.reconcile();
  const { state, lastError } = fixture.deployment;
  assert.deepEqual([state, lastError?.message], ["HEALTHY", "not every instance runs: no space left"]);
  fixture.isHealthy = false;
  await look(fixture, 29_000);
  assert.deepEqual(fixture.runtime.calls.splice(0), [`start ${plain} 3`], "not yet again");
  fixture.isHealthy = true;
  await look(fixture, 1_000);
  assert.deepEqual(fixture.runtime.calls, [`start ${plain} 3`]);
  assert.deepEqual([fixture.deployment.lastError, addressesOf(fixture.deployment)?.length], [undefined, 3]);
  fixture.runtime.failures.set("start", new ContainerError("unreachable", "Cannot connect to Docker daemon"));
  fixture.desired = desiredApp({ replicas: { min: 4, max: 4 } });
  await assert.rejects(fixture.reconcile(), /Cannot connect/);
});

test("without a health check an instance that runs is ready", async () => {
  const fixture = await started([first, second], { healthCheck: undefined });
  assert.deepEqual(addressesOf(fixture.deployment), [first, second]);
});

test("checks that show what the record has read nothing else, and a difference does", async () => {
  const fixture = await started();
  await look(fixture, 1_000);
  await fixture.clock.advance(30_000);
  const rest = await fixture.reconcile();
  assert.ok(rest.kind === "watching" && rest.probeAgain);
  assert.equal(await rest.probeAgain(), 30_000);
  fixture.unhealthy.add(`http://${second}`);
  assert.equal(await rest.probeAgain(), undefined);
});

test("a release of which an instance ends at its start has failed, and the current one serves", async () => {
  const fixture = await started();
  await look(fixture, 1_000);
  fixture.isHealthy = false;
  fixture.desired = desiredApp({ ...two, next: desiredRelease(two) });
  const reconciling = fixture.reconcile(false, "switching");
  while (fixture.deployment.state !== "STARTING" || fixture.clock.sleeping === 0)
    await new Promise((resolve) => setImmediate(resolve));
  fixture.runtime.endOne(`${plain}-g2`, 2);
  await fixture.clock.advance(1_000);
  await reconciling;
  assert.deepEqual([fixture.deployment.state, fixture.deployment.final], ["FAILED", true]);
});
