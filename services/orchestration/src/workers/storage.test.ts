import assert from "node:assert/strict";
import { test } from "node:test";
import { desiredApp, desiredRelease, options } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { measureStorage } from "./storage-meter.ts";

const { id: appId, name: appName } = desiredApp();
const data = { name: "data", mountPath: "/data", size: "1Gi" };
const cache = { name: "page-cache", mountPath: "/srv/cache", size: "100Mi" };

async function running(storage = [data, cache]): Promise<ReconcileFixture> {
  const fixture = new ReconcileFixture();
  fixture.desired = desiredApp({ storage });
  await fixture.reconcile();
  return fixture;
}

function keptBy({ runtime, storageRecords }: ReconcileFixture): readonly (readonly string[])[] {
  return [[...runtime.stored.keys()], [...storageRecords.records.keys()]].map((keys) => keys.sort());
}

const both = [`${appId} data`, `${appId} page-cache`];

test("a container has the declared storage, and the record names it with its age", async () => {
  const fixture = await running();
  assert.deepEqual(fixture.runtime.specs.at(-1)?.storage, [
    { name: "data", mountPath: "/data", variable: "APP_STORAGE_DATA", sizeBytes: 2 ** 30, isShared: false },
    {
      ...{ name: "page-cache", mountPath: "/srv/cache", variable: "APP_STORAGE_PAGE_CACHE" },
      ...{ sizeBytes: 100 * 2 ** 20, isShared: false },
    },
  ]);
  const createdAt = fixture.storageRecords.records.get(both[0] ?? "")?.createdAt;
  assert.ok(createdAt);
  await fixture.clock.advance(60_000);
  fixture.desired = desiredApp({ generation: 2, storage: [{ ...data, mountPath: "/files" }] });
  await fixture.reconcile();
  assert.deepEqual(keptBy(fixture), [both, both], "what is no longer declared is kept");
  const moved = fixture.storageRecords.records.get(both[0] ?? "");
  assert.deepEqual([moved?.mountPath, moved?.createdAt], ["/files", createdAt]);
});

test("a container is recorded before it starts, also after a kill at any call of the engine or any write", async () => {
  const whole = await running();
  const kills: readonly ((fixture: ReconcileFixture, at: number) => void)[] = [
    ({ deployments }, at) => {
      deployments.killAtWrite = at;
    },
    ({ runtime }, at) => {
      runtime.killAtCall = at;
    },
  ];
  const counts = [whole.deployments.states.length, whole.runtime.calls.length];
  for (const [index, kill] of kills.entries()) {
    for (let at = 1; at <= (counts[index] ?? 0); at++) {
      const fixture = new ReconcileFixture();
      fixture.desired = desiredApp({ storage: [data, cache] });
      kill(fixture, at);
      for (let start = 0; start < 3; start++) await fixture.reconcile().catch(() => {});
      assert.equal(fixture.deployment.state, "HEALTHY");
      assert.deepEqual(keptBy(fixture), [both, both], `kill ${index} at ${at}`);
    }
  }
});

test("a next deployment has its own storage, and what the current one has stays", async () => {
  const fixture = await running([data]);
  fixture.desired = desiredApp({ storage: [data], next: desiredRelease({ storage: [data, cache] }) });
  await fixture.reconcile(false, "switching");
  assert.deepEqual(
    fixture.runtime.specs.at(-1)?.storage?.map(({ name }) => name),
    ["data", "page-cache"],
  );
  assert.deepEqual(keptBy(fixture), [both, both]);
});

test("an uninstallation keeps storage, and a request to delete the data of the app deletes all of it", async () => {
  const fixture = await running();
  fixture.desired = undefined;
  await fixture.reconcile();
  assert.deepEqual(keptBy(fixture), [both, both]);
  await fixture.dataRemovals.request({ appId, appName, generation: 1 });
  await fixture.reconcile();
  assert.deepEqual([keptBy(fixture), fixture.dataRemovals.open], [[[], []], []]);
});

test("after a kill while the data of an app is deleted, all of it is deleted", async () => {
  const fixture = await running();
  fixture.desired = undefined;
  await fixture.reconcile();
  await fixture.dataRemovals.request({ appId, appName, generation: 1 });
  fixture.runtime.killAtCall = fixture.runtime.calls.length + 1;
  await assert.rejects(fixture.reconcile(), /killed/);
  assert.deepEqual(keptBy(fixture), [both, both]);
  assert.equal(fixture.dataRemovals.open.length, 1);
  await fixture.reconcile();
  assert.deepEqual([keptBy(fixture), fixture.dataRemovals.open], [[[], []], []]);
});

test("one storage is deleted when the app is at rest, and not its database nor its other storage", async () => {
  const fixture = await running();
  const deploymentId = fixture.deployment.id;
  await fixture.dataRemovals.request({ appId, appName, storage: "data", deploymentId });
  await fixture.reconcile();
  assert.deepEqual(keptBy(fixture), [both, both], "the app runs");
  fixture.desired = desiredApp({ storage: [data, cache], enabled: false });
  await fixture.reconcile();
  assert.deepEqual(keptBy(fixture), [[both[1]], [both[1]]]);
  assert.deepEqual([[...fixture.databases.databases], fixture.dataRemovals.open], [[appId], []]);
});

test("a request for one storage has no effect once another deployment began, whatever its generation", async () => {
  for (const deploymentId of ["0193b8f0-0000-7000-8000-00000000000f", undefined]) {
    const fixture = await running();
    await fixture.dataRemovals.request({ appId, appName, storage: "data", deploymentId });
    fixture.desired = desiredApp({ storage: [data, cache], enabled: false });
    await fixture.reconcile();
    assert.deepEqual([keptBy(fixture), fixture.dataRemovals.open], [[both, both], []]);
  }
});

test("storage of an app that was deleted is removed, although another app has its name", async () => {
  const fixture = await running();
  const gone = "0193b8f0-0000-7000-8000-00000000000a";
  fixture.runtime.stored.set(`${gone} data`, 1);
  await fixture.dataRemovals.request({ appId: gone, appName, storage: "data", deploymentId: undefined });
  fixture.desired = desiredApp({ storage: [data, cache], enabled: false });
  await fixture.reconcile();
  assert.deepEqual(keptBy(fixture), [both, both]);
});

test("storage is measured by one orchestrator at an interval, and only if there is any", async () => {
  const { signal } = new AbortController();
  const empty = new ReconcileFixture();
  await measureStorage(empty.orchestrationContext, signal);
  assert.deepEqual(empty.runtime.calls, []);

  const fixture = await running();
  fixture.runtime.stored.set(`${appId} data`, 5_000);
  const measurements = () => fixture.runtime.calls.filter((call) => call === "storage").length;
  for (let replica = 0; replica < 2; replica++) await measureStorage(fixture.orchestrationContext, signal);
  assert.equal(measurements(), 1);
  const [first] = await fixture.storageRecords.ofApp(appId);
  assert.deepEqual([first?.usedBytes, first?.measuredAt?.getTime()], [5_000, fixture.clock.now()]);
  await fixture.clock.advance(options.storageUsageIntervalMs);
  fixture.isLeaseTaken = true;
  await measureStorage(fixture.orchestrationContext, signal);
  assert.equal(measurements(), 1, "another orchestrator measures");
  fixture.isLeaseTaken = false;
  await measureStorage(fixture.orchestrationContext, signal);
  assert.equal(measurements(), 2);
});
