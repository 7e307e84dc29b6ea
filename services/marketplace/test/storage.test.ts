import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { UpgradeStrategy } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { Caller } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { liveRelease } from "../src/domain/live-app.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { deleteStorage } from "../src/use-cases/delete-storage.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { readStorage } from "../src/use-cases/read-app-parts.ts";
import { setAppEnabled } from "../src/use-cases/set-app-enabled.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { validManifest } from "./complete-manifest.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const data = { name: "data", mountPath: "/data", size: "1Gi" };
const createdAt = new Date("2026-01-02T03:04:05Z");
const left = { name: "app-index", mountPath: "/index", size: "1Mi", createdAt, usedBytes: 5, measuredAt: createdAt };

describe("the storage of an app in the marketplace", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const remove = (name: string, storage: string, caller: Caller = system) =>
    deleteStorage(home.context, { name, storage }, callBy(caller));
  const running = async (name: string) => {
    const { app, manifest } = await home.register(name, { storage: [data] });
    home.storage.set(app.id, [left]);
    await installApp(home.context, { name }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    return { app, manifest };
  };

  test("an app with storage is replaced, unless it asks to run twice", () => {
    const strategy = (change: Partial<ReturnType<typeof validManifest>>) =>
      liveRelease(Object.assign(validManifest(), { upgrade: UpgradeStrategy.UNSPECIFIED }, change)).strategy;
    assert.equal(strategy({}), "replace");
    assert.equal(strategy({ storage: [] }), "side_by_side");
    assert.equal(strategy({ upgrade: UpgradeStrategy.SIDE_BY_SIDE }), "side_by_side");
    assert.equal(strategy({ storage: [], upgrade: UpgradeStrategy.REPLACE }), "replace");
  });

  test("it lists what is declared and what an earlier version left", async () => {
    const { app, manifest } = await running("com.example.listing");
    const { name, mountPath, size, ...stored } = left;
    assert.deepEqual(await readStorage(home.context, app, manifest), [
      { name, mountPath, size, declared: false, stored },
      { ...data, declared: true, stored: undefined },
    ]);
  });

  test("one is deleted only of an app that does not run, and by a caller with app:delete", async () => {
    const name = "com.example.deleting";
    const { app } = await running(name);
    await assert.rejects(remove(name, "data", bob), rejectsWith("PERMISSION_DENIED"));
    await assert.rejects(remove("com.example.nobody", "data", bob), rejectsWith("PERMISSION_DENIED"));
    await assert.rejects(remove("com.example.nobody", "data"), rejectsWith("NOT_FOUND"));
    await assert.rejects(remove(name, "unknown"), rejectsWith("NOT_FOUND"));
    await assert.rejects(remove(name, "data"), rejectsWith("INVALID_STATE"));
    await setAppEnabled(home.context, { name, enabled: false }, callBy(system));
    home.deploy(app.id, 1, "STOPPING");
    await assert.rejects(remove(name, "data"), rejectsWith("CONFLICT"));
    assert.deepEqual(home.deletedStorage, []);
    home.deploy(app.id, 1, "STOPPED");
    await remove(name, "data");
    await remove(name, "app-index");
    assert.deepEqual(home.deletedStorage.splice(0), [`${name} data d`, `${name} app-index d`]);
    await setAppEnabled(home.context, { name, enabled: true }, callBy(system));
    await assert.rejects(remove(name, "data"), rejectsWith("INVALID_STATE"));
    await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    await remove(name, "data");
    assert.deepEqual(home.deletedStorage.splice(0), [`${name} data d`]);
    const entries = await home.audit.read({ target: `app:${name}`, limit: 50 });
    const deletions = entries.filter(({ action }) => action === "app.delete_storage");
    assert.deepEqual(
      deletions.map(({ details }) => (details as { readonly storage: string }).storage),
      ["data", "app-index", "data"],
    );
  });

  test("one of an app that has never run is deleted without a deployment", async () => {
    const name = "com.example.never-ran";
    await home.register(name, { storage: [data] });
    await remove(name, "data");
    assert.deepEqual(home.deletedStorage.splice(0), [`${name} data undefined`]);
  });
});
