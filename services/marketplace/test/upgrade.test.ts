import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Caller, newTraceparent, parseTraceparent, runInTrace } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { assetReader } from "../src/index.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { readUpgradePlan } from "../src/use-cases/plan-upgrade.ts";
import { watchOperation } from "../src/use-cases/read-operations.ts";
import { redeployApp } from "../src/use-cases/redeploy-app.ts";
import { setAppEnabled } from "../src/use-cases/set-app-enabled.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { rollbackApp, upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { resumeOperations } from "../src/workers/resume-operations.ts";
import { type ManifestInit, testAsset } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";
import { runningApp } from "./running-app.ts";

const system: Caller = { kind: "system", reason: "test" };

describe("upgrade and rollback", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const submit: typeof home.submit = (...registration) => home.submit(...registration);
  const stored: typeof home.stored = (name) => home.stored(name);
  const running = (name: string, next: ManifestInit = {}) => runningApp(home, name, next);
  const eventsOf = async (name: string) => (await home.eventsOf(name)).map(({ type }) => type);
  const operationOf = (id: string) => home.context.store.operationById(id);

  test("the old version serves until the new one is healthy; then everything switches at once", async () => {
    const name = "com.example.upgraded";
    const { id } = await running(name);
    const before = await stored(name);
    const { app, operation } = await upgradeApp(home.context, { name }, callBy(system));
    assert.deepEqual([app.version, app.state, app.generation], ["1.0.0", "RUNNING", 1]);
    assert.deepEqual([app.target?.version, app.target?.generation, operation.done], ["1.1.0", 2, false]);
    home.deploy(id, 2, "STARTING");
    await applyDeployment(home.context, name);
    assert.equal((await stored(name)).version, "1.0.0");
    home.deploy(id, 2, "HEALTHY", { endpoint: "http://127.0.0.1:2", imageDigest: "sha256:two" });
    await applyDeployment(home.context, name);
    const after = await stored(name);
    assert.deepEqual(
      [after.version, after.generation, after.endpoint, after.imageDigest, after.target, after.availableVersion],
      ["1.1.0", 2, "http://127.0.0.1:2", "sha256:two", undefined, undefined],
    );
    assert.notEqual(after.manifestDigest, before.manifestDigest);
    assert.equal((await operationOf(operation.id))?.done, true);
    assert.deepEqual((await eventsOf(name)).slice(-2), ["app.upgrade_started", "app.upgraded"]);
    const changes = await home.context.store.versionChanges(id, 10);
    assert.deepEqual(
      changes.map(({ kind, fromVersion, version }) => [kind, fromVersion, version]),
      [
        ["upgrade", "1.0.0", "1.1.0"],
        ["install", undefined, "1.0.0"],
      ],
    );
  });

  test("what other services store of the manifest changes in the transaction of the switch, or not at all", async () => {
    const name = "com.example.declaring";
    const { id } = await running(name);
    await upgradeApp(home.context, { name }, callBy(system));
    assert.equal(await home.declaredVersion(name), "1.0.0");
    home.deploy(id, 2, "HEALTHY");
    home.undeclared.add(name);
    await assert.rejects(applyDeployment(home.context, name), /declarations are refused/);
    assert.deepEqual([await home.declaredVersion(name), (await stored(name)).version], ["1.0.0", "1.0.0"]);
    await applyDeployment(home.context, name);
    assert.deepEqual([await home.declaredVersion(name), (await stored(name)).version], ["1.1.0", "1.1.0"]);
    await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    assert.equal(await home.declaredVersion(name), undefined);
  });

  test("a rollback runs the image that the earlier version ran", async () => {
    const name = "com.example.returned";
    const { id } = await running(name);
    await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "HEALTHY", { imageDigest: "sha256:two" });
    await applyDeployment(home.context, name);
    const { app } = await rollbackApp(home.context, { name }, callBy(system));
    assert.deepEqual([app.target?.kind, app.target?.version, app.target?.imageDigest], ["rollback", "1.0.0", "sha256:one"]);
    home.deploy(id, 3, "HEALTHY", { imageDigest: "sha256:one" });
    await applyDeployment(home.context, name);
    const after = await stored(name);
    assert.deepEqual([after.version, after.availableVersion, after.imageDigest], ["1.0.0", "1.1.0", "sha256:one"]);
    assert.equal((await eventsOf(name)).at(-1), "app.rolled_back");
  });

  test("a new version that does not start is given up with the reason, and the old one stays", async () => {
    const name = "com.example.broken";
    const { id } = await running(name);
    const { operation } = await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "FAILED", { final: true, lastError: { code: "UPSTREAM_ERROR", message: "the app exited with code 1" } });
    await applyDeployment(home.context, name);
    const after = await stored(name);
    assert.deepEqual([after.version, after.state, after.target, after.generation], ["1.0.0", "RUNNING", undefined, 1]);
    const ended = await operationOf(operation.id);
    assert.deepEqual([ended?.done, ended?.error?.message], [true, "1.1.0 did not start: the app exited with code 1"]);
    assert.equal((await eventsOf(name)).at(-1), "app.rolled_back");
    assert.equal(after.availableVersion, "1.1.0");
  });

  for (const [ending, state, name] of [
    ["success", "HEALTHY", "com.example.traced"],
    ["failure", "FAILED", "com.example.retraced"],
  ] as const) {
    test(`the audit entries of a switch have the trace of its command, also at its end: ${ending}`, async () => {
      const { id } = await running(name);
      const traceparent = newTraceparent();
      await runInTrace(traceparent, () => upgradeApp(home.context, { name }, callBy(system)));
      home.deploy(id, 2, state, { final: true });
      await runInTrace(newTraceparent(), () => applyDeployment(home.context, name));
      const entries = (await home.audit.read({ target: `app:${name}`, limit: 2 })).toReversed();
      const traceId = parseTraceparent(traceparent)?.traceId;
      assert.deepEqual(
        entries.map(({ action, outcome, traceId: trace }) => [action, outcome, trace]),
        [
          ["app.upgrade", "success", traceId],
          ["app.upgrade", ending, traceId],
        ],
      );
    });
  }

  test("of two upgrades at once, one starts and the other is CONFLICT", async () => {
    const name = "com.example.raced";
    await running(name);
    const attempts = await Promise.allSettled([1, 2].map(() => upgradeApp(home.context, { name }, callBy(system))));
    assert.deepEqual(attempts.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    await assert.rejects(
      upgradeApp(home.context, { name }, callBy(system)),
      rejectsWith("CONFLICT", /already switching to 1.1.0/),
    );
  });

  test("a rollback without a version cancels a running upgrade", async () => {
    const name = "com.example.cancelled";
    await running(name);
    const { operation } = await upgradeApp(home.context, { name }, callBy(system));
    const { app } = await rollbackApp(home.context, { name }, callBy(system));
    assert.deepEqual([app.version, app.target], ["1.0.0", undefined]);
    assert.match((await operationOf(operation.id))?.error?.message ?? "", /^cancelled by /);
  });

  test("versions that are not registered, run already, or lie across an irreversible migration are refused", async () => {
    const name = "com.example.refused";
    const { id, identity } = await running(name, { irreversibleMigration: true });
    const attempt = (version?: string) => upgradeApp(home.context, { name, version }, callBy(system));
    await assert.rejects(attempt("9.9.9"), rejectsWith("NOT_FOUND", /not registered/));
    const planned = readUpgradePlan(home.context, { name, version: "" }, callBy(system));
    await assert.rejects(planned, rejectsWith("NOT_FOUND", /version "" .* is not registered/));
    await assert.rejects(attempt("1.0.0"), rejectsWith("INVALID_STATE", /has that version already/));
    await assert.rejects(
      rollbackApp(home.context, { name }, callBy(system)),
      rejectsWith("INVALID_STATE", /no earlier version/),
    );
    await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "HEALTHY");
    await applyDeployment(home.context, name);
    await assert.rejects(attempt(), rejectsWith("INVALID_STATE", /no newer version/));
    await assert.rejects(
      rollbackApp(home.context, { name }, callBy(system)),
      rejectsWith("INVALID_STATE", /irreversible migration/),
    );
    await submit(name, identity, { version: "1.2.0" });
    await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    await assert.rejects(attempt(), rejectsWith("INVALID_STATE", /UNINSTALLED/));
  });

  test("what a version adds needs an approval; what it drops is revoked with the switch", async () => {
    const name = "com.example.asking";
    const ask = { requiredPermissions: [{ scope: "audit:view", resourceType: "", reason: "", requiresApproval: true }] };
    const { id } = await running(name, ask);
    const holds = () =>
      home.authorization.check({ user: `app:${name}`, relation: "holder", object: "permission_scope:view_audit" });
    await assert.rejects(upgradeApp(home.context, { name }, callBy(system)), rejectsWith("APPROVAL_REQUIRED", /audit:view/));
    const digest = (await stored(name)).availableDigest;
    await approvePermissions(home.context, { name, scopes: ["audit:view"], manifestDigest: digest }, callBy(system));
    await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "HEALTHY");
    await applyDeployment(home.context, name);
    assert.equal(await holds(), true);
    await rollbackApp(home.context, { name }, callBy(system));
    home.deploy(id, 3, "HEALTHY");
    await applyDeployment(home.context, name);
    assert.equal(await holds(), false);
  });

  test("an app without a container switches at once, with its assets", async () => {
    const name = "com.example.page";
    const external = { api: { basePath: `/api/apps/${name}`, upstreamBaseUrl: "http://192.0.2.1" } };
    const { identity } = await home.register(name, { webApp: external });
    await installApp(home.context, { name }, callBy(system));
    const first = await stored(name);
    const asset = testAsset("main.js", "export {}", identity);
    await submit(name, identity, {
      version: "1.1.0",
      webApp: { assets: [asset], ui: { entryAssetName: "main.js", routeBase: "/page", mode: 3, navigation: [] } },
    });
    const { app, operation } = await upgradeApp(home.context, { name }, callBy(system));
    assert.deepEqual([app.version, app.state, operation.done], ["1.1.0", "RUNNING", true]);
    assert.equal((await home.context.store.assets(app.id, app.manifestDigest)).length, 1);
    assert.equal((await home.context.store.assets(app.id, first.manifestDigest)).length, 0);
  });

  test("a redeployment runs the same version again; with `pull` its image is resolved again", async () => {
    const name = "com.example.redeployed";
    const { id } = await running(name);
    const { app } = await redeployApp(home.context, { name, pull: false }, callBy(system));
    assert.deepEqual([app.target?.version, app.target?.imageDigest, app.target?.generation], ["1.0.0", "sha256:one", 2]);
    home.deploy(id, 2, "HEALTHY", { imageDigest: "sha256:one" });
    await applyDeployment(home.context, name);
    const again = await redeployApp(home.context, { name, pull: true }, callBy(system));
    assert.equal(again.app.target?.imageDigest, undefined);
  });

  test("a crash after the switch: the next process finishes the operation and its grants", async () => {
    const name = "com.example.crashed";
    const { id } = await running(name);
    const { operation } = await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "HEALTHY");
    const dying = { ...home.context, participants: [{ name: "dies", prepare: () => Promise.reject(new Error("killed")) }] };
    await assert.rejects(applyDeployment(dying, name), /killed/);
    const switched = await stored(name);
    assert.deepEqual([switched.version, switched.target], ["1.1.0", undefined]);
    assert.deepEqual([(await operationOf(operation.id))?.stage, (await operationOf(operation.id))?.done], ["switch", false]);
    await resumeOperations(home.context);
    assert.deepEqual([(await operationOf(operation.id))?.stage, (await operationOf(operation.id))?.done], ["done", true]);
  });

  test("an operation can be watched until it is done, with the percent of the pull", async () => {
    const name = "com.example.watched";
    const { id } = await running(name);
    const { operation } = await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "PULLING", { progress: 0.5 });
    const seen: string[] = [];
    for await (const now of watchOperation(home.context, operation.id, callBy(system))) {
      seen.push(`${now.stage} ${Math.round(now.progress * 100)} %`);
      if (now.stage !== "pull") continue;
      home.deploy(id, 2, "HEALTHY");
      await applyDeployment(home.context, name);
    }
    assert.deepEqual(seen, ["pull 35 %", "done 100 %"]);
    const watching = watchOperation(home.context, "00000000-0000-7000-8000-000000000000", callBy(system));
    await assert.rejects(watching.next(), rejectsWith("NOT_FOUND", /no operation/));
  });

  test("only the reviewed plan is executed", async () => {
    const name = "com.example.planned";
    const imageDigest = `sha256:${"5".repeat(64)}`;
    const { identity } = await running(name, { imageDigest });
    const { digest, steps, differences } = await readUpgradePlan(home.context, { name }, callBy(system));
    assert.deepEqual(
      steps.map(({ action, appName, version, image }) => [action, appName, version, image]),
      [["upgrade", name, "1.1.0", { digest: imageDigest }]],
    );
    assert.deepEqual([differences.from, differences.to], ["1.0.0", "1.1.0"]);
    assert.deepEqual(differences.imageDigest, { from: undefined, to: imageDigest });
    await submit(name, identity, { version: "1.2.0" });
    const stale = upgradeApp(home.context, { name, planDigest: digest }, callBy(system));
    await assert.rejects(stale, rejectsWith("CONFLICT", /has changed since it was reviewed/));
    const { app } = await upgradeApp(home.context, { name, version: "1.1.0", planDigest: digest }, callBy(system));
    assert.equal(app.target?.version, "1.1.0");
  });

  test("a reviewed plan that another administrator has carried out is CONFLICT", async () => {
    const name = "com.example.carried-out";
    const { identity } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    const external = { api: { basePath: `/api/apps/${name}`, upstreamBaseUrl: "http://192.0.2.1" } };
    await submit(name, identity, { version: "1.1.0", webApp: external });
    const { digest } = await readUpgradePlan(home.context, { name }, callBy(system));
    const upgrade = (planDigest?: string) => upgradeApp(home.context, { name, version: "1.1.0", planDigest }, callBy(system));
    assert.equal((await upgrade(digest)).app.version, "1.1.0");
    await assert.rejects(upgrade(digest), rejectsWith("CONFLICT", /that version already: the reviewed plan is out of date$/));
    await assert.rejects(upgrade(), rejectsWith("INVALID_STATE", /that version already$/));
  });

  test("an app that never became healthy runs after a switch to a release that has nothing to check", async () => {
    const name = "com.example.mended";
    const { identity } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    const external = { api: { basePath: `/api/apps/${name}`, upstreamBaseUrl: "http://192.0.2.1" } };
    await submit(name, identity, { version: "1.1.0", webApp: external });
    assert.equal((await stored(name)).state, "INSTALLED");
    const { app } = await upgradeApp(home.context, { name }, callBy(system));
    assert.deepEqual([app.version, app.state, app.health], ["1.1.0", "RUNNING", "HEALTHY"]);
  });

  test("the release that was left is kept before those that never served", async () => {
    const name = "com.example.old";
    const { identity, id } = await running(name);
    for (let minor = 2; minor <= 6; minor += 1) await submit(name, identity, { version: `1.${minor}.0` });
    await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "HEALTHY");
    await applyDeployment(home.context, name);
    await submit(name, identity, { version: "1.7.0" });
    const kept = (await home.context.store.releases(id)).map(({ version }) => version);
    assert.deepEqual(kept, ["1.7.0", "1.6.0", "1.5.0", "1.4.0", "1.0.0"]);
  });

  test("another command does not end what follows a committed switch", async () => {
    const name = "com.example.settling";
    const { id } = await running(name);
    const { operation } = await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "HEALTHY");
    const dying = { ...home.context, participants: [{ name: "dies", prepare: () => Promise.reject(new Error("killed")) }] };
    await assert.rejects(applyDeployment(dying, name), /killed/);
    await setAppEnabled(home.context, { name, enabled: false }, callBy(system));
    assert.equal((await operationOf(operation.id))?.done, false);
    await resumeOperations(home.context);
    assert.equal((await operationOf(operation.id))?.done, true);
  });

  test("files of a release are there from its switch on, not from its registration", async () => {
    const name = "com.example.filed";
    const { identity } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    const asset = testAsset("main.js", "export {}", identity);
    const ui = { entryAssetName: "main.js", routeBase: "/filed", mode: 3, navigation: [] };
    await submit(name, identity, { version: "1.1.0", webApp: { assets: [asset], ui } });
    const { id, availableDigest: manifestDigest = "" } = await stored(name);
    const find = () => assetReader(home.database)({ appId: id, manifestDigest }, "main.js");
    assert.equal(await find(), undefined);
    await upgradeApp(home.context, { name }, callBy(system));
    assert.equal((await find())?.name, "main.js");
  });

  test("a switch ends also if the current deployment is given up before its end, and heals the app", async () => {
    const name = "com.example.rescued";
    const { id } = await running(name);
    await upgradeApp(home.context, { name }, callBy(system));
    for (const [state, more] of [["RESTARTING"], ["FAILED", { final: true }]] as const) {
      home.deploy(id, 1, state, more);
      await applyDeployment(home.context, name);
    }
    assert.equal((await stored(name)).state, "FAILED");
    home.deploy(id, 2, "HEALTHY");
    await applyDeployment(home.context, name);
    const after = await stored(name);
    assert.deepEqual([after.version, after.state, after.target], ["1.1.0", "RUNNING", undefined]);
  });

  test("an app that is UNHEALTHY is RUNNING with its switch to a healthy release, without a further event", async () => {
    const name = "com.example.relieved";
    const { id } = await running(name);
    home.deploy(id, 1, "UNHEALTHY");
    await applyDeployment(home.context, name);
    await upgradeApp(home.context, { name }, callBy(system));
    assert.equal((await stored(name)).state, "UNHEALTHY");
    home.deploy(id, 2, "HEALTHY");
    await applyDeployment(home.context, name);
    const after = await stored(name);
    assert.deepEqual([after.version, after.state, after.health], ["1.1.0", "RUNNING", "HEALTHY"]);
    assert.deepEqual((await eventsOf(name)).slice(-2), ["app.upgraded", "app.state_changed"]);
  });

  test("an uninstallation ends a running upgrade", async () => {
    const name = "com.example.leaving";
    await running(name);
    await upgradeApp(home.context, { name }, callBy(system));
    const { app } = await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    assert.deepEqual([app.state, app.target], ["UNINSTALLED", undefined]);
  });
});
