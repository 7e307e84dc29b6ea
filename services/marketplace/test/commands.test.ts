import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import { deleteApp } from "../src/use-cases/delete-app.ts";
import { deleteStorage } from "../src/use-cases/delete-storage.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import type { CommandResult } from "../src/use-cases/operation.ts";
import { readOperationById } from "../src/use-cases/read-operations.ts";
import { redeployApp } from "../src/use-cases/redeploy-app.ts";
import { replaceKey } from "../src/use-cases/replace-key.ts";
import { restartApp } from "../src/use-cases/restart-app.ts";
import { revokePermissions } from "../src/use-cases/revoke-permissions.ts";
import { setAppEnabled } from "../src/use-cases/set-app-enabled.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { rollbackApp, upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { resumeOperations } from "../src/workers/resume-operations.ts";
import { type ManifestInit, testIdentity, withMethods } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
const call = callBy(admin);
const name = "com.example.commanded";
const other = "com.example.interrupted";
const scopes = ["audit:view"];

describe("the commands of the marketplace", async () => {
  const home = await startMarketplace();
  after(home.stop);
  const { context } = home;
  const identity = await testIdentity(name);
  const init: ManifestInit = {
    requiredPermissions: [{ scope: "audit:view", resourceType: "", reason: "", requiresApproval: true }],
    storage: [{ name: "data", mountPath: "/data", size: "1Gi" }],
  };
  const register = (version: string) => home.submit(name, identity, { ...init, version });
  const replace = (certificate: string) => replaceKey(context, { name, certificate: Buffer.from(certificate) }, call);
  const enable = (enabled: boolean) => setAppEnabled(context, { name, enabled }, call);

  /** Each command, the kind of its operation, and the generation that has to become healthy before the operation ends. */
  const commands: readonly (readonly [
    string,
    () => Promise<Pick<CommandResult, "operation"> & Partial<CommandResult>>,
    number?,
  ])[] = [
    ["register", () => register("1.0.0")],
    ["register", () => register("1.0.0")],
    ["approve", () => approvePermissions(context, { name, scopes }, call)],
    ["install", () => installApp(context, { name }, call), 1],
    ["restart", () => restartApp(context, { name }, call)],
    ["redeploy", () => redeployApp(context, { name, pull: false }, call), 2],
    ["register", () => register("1.1.0")],
    ["upgrade", () => upgradeApp(context, { name }, call), 3],
    ["rollback", () => rollbackApp(context, { name }, call), 4],
    ["revoke", () => revokePermissions(context, { name, scopes }, call)],
    ["replace_key", async () => replace((await testIdentity(name)).certificate)],
    ["replace_key", () => replace(identity.certificate)],
    ["replace_key", () => replace(identity.certificate)],
    ["enable", () => enable(true)],
    ["disable", () => enable(false)],
    ["enable", () => enable(true)],
    ["uninstall", () => uninstallApp(context, { name, purgeData: false }, call)],
    ["delete_storage", () => deleteStorage(context, { name, storage: "data" }, call)],
    ["delete", async () => ({ operation: (await deleteApp(context, { name }, call)).operation })],
  ];

  test("each returns its own operation, which stays readable after its end", async () => {
    const ids = new Set<string>();
    let id = "";
    for (const [kind, run, generation] of commands) {
      const { app, operation } = await run();
      id = app?.id ?? id;
      ids.add(operation.id);
      assert.deepEqual([operation.kind, operation.appName, operation.done], [kind, name, generation === undefined], kind);
      if (generation !== undefined) {
        home.deploy(id, generation, "HEALTHY", { operationId: operation.id });
        await applyDeployment(context, name);
      }
      if (kind === "uninstall") for (const each of [1, 2, 3, 4]) home.deploy(id, each, "STOPPED");
      const stored = await readOperationById(context, operation.id, call);
      assert.deepEqual([stored?.id, stored?.kind, stored?.done, stored?.stage], [operation.id, kind, true, "done"]);
      assert.deepEqual([stored?.progress, stored?.error], [1, undefined]);
      assert.ok(stored?.finishedAt && stored.finishedAt >= stored.startedAt);
    }
    assert.equal(ids.size, commands.length);
    assert.deepEqual(await context.store.unfinished(), []);
  });

  test("an approval whose process died is granted by the next one; the deletion of a storage is not repeated", async () => {
    const killed = () => Promise.reject(new Error("killed"));
    const endOf = async (kind: string) => {
      const operation = (await context.store.unfinished()).find((each) => each.kind === kind);
      await resumeOperations(context);
      return context.store.operationById(operation?.id ?? "");
    };
    const { app } = await home.register(other, init);
    await approvePermissions(context, { name: other, scopes }, call);
    await installApp(context, { name: other }, call);
    await revokePermissions(context, { name: other, scopes }, call);
    const dying = { ...context, approvals: withMethods(context.approvals, { grants: killed }) };
    await assert.rejects(approvePermissions(dying, { name: other, scopes }, call), /killed/);
    assert.equal((await endOf("approve"))?.stage, "done");
    const holder = { user: `app:${other}`, relation: "holder", object: "permission_scope:view_audit" };
    assert.equal(await home.authorization.check(holder), true);
    await setAppEnabled(context, { name: other, enabled: false }, call);
    const deployments = { ...context.deployments, removeData: killed };
    await assert.rejects(deleteStorage({ ...context, deployments }, { name: other, storage: "data" }, call), /killed/);
    assert.equal((await endOf("delete_storage"))?.error?.code, "SERVICE_UNAVAILABLE");
    assert.equal(home.deletedStorage.length, 1);
    assert.equal((await context.store.operation(app.id))?.done, true);
  });
});
