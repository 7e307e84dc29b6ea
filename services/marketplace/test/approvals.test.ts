import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { scopeObject } from "@appserver/contracts/authorization";
import type { AppError, Caller } from "@appserver/kernel";
import { callBy, rejectsWith, scaled } from "@appserver/testing/kit";
import { createMarketplaceReads } from "../src/index.ts";
import { approveScopes } from "../src/use-cases/app-approvals.ts";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import type { MarketplaceContext } from "../src/use-cases/context.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { planInstall } from "../src/use-cases/plan-install.ts";
import { readApp, readAsset } from "../src/use-cases/read-apps.ts";
import { readInstallPlan } from "../src/use-cases/read-install-plan.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { revokePermissions } from "../src/use-cases/revoke-permissions.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { validateManifest } from "../src/use-cases/validate-manifest.ts";
import { revokeLeftGrants } from "../src/workers/revoke-left-grants.ts";
import { signManifest, type TestIdentity, testIdentity, testManifest } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const anybody: Caller = { kind: "anonymous" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };

/** Permissions whose `replace` fails, as during an outage, for grants for which it `failsFor`. */
function unableToReplace(permissions: MarketplaceContext["permissions"], failsFor: (after: unknown) => boolean) {
  const replace: typeof permissions.replace = (appName, before, after) =>
    failsFor(after) ? Promise.reject(new Error("no response")) : permissions.replace(appName, before, after);
  return Object.assign(Object.create(permissions) as typeof permissions, {
    replace,
    allowed: permissions.allowed.bind(permissions),
    allowedEach: permissions.allowedEach.bind(permissions),
    forget: permissions.forget.bind(permissions),
  });
}

describe("approvals and grants of apps", async () => {
  const home = await startMarketplace();
  const { context, database, authorization, register, objections } = home;
  after(home.stop);

  const submit = (name: string, identity: TestIdentity, init: Parameters<typeof testManifest>[2]) => {
    const manifest = testManifest(name, identity, init);
    return registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody));
  };
  const install = (name: string) => installApp(context, { name }, callBy(system));
  const approve = (name: string, ...scopes: readonly string[]) => approvePermissions(context, { name, scopes }, callBy(system));
  const holds = (name: string, object: string) =>
    authorization.check({ user: `app:${name}`, relation: "holder", object: `permission_scope:${object}` });
  const ask = (
    scope: string,
    resourceType = "",
    more: { readonly requiresApproval?: boolean; readonly reason?: string } = {},
  ) => ({
    requiredPermissions: [{ scope, resourceType, reason: "", requiresApproval: false, ...more }],
  });
  const audited = async (name: string) => {
    const entries = await home.audit.read({ target: `app:${name}`, limit: 100 });
    return entries.map(({ action, actor, outcome }) => `${action} ${actor} ${outcome}`).reverse();
  };

  test("a registration between plan and installation is CONFLICT, and nothing of the new manifest is granted", async () => {
    const dependency = await register("com.example.slow");
    const name = "com.example.hasty";
    const { identity } = await register(name, { dependencies: [{ appName: dependency.app.name, kind: 1 }] });
    const during = {
      ...context,
      participants: [
        {
          name: "other",
          onCreate: async () => void (await submit(name, identity, { version: "1.0.1", ...ask("app:install") })),
        },
      ],
    };
    await assert.rejects(installApp(during, { name }, callBy(system)), rejectsWith("CONFLICT", /registered again/));
    assert.equal((await context.store.findByName(name))?.state, "REGISTERED");
    assert.equal(await holds(name, "install_app"), false);
  });

  test("installations that race with registrations never grant an unapproved permission", async () => {
    const outcomes = new Set<string>();
    const race = async (name: string): Promise<void> => {
      const identity = await testIdentity(name);
      for (let round = 0; round < scaled(250); round += 1) {
        await submit(name, identity, { version: `1.${round}.0` });
        const asking = ask("app:install", "", { reason: String(round) });
        const later = submit(name, identity, { version: `1.${round}.1`, ...asking });
        const [installed] = await Promise.allSettled([install(name), later]);
        outcomes.add(installed.status === "fulfilled" ? "installed" : (installed.reason as AppError).code);
        assert.equal(await holds(name, "install_app"), false, `round ${round}: ${[...outcomes].join(", ")}`);
        const { state } = (await context.store.findByName(name)) ?? {};
        if (state === "INSTALLED") await uninstallApp(context, { name, purgeData: false }, callBy(system));
      }
    };
    await Promise.all(["a", "b", "c", "d"].map((racer) => race(`com.example.racer-${racer}`)));
    const expected = new Set(["installed", "CONFLICT", "APPROVAL_REQUIRED"]);
    assert.deepEqual(
      [...outcomes].filter((outcome) => !expected.has(outcome)),
      [],
    );
    assert.ok(outcomes.size > 1, `every race had the same outcome: ${[...outcomes].join(", ")}`);
  });

  test("only the reviewed plan is installed: another plan is CONFLICT, and so is another manifest for approvals", async () => {
    const name = "com.example.reviewed";
    const { identity, app } = await register(name, ask("audit:view"));
    const { digest } = await planInstall(context, name);
    await approvePermissions(context, { name, scopes: ["audit:view"], manifestDigest: app.manifestDigest }, callBy(system));
    const plan = await planInstall(context, name);
    assert.notEqual(plan.digest, digest, "the first had a blocker and no step");
    await submit(name, identity, { version: "1.1.0" });
    await assert.rejects(
      installApp(context, { name, planDigest: plan.digest }, callBy(system)),
      rejectsWith("CONFLICT", /has changed since it was reviewed/),
    );
    await assert.rejects(
      approvePermissions(context, { name, scopes: [], manifestDigest: app.manifestDigest }, callBy(system)),
      rejectsWith("CONFLICT", /registered again/),
    );
    const { digest: now } = await planInstall(context, name);
    assert.equal((await installApp(context, { name, planDigest: now }, callBy(system))).app.state, "INSTALLED");
  });

  test("another app's scope always needs an approval, unless the operator accepts what manifests declare", async () => {
    const name = "com.example.taker";
    // A name without a dot is a valid app name, too.
    await register(name, ask("ledger:read", "ledger"));
    await assert.rejects(install(name), rejectsWith("APPROVAL_REQUIRED", /ledger:read of ledger/));
    await approve(name, "ledger:read");
    await install(name);
    assert.equal(await holds(name, "ledger/read_ledger"), true);

    const other = "com.example.literal";
    await register(other, ask("ledger:read", "ledger"));
    const literal = { ...context, policy: { ...context.policy, crossAppApproval: "declared" as const } };
    await installApp(literal, { name: other }, callBy(system));
    assert.equal(await holds(other, "ledger/read_ledger"), true);
    const own = "com.example.own";
    await register(own, ask("items:read", own));
    assert.equal((await install(own)).app.state, "INSTALLED");
  });

  test("an approval is valid for the owner, the scope and the manifest entry that requested it", async () => {
    const name = "com.example.shifty";
    const { identity } = await register(name, ask("data:read", "com.example.harmless", { reason: "Shows a number." }));
    await approve(name, "data:read");
    for (const [version, asks] of [
      ["1.1.0", ask("data:read", "com.example.secret", { reason: "Shows a number." })],
      ["1.2.0", ask("data:read", "com.example.harmless", { reason: "Sells it." })],
    ] as const) {
      await submit(name, identity, { version, ...asks });
      await assert.rejects(install(name), rejectsWith("APPROVAL_REQUIRED", /data:read/));
    }
    await submit(name, identity, {
      version: "1.3.0",
      ...ask("data:read", "com.example.harmless", { reason: "Shows a number." }),
    });
    assert.equal((await install(name)).app.state, "INSTALLED");
  });

  test("a permission that is approved again after its revocation is granted to an installed app at once", async () => {
    const name = "com.example.pardoned";
    const { app } = await register(name, ask("audit:view"));
    await approve(name, "audit:view");
    assert.equal(await holds(name, "view_audit"), false, "it is not installed");
    await install(name);
    await revokePermissions(context, { name, scopes: ["audit:view"] }, callBy(system));
    assert.equal(await holds(name, "view_audit"), false);
    const again = { appId: app.id, scopes: ["audit:view"] };
    const permissions = unableToReplace(context.permissions, () => true);
    await assert.rejects(approveScopes({ ...context, permissions }, again, callBy(system)), /no response/);
    await approveScopes(context, again, callBy(system));
    assert.equal(await holds(name, "view_audit"), true, "a repetition grants what the first attempt could not");
    await revokePermissions(context, { name, scopes: ["audit:view"] }, callBy(system));
    assert.equal(await holds(name, "view_audit"), false, "the grant was recorded");
  });

  test("approving and revoking container:root has the orchestrator look at the app at once; other permissions do not", async () => {
    const name = "com.example.rooted";
    await register(name, {
      requiredPermissions: ["container:root", "audit:view"].flatMap((scope) => ask(scope).requiredPermissions),
    });
    await approve(name, "audit:view");
    await revokePermissions(context, { name, scopes: ["audit:view"] }, callBy(system));
    assert.deepEqual(home.reconciled, []);
    await approve(name, "container:root");
    const approved = createMarketplaceReads(home.database);
    const { id } = await home.stored(name);
    assert.deepEqual([home.reconciled, await approved.isApproved(id, "container:root")], [[name], true]);
    await revokePermissions(context, { name, scopes: ["container:root"] }, callBy(system));
    assert.deepEqual([home.reconciled, await approved.isApproved(id, "container:root")], [[name, name], false]);
  });

  test("a revocation finishes the interrupted removal of an app's grants", async () => {
    const name = "com.example.interrupted";
    const scopes = ["audit:view", "app:view"];
    const { app } = await register(name, { requiredPermissions: scopes.flatMap((scope) => ask(scope).requiredPermissions) });
    await approve(name, ...scopes);
    await install(name);
    const recorded = (await context.approvals.grants(app.id)) ?? assert.fail("no grants");
    await context.approvals.recordGrants(app.id, { ...recorded, inForce: false });
    await revokePermissions(context, { name, scopes: ["audit:view"] }, callBy(system));
    assert.deepEqual(await context.approvals.grants(app.id), { own: [], required: [], inForce: true });
    assert.equal(await holds(name, "view_audit"), false);
  });

  test("what only an available version requires is not granted by its approval", async () => {
    const name = "com.example.patient";
    const { identity } = await register(name);
    await install(name);
    await submit(name, identity, { version: "1.1.0", ...ask("audit:view") });
    await approve(name, "audit:view");
    assert.equal(await holds(name, "view_audit"), false);
  });

  test("a failed installation keeps no grants, and an uninstalled app keeps none of any manifest", async () => {
    const name = "com.example.failing";
    const { identity } = await register(name, ask("audit:view"));
    await approve(name, "audit:view");
    objections.add(name);
    await assert.rejects(install(name), /refused/);
    assert.equal(await holds(name, "view_audit"), false);
    await install(name);
    assert.equal(await holds(name, "view_audit"), true);
    // Its container gave up. Its developers register a version that no longer requests the permission.
    await database.query("update marketplace.apps set state = 'FAILED', row_version = row_version + 1 where name = $1", [name]);
    await submit(name, identity, { version: "2.0.0" });
    await uninstallApp(context, { name, purgeData: false }, callBy(system));
    assert.equal(await holds(name, "view_audit"), false);
  });

  test("an installation revokes the grants of the previous manifest", async () => {
    const name = "com.example.shrinking";
    const { identity } = await register(name, ask("audit:view"));
    await approve(name, "audit:view");
    await install(name);
    await database.query("update marketplace.apps set state = 'FAILED', row_version = row_version + 1 where name = $1", [name]);
    await submit(name, identity, { version: "2.0.0" });
    await install(name);
    assert.equal(await holds(name, "view_audit"), false);
  });

  test("grants that could not be revoked are revoked when the authorization service is reachable again", async () => {
    const name = "com.example.outage";
    await register(name, ask("audit:view"));
    await approve(name, "audit:view");
    const away = { ...context, permissions: unableToReplace(context.permissions, (after) => after === undefined) };
    objections.add(name);
    await assert.rejects(installApp(away, { name }, callBy(system)), /refused/);
    assert.equal((await context.store.findByName(name))?.state, "FAILED");
    assert.equal(await holds(name, "view_audit"), true);
    assert.equal(await revokeLeftGrants(context), 1);
    assert.equal(await holds(name, "view_audit"), false);
    assert.equal(await revokeLeftGrants(context), 0);
  });

  test("a subscription to another app's hooks without the permission yields a warning", async () => {
    const name = "com.example.eager";
    const hooks = ["com.example.talking.said", "app.on_create", `${name}.own`].map((hookName) => ({ hookName }));
    const warnings = async (init: Parameters<typeof testManifest>[2], to = context) =>
      (await validateManifest(to, testManifest(name, await testIdentity(name), { hooks, ...init }))).warnings.map(
        ({ field }) => field,
      );
    assert.deepEqual(await warnings({}), ["hooks[0].hook_name"]);
    assert.deepEqual(await warnings(ask("hook:subscribe", "com.example.other")), ["hooks[0].hook_name"]);
    assert.deepEqual(await warnings(ask("hook:subscribe", "com.example.talking")), []);
    assert.deepEqual(await warnings({}, { ...context, policy: { ...context.policy, crossAppApproval: "declared" } }), []);
  });

  test("an approver must hold what is approved, or access:manage", async () => {
    const name = "com.example.escalating";
    const owner = (await register("com.example.escalated")).app.name;
    const [own, foreign] = ["access:manage", "secrets:read"];
    const needs = [own, foreign].map((scope) => ({
      scope,
      resourceType: scope === foreign ? owner : "",
      reason: "",
      requiresApproval: true,
    }));
    await register(name, { requiredPermissions: needs });
    const give = (id: string, permission: string, app?: string) =>
      authorization.write({ writes: [{ user: `user:${id}`, relation: "holder", object: scopeObject(permission, app) }] });
    const approveAs = (id: string, ...scopes: readonly string[]) =>
      approvePermissions(context, { name, scopes }, callBy({ kind: "user", id, displayName: id }));
    for (const id of ["small", "holding", "managing"]) await give(id, "permission:approve");
    await give("holding", foreign, owner);
    await give("managing", "access:manage");

    for (const scope of [own, foreign]) {
      await assert.rejects(
        approveAs("small", scope),
        rejectsWith("PERMISSION_DENIED", new RegExp(`user:small .*approve ${scope}.*access:manage`)),
      );
    }
    await assert.rejects(approveAs("holding", own, foreign), rejectsWith("PERMISSION_DENIED", /approve access:manage/));
    assert.deepEqual(await context.approvals.approvals((await context.store.findByName(name))?.id ?? ""), []);
    await approveAs("holding", foreign);
    await approveAs("managing", own);
    assert.deepEqual(
      (await context.approvals.approvals((await context.store.findByName(name))?.id ?? "")).map(({ scope }) => scope).sort(),
      [own, foreign],
    );
  });

  test("a caller without the permission cannot find out whether an app exists", async () => {
    for (const name of ["com.example.nowhere", "com.example.taker"]) {
      await assert.rejects(installApp(context, { name }, callBy(bob)), rejectsWith("PERMISSION_DENIED", /app:install/));
      await assert.rejects(
        uninstallApp(context, { name, purgeData: false }, callBy(bob)),
        rejectsWith("PERMISSION_DENIED", /app:uninstall/),
      );
      await assert.rejects(
        approvePermissions(context, { name, scopes: [] }, callBy(bob)),
        rejectsWith("PERMISSION_DENIED", /permission:approve/),
      );
      for (const [caller, code] of [
        [bob, "PERMISSION_DENIED"],
        [anybody, "AUTHENTICATION_REQUIRED"],
      ] as const) {
        const refused = rejectsWith(code, /app:view/);
        await assert.rejects(readApp(context, name, callBy(caller)), refused);
        await assert.rejects(readAsset(context, { appName: name, assetName: "a" }, callBy(caller)), refused);
        await assert.rejects(readInstallPlan(context, { name }, callBy(caller)), refused);
      }
    }
  });

  test("the audit log contains registrations, refusals, approvals, installations and removals, with their actors", async () => {
    const name = "com.example.audited";
    const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
    const { identity } = await register(name, ask("audit:view"));
    await submit(name, identity, { version: "1.1.0", ...ask("audit:view") });
    await assert.rejects(submit(name, await testIdentity(name), { version: "9.0.0" }), rejectsWith("CONFLICT", /another key/));
    const unsigned = testManifest(name, identity, { version: "9.0.0" });
    await assert.rejects(
      registerApp(context, { manifest: unsigned }, callBy(anybody)),
      rejectsWith("AUTHENTICATION_REQUIRED", /sign/),
    );
    await assert.rejects(submit(name, identity, { version: "1.0.1" }), rejectsWith("CONFLICT", /higher version/));
    const rekeyed = testManifest(name, await testIdentity(name), { version: "1.2.0", ...ask("audit:view") });
    await registerApp(context, { manifest: rekeyed }, callBy(admin));
    await approvePermissions(context, { name, scopes: ["audit:view"] }, callBy(admin));
    objections.add(name);
    await assert.rejects(installApp(context, { name }, callBy(admin)));
    await installApp(context, { name }, callBy(admin));
    await uninstallApp(context, { name, purgeData: false }, callBy(system));
    assert.deepEqual(await audited(name), [
      "app.register anonymous success",
      "app.update anonymous success",
      "app.register anonymous denied",
      "app.register anonymous denied",
      "app.rotate_key user:admin success",
      "permission.approve user:admin success",
      "app.install user:admin failure",
      "app.install user:admin success",
      "app.uninstall system success",
    ]);
  });
});
