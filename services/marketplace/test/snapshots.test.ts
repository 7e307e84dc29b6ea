import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Caller, SystemClock } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { holdsRequests } from "../src/domain/releases.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { readOperationById } from "../src/use-cases/read-operations.ts";
import { listSnapshots } from "../src/use-cases/snapshots/list-snapshots.ts";
import { createSnapshot, deleteSnapshot, restoreSnapshot } from "../src/use-cases/snapshots/snapshot-commands.ts";
import { rollbackApp, upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { resumeOperations } from "../src/workers/resume-operations.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const call = callBy(system);
const clock = new SystemClock();

describe("snapshots of apps in the marketplace", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const running = async (name: string) => {
    const { app, identity } = await home.register(name);
    await installApp(home.context, { name }, call);
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    return { app, identity };
  };
  const create = (name: string, label?: string, caller: Caller = system) =>
    createSnapshot(home.context, { name, label }, callBy(caller));
  const endOf = async (id: string) => {
    await resumeOperations(home.context);
    const operation = await readOperationById(home.context, id, call);
    return [operation?.done, operation?.error?.message];
  };

  test("an operation has the id of its snapshot and ends with it", async () => {
    const name = "com.example.copied";
    const { app } = await running(name);
    const { operation } = await create(name, "before the import");
    assert.deepEqual([operation.kind, operation.done], ["create_snapshot", false]);
    assert.deepEqual(await endOf(operation.id), [false, undefined]);
    const [snapshot] = await listSnapshots(home.context, { name }, call);
    const { version: appVersion, manifestDigest } = app;
    assert.partialDeepStrictEqual(snapshot, { id: operation.id, label: "before the import", appVersion, manifestDigest });
    await assert.rejects(create(name), rejectsWith("CONFLICT"));
    home.snapshots.end(operation.id, { state: "COMPLETED" });
    assert.deepEqual(await endOf(operation.id), [true, undefined]);
    const failing = (await create(name)).operation.id;
    home.snapshots.end(failing, { state: "FAILED", error: "the disk is full" });
    assert.deepEqual(await endOf(failing), [true, "the disk is full"]);
    const lost = (await create(name)).operation.id;
    home.snapshots.snapshots.delete(lost);
    assert.deepEqual(await endOf(lost), [true, "the request was interrupted; send it again"]);
  });

  test("commands need app:backup, an app that ran and a snapshot of the app", async () => {
    const [name, other] = ["com.example.guarded", "com.example.foreign"];
    await running(name);
    await home.register(other);
    const snapshot = (await create(name)).operation.id;
    home.snapshots.end(snapshot, { state: "COMPLETED" });
    const restore = (app: string, id: string, caller: Caller = system) =>
      restoreSnapshot(home.context, { name: app, snapshot: id }, callBy(caller));
    const remove = (app: string, id: string, caller: Caller = system) =>
      deleteSnapshot(home.context, { name: app, snapshot: id }, callBy(caller));
    for (const refused of [
      () => create(name, undefined, bob),
      () => restore(name, snapshot, bob),
      () => remove(name, snapshot, bob),
    ])
      await assert.rejects(refused, rejectsWith("PERMISSION_DENIED", /app:backup/));
    await assert.rejects(listSnapshots(home.context, { name }, callBy(bob)), rejectsWith("PERMISSION_DENIED"));
    await assert.rejects(create(name, "two\nlines"), rejectsWith("INVALID_REQUEST", /label/));
    await assert.rejects(create(other), rejectsWith("INVALID_STATE", /never run in a container/));
    for (const refused of [
      () => restore(other, snapshot),
      () => remove(other, snapshot),
      () => restore(name, "'; drop table"),
      () => remove(name, name),
    ])
      await assert.rejects(refused, rejectsWith("NOT_FOUND"));
    const { operation } = await restore(name, snapshot);
    home.snapshots.restores.set(operation.id, {
      ...{ id: operation.id, snapshotId: snapshot, appId: "", appName: name, undoId: "" },
      ...{ state: "COMPLETED", createdAt: new Date() },
    });
    assert.deepEqual(await endOf(operation.id), [true, undefined]);
    assert.equal((await remove(name, snapshot)).operation.done, true);
    assert.deepEqual(await listSnapshots(home.context, { name }, call), []);
  });

  test("an upgrade asks for a snapshot if the setting says so, and a rollback for its data", async () => {
    const name = "com.example.switching";
    const { app, identity } = await running(name);
    await home.submit(name, identity, { version: "1.1.0" });
    home.backups.set(app.id, true);
    const { operation } = await upgradeApp(home.context, { name }, call);
    assert.partialDeepStrictEqual((await home.stored(name)).target, { snapshotFirst: true, strategy: "side_by_side" });
    home.deploy(app.id, 2, "HEALTHY", { operationId: operation.id });
    await applyDeployment(home.context, name);
    const withData = () => rollbackApp(home.context, { name, withData: true }, call);
    await assert.rejects(
      withData(),
      rejectsWith("INVALID_STATE", /no snapshot of com\.example\.switching from before an upgrade/),
    );
    const { version: appVersion, manifestDigest } = app;
    const taken = { appId: app.id, appName: name, appVersion, manifestDigest, reason: "upgrade" } as const;
    const { id } = await home.snapshots.request(taken);
    home.snapshots.end(id, { state: "COMPLETED" });
    await withData();
    assert.partialDeepStrictEqual((await home.stored(name)).target, { restoredSnapshot: id, strategy: "replace" });
    await rollbackApp(home.context, { name }, call);
    // A snapshot of a version that the app no longer has does not fit its code.
    const newer = await home.snapshots.request({ ...taken, appVersion: "9.0.0", reason: "manual" });
    home.snapshots.end(newer.id, { state: "COMPLETED" });
    const restoring = restoreSnapshot(home.context, { name, snapshot: newer.id }, call);
    await assert.rejects(restoring, rejectsWith("INVALID_STATE", /is of version 9\.0\.0/));
  });

  test("requests wait while the deployment is paused, 30 s at most, and once for each pause", async () => {
    const name = "com.example.waiting";
    const { app } = await running(name);
    const report = async (...[state, more]: [Parameters<typeof home.deploy>[2], Parameters<typeof home.deploy>[3]?]) => {
      home.deploy(app.id, 1, state, more);
      await applyDeployment(home.context, name);
      const stored = await home.stored(name);
      return [stored.state, holdsRequests(stored)];
    };
    assert.deepEqual(await report("HEALTHY", { pausedAt: new Date(clock.now()) }), ["RUNNING", true]);
    assert.deepEqual(await report("RESTARTING"), ["RUNNING", true]);
    assert.deepEqual(await report("HEALTHY", { endpoint: "http://127.0.0.1:2" }), ["RUNNING", false]);
    assert.equal((await home.stored(name)).endpoint, "http://127.0.0.1:2");
    const longAgo = new Date(clock.now() - 30_000);
    assert.deepEqual(await report("HEALTHY", { pausedAt: longAgo }), ["RUNNING", false]);
  });
});
