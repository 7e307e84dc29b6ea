import assert from "node:assert/strict";
import { test } from "node:test";
import type { SnapshotReason } from "@appserver/contracts/deployments";
import { desiredApp, desiredRelease } from "../../test/fixtures.ts";
import type { MemoryRuntime } from "../../test/memory-runtime.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { onEachEngine, SupervisingRuntime } from "../../test/supervising-runtime.ts";
import { bothLoops, healthyFixture, names, plain, roles } from "../../test/switch-fixture.ts";
import type { SnapshotResult, StoredSnapshot } from "../ports.ts";

const { id: appId, name: appName } = desiredApp();
const operationId = desiredRelease().operationId;

/** A healthy app with a database and a storage. */
async function keptFixture(runtime?: MemoryRuntime): Promise<ReconcileFixture> {
  const fixture = await healthyFixture(runtime);
  fixture.runtime.stored.set(`${appId} data`, 4);
  return fixture;
}

function request(
  { snapshots, clock }: ReconcileFixture,
  id: string,
  reason: SnapshotReason = "manual",
  more: Partial<StoredSnapshot> = {},
): void {
  const app = { appId, appName, appVersion: "1.0.0", manifestDigest: "digest-1" };
  const createdAt = new Date(clock.now());
  snapshots.snapshots.set(id, { id, ...app, reason, state: "PENDING", storage: [], createdAt, ...more });
}

function requestRestore(fixture: ReconcileFixture, snapshotId: string): void {
  request(fixture, "undo", "restore");
  const createdAt = new Date(fixture.clock.now());
  const restore = { id: "r", snapshotId, appId, appName, undoId: "undo", state: "PENDING", createdAt } as const;
  fixture.snapshots.restores.set("r", restore);
}

async function taken(fixture: ReconcileFixture, id: string): Promise<StoredSnapshot> {
  await fixture.reconcile();
  const found = await fixture.snapshots.find(id);
  if (!found) throw new Error(`no snapshot ${id}`);
  return found;
}

onEachEngine("a running app is stopped while its data is copied, and runs again", async (runtime) => {
  const fixture = await keptFixture(runtime());
  request(fixture, "s1");
  fixture.databases.onCopy = async () => {
    assert.deepEqual(names(fixture), [`${plain} exited`]);
    assert.ok(fixture.deployment.pausedAt);
  };
  const snapshot = await taken(fixture, "s1");
  assert.partialDeepStrictEqual(snapshot, { state: "COMPLETED", databaseBytes: 8, pausedMs: 0 });
  assert.deepEqual(snapshot.storage, [{ name: "data", usedBytes: 4 }]);
  assert.deepEqual(fixture.databases.copying, ["copy s1"]);
  assert.equal(fixture.runtime.stored.get("s1 data"), 4);
  assert.equal(fixture.takeStates(), "HEALTHY RESTARTING STARTING HEALTHY", "the first one is the pause");
  assert.equal(fixture.deployment.pausedAt, undefined);
  assert.equal(fixture.deployment.restartCount, 0);
});

test("an app that does not run is copied without a pause, and does not start until the end", async () => {
  const fixture = await keptFixture();
  fixture.desired = desiredApp({ enabled: false });
  await fixture.reconcile();
  fixture.takeStates();
  request(fixture, "s1");
  fixture.databases.onCopy = async () => {
    fixture.desired = desiredApp({ generation: 2 });
  };
  const calls = fixture.runtime.calls.length;
  const snapshot = await taken(fixture, "s1");
  assert.partialDeepStrictEqual(snapshot, { state: "COMPLETED", pausedMs: undefined });
  assert.deepEqual(
    fixture.runtime.calls.slice(calls, calls + 3).map((call) => call.split(" ")[0]),
    ["storage", "copyStorage", "pull"],
  );
  assert.equal(fixture.deployment.state, "HEALTHY");
});

test("an app that is not installed gets the data of another one, and nothing of it starts", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = undefined;
  const original = { appId: "0193b8f0-0000-7000-8000-000000000009", appName: "com.example.original" };
  const storage = [{ name: "data", usedBytes: 4 }];
  request(fixture, "s1", "manual", { ...original, state: "COMPLETED", databaseBytes: 8, storage });
  fixture.databases.copies.set("s1", original.appId);
  fixture.runtime.stored.set("s1 data", 4);
  requestRestore(fixture, "s1");
  await fixture.reconcile();
  assert.equal(fixture.snapshots.restores.get("r")?.state, "COMPLETED");
  assert.equal(fixture.runtime.stored.get(`${appId} data`), 4);
  assert.ok(fixture.databases.copying.includes("restore s1"));
  assert.deepEqual([fixture.deployments.all, names(fixture)], [[], []]);
});

test("the data of an app is not deleted while a clone is getting that of a snapshot", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = undefined;
  request(fixture, "s1", "manual", { state: "COMPLETED" });
  const clone = { appId: "0193b8f0-0000-7000-8000-000000000009", appName: "com.example.clone" };
  const createdAt = new Date(fixture.clock.now());
  const restore = { id: "r", snapshotId: "s1", ...clone, undoId: "undo", state: "RUNNING", createdAt } as const;
  fixture.snapshots.restores.set("r", restore);
  await fixture.dataRemovals.request({ appId, appName, generation: 1 });
  await assert.rejects(fixture.reconcile(), /com\.example\.clone has got/);
  assert.ok(fixture.snapshots.snapshots.has("s1"));
  fixture.snapshots.restores.set("r", { ...restore, state: "COMPLETED" });
  await fixture.reconcile();
  assert.deepEqual([[...fixture.snapshots.snapshots.keys()], fixture.dataRemovals.open], [[], []]);
});

test("an app is paused for 30 s at most: then it runs again, and the snapshot says why it failed", async () => {
  const fixture = await keptFixture();
  request(fixture, "s1");
  let timeoutMs = 0;
  fixture.databases.onCopy = async (ms) => {
    timeoutMs = ms;
    await fixture.clock.sleep(60_000);
  };
  const taking = taken(fixture, "s1");
  while (fixture.clock.sleeping < 2) await fixture.clock.advance(0);
  await fixture.clock.advance(29_000);
  assert.equal(fixture.deployment.pausedAt === undefined, false);
  await fixture.clock.advance(1_000);
  const snapshot = await taking;
  assert.equal(timeoutMs, 30_000);
  assert.partialDeepStrictEqual(snapshot, { state: "FAILED", error: "the copy did not end within 30 s" });
  assert.ok(fixture.databases.copying.includes("remove s1"));
  assert.partialDeepStrictEqual(fixture.deployment, { state: "HEALTHY", pausedAt: undefined });
});

test("a restore keeps what is there, replaces it, and the app runs again", async () => {
  const fixture = await keptFixture();
  request(fixture, "s1");
  await taken(fixture, "s1");
  fixture.takeStates();
  fixture.databases.copying.length = 0;
  fixture.runtime.stored.set(`${appId} data`, 9);
  fixture.runtime.stored.set(`${appId} later`, 1);
  requestRestore(fixture, "s1");
  await fixture.reconcile();
  assert.equal(fixture.snapshots.restores.get("r")?.state, "COMPLETED");
  assert.deepEqual(fixture.databases.copying, ["copy undo", "restore s1"]);
  assert.deepEqual([fixture.runtime.stored.get(`${appId} data`), fixture.runtime.stored.get("undo data")], [4, 9]);
  assert.equal(fixture.runtime.stored.has(`${appId} later`), false);
  assert.equal(fixture.takeStates(), "HEALTHY RESTARTING CREATING STARTING HEALTHY");
});

test("if a restore fails, the app gets back what it had", async () => {
  const fixture = await keptFixture();
  request(fixture, "s1");
  await taken(fixture, "s1");
  fixture.runtime.stored.set(`${appId} data`, 9);
  fixture.runtime.stored.delete("s1 data");
  requestRestore(fixture, "s1");
  await fixture.reconcile();
  const { state, error } = fixture.snapshots.restores.get("r") ?? {};
  assert.deepEqual([state, error], ["FAILED", "no storage data; the app has the data that it had before"]);
  assert.equal(fixture.runtime.stored.get(`${appId} data`), 9);
  assert.deepEqual(fixture.databases.copying.slice(-1), ["restore undo"]);
  assert.equal(fixture.deployment.state, "HEALTHY");
});

onEachEngine(
  "an app that is asleep is copied and gets other data without being woken, and wakes up with it",
  async (runtime) => {
    const fixture = await keptFixture(runtime());
    fixture.deployments.requestSleep(appId);
    await fixture.reconcile();
    assert.equal(fixture.takeStates(), "ASLEEP");
    request(fixture, "s1");
    fixture.databases.onCopy = async () => void (await fixture.deployments.requestWake(appId));
    assert.partialDeepStrictEqual(await taken(fixture, "s1"), { state: "COMPLETED", pausedMs: undefined });
    assert.equal(fixture.takeStates(), "STARTING HEALTHY", "a request that came during the copy");
    fixture.deployments.requestSleep(appId);
    await fixture.reconcile();
    fixture.databases.onCopy = async () => {};
    fixture.takeStates();
    requestRestore(fixture, "s1");
    await fixture.reconcile();
    assert.deepEqual([fixture.snapshots.restores.get("r")?.state, fixture.takeStates()], ["COMPLETED", ""]);
    await fixture.deployments.requestWake(appId);
    await fixture.reconcile();
    assert.equal(fixture.takeStates(), "CREATING STARTING HEALTHY");
  },
);

test("a release waits for the snapshot before the upgrade, and does not start without it", async () => {
  for (const fails of [false, true]) {
    const fixture = await keptFixture();
    fixture.desired = desiredApp({ next: desiredRelease({ snapshotFirst: true }) });
    if (fails)
      fixture.databases.onCopy = async () => {
        throw new Error("the disk is full");
      };
    const switching = fixture.reconcile(false, "switching");
    // Longer than any number of steps that a loop may take.
    await fixture.clock.advance(60_000);
    assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: "2.0.0 PENDING" });
    await fixture.reconcile();
    const [snapshot] = [...fixture.snapshots.snapshots.values()];
    assert.partialDeepStrictEqual(snapshot, { reason: "upgrade", appVersion: "1.0.0", label: "before 2.0.0", operationId });
    await fixture.clock.advance(6_000);
    await switching;
    assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: `2.0.0 ${fails ? "FAILED" : "HEALTHY"}` });
    const { next } = await fixture.deployments.ofApp(appName);
    const message = fails ? "the snapshot before the upgrade failed: the disk is full" : undefined;
    assert.equal(next?.lastError?.message, message);
  }
});

test("an app returns to an earlier version with its data while nothing of it runs", async () => {
  const fixture = await keptFixture();
  request(fixture, "s1");
  await taken(fixture, "s1");
  fixture.databases.copying.length = 0;
  fixture.desired = desiredApp({ next: desiredRelease({ strategy: "replace", restoredSnapshot: "s1" }) });
  const copy = fixture.databases.restoreCopy.bind(fixture.databases);
  fixture.databases.restoreCopy = async (...given) => {
    assert.deepEqual(names(fixture), []);
    await copy(...given);
  };
  const switching = fixture.reconcile(false, "switching");
  await fixture.clock.advance(500);
  await fixture.reconcile();
  await fixture.clock.advance(6_000);
  await switching;
  assert.deepEqual(
    fixture.databases.copying.map((call) => call.split(" ")[0]),
    ["copy", "restore"],
  );
  assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: "2.0.0 HEALTHY" });
  // The switch is given up: what it requested is not carried out later, and the current deployment runs again.
  fixture.desired = desiredApp();
  await bothLoops(fixture);
  await bothLoops(fixture);
  assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY" });
});

test("a snapshot waits while another deployment of the app may write", async () => {
  const fixture = await keptFixture();
  fixture.desired = desiredApp({ next: desiredRelease() });
  const switching = fixture.reconcile(false, "switching");
  await fixture.clock.advance(6_000);
  await switching;
  request(fixture, "s1");
  assert.equal((await taken(fixture, "s1")).state, "PENDING");
  assert.deepEqual(fixture.databases.copying, []);
});

interface Kill {
  /** Number of the write of a deployment or of a snapshot, of the call of the engine or of the databases, at which the process dies. */
  readonly write?: number;
  readonly record?: number;
  readonly call?: number;
  readonly database?: number;
}

/** Runs a snapshot and its restore with real reconcilers: one that is killed, and one that follows it. */
async function restoreWithKill(engine: MemoryRuntime, kill: Kill): Promise<ReconcileFixture> {
  const { write = 0, record = 0, call = 0, database = 0 } = kill;
  const fixture = await keptFixture(engine);
  const { clock, deployments, runtime, snapshots, databases } = fixture;
  if (write > 0) deployments.killAtWrite = write + 5;
  if (database > 0) databases.killAfterCall = databases.calls + database;
  snapshots.killAtWrite = record;
  runtime.killAtCall = call;
  const isKilled = (): boolean =>
    deployments.kills + runtime.kills + snapshots.kills > 0 || (database > 0 && databases.calls >= databases.killAfterCall);
  request(fixture, "s1");
  let stopping = new AbortController();
  for (const part of [runtime, snapshots, databases]) part.onKill = () => stopping.abort();
  let reconciler = fixture.reconciler();
  let running = reconciler.run(stopping.signal);
  let reconcilers = 1;
  for (let step = 0; step < 60; step++) {
    await clock.advance(500);
    if (snapshots.snapshots.get("s1")?.state === "COMPLETED" && !snapshots.restores.has("r")) {
      runtime.stored.set(`${appId} data`, 9);
      requestRestore(fixture, "s1");
      reconciler.wake();
    }
    if (reconcilers > 1 || !isKilled()) continue;
    reconcilers += 1;
    stopping.abort();
    await clock.advance(0);
    await running;
    stopping = new AbortController();
    reconciler = fixture.reconciler(true);
    running = reconciler.run(stopping.signal);
  }
  stopping.abort();
  await clock.advance(0);
  await running;
  assert.equal(reconcilers, 2, "it was killed");
  return fixture;
}

onEachEngine("after a kill at any step of a snapshot and of a restore, both are complete and the app runs", async (runtime) => {
  const numbered = (count: number, kind: keyof Kill): readonly Kill[] =>
    Array.from({ length: count }, (_, index) => ({ [kind]: index + 1 }));
  // An engine that supervises restarts a container in one call, not in two.
  const calls = runtime() instanceof SupervisingRuntime ? 13 : 14;
  const steps = [...numbered(8, "write"), ...numbered(6, "record"), ...numbered(calls, "call"), ...numbered(3, "database")];
  for (const step of steps) {
    const fixture = await restoreWithKill(runtime(), step);
    const what = `killed at ${JSON.stringify(step)}`;
    const complete = (found: (SnapshotResult & { readonly state: string }) | undefined): unknown => found?.state;
    assert.equal(complete(fixture.snapshots.snapshots.get("s1")), "COMPLETED", what);
    assert.equal(fixture.snapshots.restores.get("r")?.state, "COMPLETED", what);
    assert.equal(fixture.runtime.stored.get(`${appId} data`), 4, what);
    assert.equal(fixture.runtime.stored.get("undo data"), 9, what);
    assert.deepEqual(names(fixture), [`${plain} running`], what);
    assert.partialDeepStrictEqual(fixture.deployment, { state: "HEALTHY", pausedAt: undefined }, what);
  }
});
