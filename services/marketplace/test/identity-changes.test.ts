import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { approveScopes, readApprovals, revokeScopesOf } from "../src/use-cases/app-approvals.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import { deleteApp } from "../src/use-cases/delete-app.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { replaceKey } from "../src/use-cases/replace-key.ts";
import { revokePermissions } from "../src/use-cases/revoke-permissions.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { upgradeApp } from "../src/use-cases/upgrade-app.ts";
import {
  liveAppsOn,
  type ManifestInit,
  signManifest,
  successorOf,
  type TestIdentity,
  testIdentity,
  testManifest,
} from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const anybody: Caller = { kind: "anonymous" };
const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };

describe("changes of an app's key and permissions by an administrator", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const submit = (name: string, identity: TestIdentity, init: ManifestInit) => {
    const manifest = testManifest(name, identity, init);
    return registerApp(home.context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody));
  };

  describe("replacing the key", () => {
    const replace = async (name: string, certificate: string | Uint8Array, caller: Caller = admin) =>
      (await replaceKey(home.context, { name, certificate: Buffer.from(certificate) }, callBy(caller))).app;

    test("every replica has the new key, registrations need it, and the old key is refused", async () => {
      const name = "com.example.rekeyed";
      const { identity: old, app } = await home.register(name);
      await installApp(home.context, { name }, callBy(system));
      const replica = liveAppsOn(home.database);
      await replica.refresh();
      const next = await testIdentity(name);
      const changed = await replace(name, next.certificate);
      assert.notEqual(changed.keyFingerprint, app.keyFingerprint);
      assert.equal(changed.version, app.version);
      assert.equal((await home.eventsOf(name)).at(-1)?.type, "app.key_replaced");
      for (const apps of [home.context.apps, replica]) {
        const live = await apps.current(name);
        assert.deepEqual(Buffer.from(live?.certificate ?? []).toString(), next.certificate);
        assert.equal(live?.manifest.name, name);
      }
      await assert.rejects(submit(name, old, { version: "1.1.0" }), rejectsWith("CONFLICT", /another key/));
      await assert.rejects(submit(name, await successorOf(old, name), { version: "1.1.0" }), rejectsWith("CONFLICT"));
      assert.equal((await submit(name, next, { version: "1.1.0" })).app.availableVersion, "1.1.0");
      const [entry] = (await home.audit.read({ target: `app:${name}`, limit: 20 })).filter(
        ({ action }) => action === "app.replace_key",
      );
      assert.deepEqual([entry?.actor, entry?.outcome], ["user:admin", "success"]);
    });

    test("the same certificate changes nothing; the old key is free for another app", async () => {
      const name = "com.example.rekeyed_again";
      const { identity: old } = await home.register(name);
      const next = await testIdentity(name);
      const { rowVersion } = await replace(name, next.certificate);
      assert.equal((await replace(name, next.certificate)).rowVersion, rowVersion);
      await home.register("com.example.heir", {}, Promise.resolve(old));
    });

    test("a certificate that no registration may have, and the key of another app, are refused", async () => {
      const name = "com.example.unkeyed";
      await home.register(name);
      const { identity: other } = await home.register("com.example.neighbour");
      await assert.rejects(replace(name, ""), rejectsWith("INVALID_REQUEST", /is required/));
      await assert.rejects(replace(name, "-----BEGIN CERTIFICATE-----"), rejectsWith("INVALID_REQUEST", /X\.509/));
      await assert.rejects(replace(name, other.certificate), rejectsWith("CONFLICT", /belongs to another app/));
      const authority = await testIdentity("authority");
      const ca = { registration: "ca", certificateAuthorities: [authority.certificate] } as const;
      const strict = { ...home.context, policy: { ...home.context.policy, ...ca } };
      const { certificate } = await testIdentity(name);
      await assert.rejects(
        replaceKey(strict, { name, certificate: Buffer.from(certificate) }, callBy(admin)),
        rejectsWith("PERMISSION_DENIED", /authority/),
      );
    });

    test("only administrators replace keys: an app is refused even with the permission", async () => {
      const holder: Caller = { kind: "app", id: "1", name: "com.example.holder" };
      await home.authorization.write({
        writes: [{ user: "app:com.example.holder", relation: "holder", object: "permission_scope:register_app" }],
      });
      for (const caller of [bob, holder])
        await assert.rejects(replace("com.example.none", "x", caller), rejectsWith("PERMISSION_DENIED"));
      await assert.rejects(replace("com.example.none", "x"), rejectsWith("NOT_FOUND"));
    });
  });

  describe("revoking permissions", () => {
    const needs = (...scopes: string[]): ManifestInit => ({
      requiredPermissions: scopes.map((scope) => ({ scope, resourceType: "", reason: "", requiresApproval: true })),
    });
    const revoke = (name: string, scopes: readonly string[], caller: Caller = admin) =>
      revokePermissions(home.context, { name, scopes }, callBy(caller));
    const holds = (name: string, object: string) =>
      home.authorization.check({ user: `app:${name}`, relation: "holder", object: `permission_scope:${object}` });
    const running = async (name: string, init: ManifestInit) => {
      const { app, identity } = await home.register(name, init);
      const scopes = (init.requiredPermissions ?? []).map(({ scope = "" }) => scope);
      await approvePermissions(home.context, { name, scopes }, callBy(admin));
      await installApp(home.context, { name }, callBy(system));
      home.deploy(app.id, 1, "HEALTHY");
      await applyDeployment(home.context, name);
      return { identity, id: app.id };
    };

    test("a command by id never changes another app that got the name in between", async (t) => {
      const name = "com.example.succeeded";
      const { app: before } = await home.register(name, needs("audit:view"));
      await deleteApp(home.context, { name }, callBy(system));
      const { id } = await running(name, needs("audit:view"));
      const [granted] = await home.context.approvals.approvals(id);
      t.mock.method(home.context.store, "findById", async () => before);
      const request = { appId: before.id, scopes: ["audit:view"] };
      for (const command of [approveScopes, revokeScopesOf])
        await assert.rejects(command(home.context, request, callBy(admin)), rejectsWith("NOT_FOUND", /no app has the id/));
      await assert.rejects(readApprovals(home.context, before.id, callBy(admin)), rejectsWith("NOT_FOUND"));
      assert.deepEqual(await home.context.approvals.approvals(id), [granted]);
    });

    test("takes back the approval and what it granted, and nothing else; the app keeps running", async () => {
      const name = "com.example.trusted";
      const { id } = await running(name, needs("audit:view", "metrics:view"));
      const { state } = (await revoke(name, ["audit:view"])).app;
      assert.equal(state, "RUNNING");
      assert.deepEqual([await holds(name, "view_audit"), await holds(name, "view_metrics")], [false, true]);
      assert.deepEqual(
        (await home.context.approvals.approvals(id)).map(({ scope }) => scope),
        ["metrics:view"],
      );
      const [entry] = await home.audit.read({ target: `app:${name}`, limit: 1 });
      assert.deepEqual([entry?.action, entry?.actor], ["permission.revoke", "user:admin"]);
      await revoke(name, ["audit:view"]);
      await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
      await assert.rejects(installApp(home.context, { name }, callBy(system)), rejectsWith("APPROVAL_REQUIRED", /audit:view/));
    });

    test("during an upgrade, the new version does not get it either; the next one needs the approval again", async () => {
      const name = "com.example.changing";
      const { id, identity } = await running(name, needs("audit:view"));
      await submit(name, identity, { version: "1.1.0", ...needs("audit:view") });
      await upgradeApp(home.context, { name }, callBy(system));
      await revoke(name, ["audit:view"]);
      assert.equal(await holds(name, "view_audit"), false);
      home.deploy(id, 2, "HEALTHY");
      await applyDeployment(home.context, name);
      assert.equal((await home.context.store.findByName(name))?.version, "1.1.0");
      assert.equal(await holds(name, "view_audit"), false);
      await submit(name, identity, { version: "1.2.0", ...needs("audit:view") });
      await assert.rejects(upgradeApp(home.context, { name }, callBy(system)), rejectsWith("APPROVAL_REQUIRED"));
    });

    test("grants nothing to an app that is not installed", async () => {
      const name = "com.example.waiting";
      await home.register(name, needs("audit:view", "metrics:view"));
      await approvePermissions(home.context, { name, scopes: ["audit:view", "metrics:view"] }, callBy(admin));
      await revoke(name, ["audit:view"]);
      assert.deepEqual([await holds(name, "view_audit"), await holds(name, "view_metrics")], [false, false]);
    });

    test("refuses scopes that are not approved, and needs permission:approve, which is checked first", async () => {
      await assert.rejects(revoke("com.example.none", ["x:y"], bob), rejectsWith("PERMISSION_DENIED", /permission:approve/));
      await assert.rejects(revoke("com.example.none", ["x:y"]), rejectsWith("NOT_FOUND"));
      await home.register("com.example.modest");
      await assert.rejects(revoke("com.example.modest", ["audit:view"]), rejectsWith("INVALID_REQUEST", /no approval/));
      await assert.rejects(revoke("com.example.modest", []), rejectsWith("INVALID_REQUEST", /at least one/));
    });
  });
});
