import assert from "node:assert/strict";
import { test } from "node:test";
import { desiredApp, options } from "../../test/fixtures.ts";
import { MemoryRuntime } from "../../test/memory-runtime.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { SupervisingRuntime } from "../../test/supervising-runtime.ts";
import { fresh, plain } from "../../test/switch-fixture.ts";
import { correctCount, replicasOf } from "./replicas.ts";

const storage = [{ name: "data", mountPath: "/data", size: "1Gi" }];

async function healthyWith(min: number, max: number = min): Promise<ReconcileFixture<SupervisingRuntime>> {
  const fixture = new ReconcileFixture(new SupervisingRuntime());
  fixture.desired = desiredApp({ replicas: { min, max } });
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
  return fixture;
}

test("the number of instances stays within what the operator allows, the engine can and the storage permits", () => {
  const of = (changes: Parameters<typeof desiredApp>[0], maxReplicas = 10, runtime = new SupervisingRuntime()) =>
    replicasOf(desiredApp({ replicas: { min: 2, max: 5, cpuPercent: 70 }, ...changes }), { options: { maxReplicas }, runtime });
  assert.deepEqual(of({}), { min: 2, max: 3, cpuPercent: 70 }, "the engine has at most 3");
  assert.deepEqual(of({}, 1), { min: 1, max: 1, cpuPercent: 70 });
  assert.deepEqual(of({ storage }), { min: 1, max: 1, cpuPercent: 70 });
  assert.deepEqual(of({ storage, sharesStorage: true }), { min: 2, max: 3, cpuPercent: 70 });
  const context = { options, runtime: new MemoryRuntime() };
  assert.deepEqual(replicasOf(desiredApp({ replicas: { min: 4, max: 4 } }), context), { min: 1, max: 1 });
});

test("an engine that supervises instances keeps a number within the range, and another one has the least", () => {
  const [range, engine, plainEngine] = [{ min: 2, max: 5 }, new SupervisingRuntime(), new MemoryRuntime()];
  const counts = (runtime: MemoryRuntime) => [0, 3, 9].map((wanted) => correctCount(range, wanted, { runtime }));
  assert.deepEqual(
    [counts(engine), counts(plainEngine)],
    [
      [2, 3, 5],
      [2, 2, 2],
    ],
  );
});

test("an app starts with its number of instances, and another number needs no other container", async () => {
  const fixture = await healthyWith(2);
  assert.deepEqual([fixture.container?.wanted, fixture.deployment.wantedInstances], [2, 2]);
  fixture.desired = desiredApp({ replicas: { min: 3, max: 3 } });
  fixture.runtime.calls.length = 0;
  await fixture.reconcile();
  assert.deepEqual(fixture.runtime.calls, [`start ${plain} 3`]);
  assert.deepEqual(
    [fixture.deployment.instances?.length, fixture.takeStates()],
    [3, "HEALTHY"],
    "an event: requests go to more instances",
  );
});

test("an app wakes up with its number of instances", async () => {
  const fixture = await healthyWith(2);
  fixture.deployments.requestSleep(fixture.deployment.appId);
  await fixture.reconcile();
  assert.deepEqual([fixture.deployment.state, fixture.deployment.instances], ["ASLEEP", undefined]);
  await fixture.deployments.requestWake(fixture.deployment.appId);
  await fixture.reconcile();
  assert.deepEqual([fixture.deployment.state, fixture.container?.wanted], ["HEALTHY", 2]);
});

test("the record has the instances as they change, and an app of which one is ready is healthy", async () => {
  const fixture = await healthyWith(2);
  const [first] = fixture.container?.instances ?? [];
  fixture.runtime.update((instance) => ({ ...instance, isReady: instance.id === first?.id }));
  await fixture.reconcile();
  const { state, instances = [] } = fixture.deployment;
  assert.deepEqual([state, instances.map(({ ready }) => ready)], ["HEALTHY", [true, false]]);
  assert.deepEqual([instances[0]?.place, instances[0]?.restarts], ["node-1", 0]);
  assert.equal(fixture.takeStates(), "HEALTHY", "an event: requests go to one instance");
  fixture.runtime.update((instance) => ({ ...instance, restarts: instance.isReady ? 0 : 1 }));
  await fixture.reconcile();
  assert.equal(fixture.deployment.instances?.[1]?.restarts, 1);
});

test("the record has the time since when fewer instances are ready than it should have, whatever changes in between", async () => {
  const fixture = await healthyWith(3);
  const since = () => fixture.deployment.degradedSince?.getTime();
  const [first, second] = fixture.container?.instances ?? [];
  const readyAre = async (...ready: readonly (typeof first)[]): Promise<number> => {
    const ids = ready.map((instance) => instance?.id);
    fixture.runtime.update((instance) => ({ ...instance, isReady: ids.includes(instance.id) }));
    await fixture.clock.advance(1_000);
    await fixture.reconcile();
    return fixture.deployment.updatedAt.getTime();
  };
  assert.equal(since(), undefined);
  const began = await readyAre(first, second);
  assert.equal(since(), began);
  assert.ok((await readyAre(first)) > began);
  assert.equal(since(), began);
  await readyAre(...(fixture.container?.instances ?? []));
  assert.equal(since(), undefined);
});

test("an autoscaler keeps its own number until the container with another range replaces its one", async () => {
  const fixture = await healthyWith(1, 3);
  const wantedAfter = async (wanted: number): Promise<number | undefined> => {
    await fixture.runtime.start(plain, wanted);
    await fixture.reconcile();
    return fixture.container?.wanted;
  };
  assert.equal(await wantedAfter(3), 3);
  fixture.desired = desiredApp({ replicas: { min: 1, max: 2 } });
  assert.equal(await wantedAfter(3), 3);
  assert.notEqual(fixture.deployment.wantedConfiguration, undefined);
  assert.equal(await wantedAfter(0), 1, "a stop that is no longer wanted");
});

test("the range is part of the configuration of a container only if the engine changes the number by itself", async () => {
  const fixture = await healthyWith(1, 3);
  fixture.desired = desiredApp({ replicas: { min: 1, max: 2 } });
  await fixture.reconcile();
  assert.notEqual(fixture.deployment.wantedConfiguration, undefined);
  assert.deepEqual(fixture.runtime.specs[0]?.replicas, { min: 1, max: 3 });
});
