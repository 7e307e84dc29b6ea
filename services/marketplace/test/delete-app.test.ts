import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { Caller } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import { deleteApp } from "../src/use-cases/delete-app.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { readOperationById, watchOperation } from "../src/use-cases/read-operations.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { resumeOperations } from "../src/workers/resume-operations.ts";
import { liveAppsOn, testAsset, testIdentity } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };

describe("deleting the registration of an app", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const remove = (name: string, caller: Caller = system) => deleteApp(home.context, { name }, callBy(caller));
  const isRegistered = async (name: string) => (await home.context.store.findByName(name)) !== undefined;
  /** Counts what the marketplace stores of an app in any table. */
  const rowsOf = async (id: string): Promise<number> => {
    const { rows: tables } = await home.database.query<{ table_name: string }>(
      "select table_name from information_schema.columns where table_schema = 'marketplace' and column_name = 'app_id'",
    );
    let count = 0;
    for (const { table_name } of tables)
      count += (await home.database.query(`select 1 from marketplace.${table_name} where app_id = $1`, [id])).count;
    return count;
  };

  test("a watcher of a deletion receives its end; its operation is kept for a day, the others go with the app", async () => {
    const name = "com.example.vanishing";
    const { app, operation: registration } = await home.register(name);
    home.unforgotten.add(name);
    await assert.rejects(remove(name), rejectsWith("SERVICE_UNAVAILABLE"));
    const { id = "" } = (await home.context.store.operation(app.id)) ?? {};
    const seen: string[] = [];
    for await (const { appName, stage, done, error } of watchOperation(home.context, id, callBy(system))) {
      seen.push(`${appName} ${stage} ${done} ${error?.code}`);
      if (!done) await resumeOperations(home.context);
    }
    assert.deepEqual(seen, [`${name} delete false undefined`, `${name} done true undefined`]);
    const operationOf = (of: string) => readOperationById(home.context, of, callBy(system));
    assert.deepEqual([(await operationOf(id))?.done, await operationOf(registration.id)], [true, undefined]);
    const old = "started_at = started_at - interval '25 hours'";
    await home.database.query(`update marketplace.operations set ${old} where id = $1`, [id]);
    await home.register(name);
    await remove(name);
    assert.equal(await operationOf(id), undefined);
  });

  test("everything goes except audit entries; then another key may have the name, and another app the key", async () => {
    const name = "com.example.deleted";
    const keys = await testIdentity(name);
    const required = { scope: "audit:view", resourceType: "", reason: "", requiresApproval: true };
    const asset = testAsset("main.js", "export {}", keys);
    const navigation = [{ title: "Page", href: "/deleted", requiredPermissions: ["page:read"] }];
    const ui = { entryAssetName: "main.js", routeBase: "/deleted", mode: 3, navigation };
    const { app } = await home.register(
      name,
      { requiredPermissions: [required], webApp: { assets: [asset], ui } },
      Promise.resolve(keys),
    );
    await approvePermissions(home.context, { name, scopes: ["audit:view"] }, callBy(system));
    await installApp(home.context, { name }, callBy(system));
    await assert.rejects(remove(name), rejectsWith("INVALID_STATE", /uninstall it/));
    await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    // An administrator wrote these by hand.
    const byHand = [
      { user: "user:carol", relation: "viewer", object: `app:${name}` },
      { user: "user:carol", relation: "holder", object: `permission_scope:${name}/read_page` },
      { user: `app:${name}`, relation: "holder", object: "permission_scope:view_metrics" },
      { user: `app:${name}`, relation: "assignee", object: "role:bots" },
    ];
    await home.authorization.write({ writes: byHand });
    assert.ok((await rowsOf(app.id)) > 0);

    await remove(name);
    assert.deepEqual([await isRegistered(name), await rowsOf(app.id), home.context.apps.get(name)], [false, 0, undefined]);
    for (const { relation, user, object } of byHand)
      assert.equal(await home.authorization.check({ user, relation, object }), false);
    assert.deepEqual([home.purged.at(-1), home.forgotten.at(-1)], [name, name]);
    assert.equal((await home.eventsOf(name)).at(-1)?.type, "app.deleted");
    const entries = await home.audit.read({ target: `app:${name}`, limit: 20 });
    assert.deepEqual([entries[0]?.action, entries.at(-1)?.action], ["app.delete", "app.register"]);

    const { app: other } = await home.register(name);
    assert.notEqual(other.keyFingerprint, app.keyFingerprint);
    assert.equal((await home.context.apps.current(name))?.app.id, other.id);
    await home.register("com.example.renamed", {}, Promise.resolve(keys));
  });

  test("a replica that missed the deletion replaces the old app by the new one of its name", async () => {
    const name = "com.example.reborn";
    const { app } = await home.register(name);
    const apps = liveAppsOn(home.database);
    await apps.refresh();
    await remove(name);
    const { app: next } = await home.register(name);
    await apps.refresh();
    assert.deepEqual([apps.get(name)?.app.id, apps.byId(app.id), apps.byId(next.id)?.app.id], [next.id, undefined, next.id]);
    let changes = 0;
    apps.onChange(() => {
      changes += 1;
    });
    await apps.refreshIfChanged();
    assert.equal(changes, 0);
  });

  test("an app that failed after its installation must be uninstalled first; one whose installation failed need not", async () => {
    const name = "com.example.exhausted";
    const { app } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    home.deploy(app.id, 1, "FAILED", { final: true, lastError: { code: "UPSTREAM_ERROR", message: "exited" } });
    await applyDeployment(home.context, name);
    await assert.rejects(remove(name), rejectsWith("INVALID_STATE", /is FAILED; uninstall it/));
    await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    await assert.rejects(remove(name), rejectsWith("CONFLICT", /container .* is still being removed/));
    home.deploy(app.id, 1, "STOPPED");
    await remove(name);
    const failed = "com.example.refused";
    await home.register(failed);
    home.objections.add(failed);
    await assert.rejects(installApp(home.context, { name: failed }, callBy(system)));
    await remove(failed);
    assert.deepEqual([await isRegistered(name), await isRegistered(failed)], [false, false]);
  });

  test("an app that an installed app needs stays", async () => {
    const [needed, needing] = ["com.example.needed", "com.example.needing"];
    const { app } = await home.register(needed);
    await home.register(needing, { dependencies: [{ appName: needed, kind: DependencyKind.HARD }] });
    await installApp(home.context, { name: needing }, callBy(system));
    // No command leads here: an uninstallation is refused for the same reason.
    const uninstalled = "state = 'UNINSTALLED', row_version = row_version + 1";
    await home.database.query(`update marketplace.apps set ${uninstalled} where id = $1`, [app.id]);
    await assert.rejects(remove(needed), rejectsWith("DEPENDENCY_UNSATISFIED", /com\.example\.needing/));
  });

  test("an interrupted deletion is finished, unless the app was changed since", async () => {
    const [kept, gone] = ["com.example.kept", "com.example.gone"];
    await home.register(kept);
    await home.register(gone);
    for (const name of [kept, gone]) {
      home.unforgotten.add(name);
      await assert.rejects(remove(name), rejectsWith("SERVICE_UNAVAILABLE"));
    }
    await installApp(home.context, { name: kept }, callBy(system));
    assert.equal(await resumeOperations(home.context), 1);
    assert.deepEqual([await isRegistered(kept), await isRegistered(gone)], [true, false]);
    assert.equal(await resumeOperations(home.context), 0);
  });

  test("needs app:delete, which is checked first", async () => {
    await assert.rejects(remove("com.example.none", bob), rejectsWith("PERMISSION_DENIED", /app:delete/));
    await assert.rejects(remove("com.example.none"), rejectsWith("NOT_FOUND"));
  });
});
