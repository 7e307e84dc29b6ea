import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AppError, type Caller } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import type { LiveApp } from "../src/domain/live-app.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { restartApp } from "../src/use-cases/restart-app.ts";
import { setAppEnabled } from "../src/use-cases/set-app-enabled.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { resumeOperations } from "../src/workers/resume-operations.ts";
import { signManifest, testManifest } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const final = { final: true, lastError: { code: "UPSTREAM_ERROR", message: "exited" } } as const;

describe("enabling, disabling and restarting an app", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const enable = async (name: string, enabled: boolean, caller: Caller = system) =>
    (await setAppEnabled(home.context, { name, enabled }, callBy(caller))).app;
  const stored = async (name: string) => {
    const app = await home.context.store.findByName(name);
    assert.ok(app, `${name} is registered`);
    return app;
  };
  const running = async (name: string) => {
    const { app, identity } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    return { id: app.id, identity };
  };
  const operationOf = async (name: string) => home.context.store.operation((await stored(name)).id);
  const typesOf = async (name: string) => (await home.eventsOf(name)).map(({ type }) => type);
  const audited = async (name: string) =>
    (await home.audit.read({ target: `app:${name}`, limit: 20 })).map(({ action }) => action);

  test("a disabled app keeps its state, without an address and with unknown health; its container says nothing about it", async () => {
    const name = "com.example.paused";
    const { id } = await running(name);
    const disabled = await enable(name, false);
    assert.deepEqual(
      [disabled.enabled, disabled.state, disabled.health, disabled.endpoint],
      [false, "RUNNING", "UNKNOWN", undefined],
    );
    for (const state of ["STOPPING", "STOPPED", "FAILED"] as const) {
      home.deploy(id, 1, state, state === "FAILED" ? final : {});
      await applyDeployment(home.context, name);
      assert.deepEqual([(await stored(name)).state, (await stored(name)).health], ["RUNNING", "UNKNOWN"], state);
    }
    home.deploy(id, 1, "STARTING");
    assert.equal((await enable(name, true)).enabled, true);
    home.deploy(id, 1, "HEALTHY", { endpoint: "http://127.0.0.1:2" });
    await applyDeployment(home.context, name);
    const after = await stored(name);
    assert.deepEqual([after.state, after.health, after.endpoint], ["RUNNING", "HEALTHY", "http://127.0.0.1:2"]);
    assert.deepEqual(
      (await typesOf(name)).filter((type) => type.endsWith("abled")),
      ["app.disabled", "app.enabled"],
    );
    assert.deepEqual((await audited(name)).slice(0, 2), ["app.enable", "app.disable"]);
  });

  test("an app that is enabled while its container still runs is healthy at once", async () => {
    const name = "com.example.quick";
    await running(name);
    await enable(name, false);
    const app = await enable(name, true);
    assert.deepEqual([app.health, app.endpoint], ["HEALTHY", "http://127.0.0.1:1"]);
  });

  test("an app without anything to check is healthy again when it is enabled", async () => {
    const name = "com.example.outside";
    const webApp = { api: { basePath: `/api/apps/${name}`, upstreamBaseUrl: "http://192.0.2.1" } };
    await home.register(name, { webApp });
    await installApp(home.context, { name }, callBy(system));
    assert.equal((await enable(name, false)).health, "UNKNOWN");
    assert.equal((await enable(name, true)).health, "HEALTHY");
  });

  test("the same again does nothing", async () => {
    const name = "com.example.repeated";
    await running(name);
    await enable(name, true);
    await enable(name, false);
    const { rowVersion } = await stored(name);
    await enable(name, false);
    assert.equal((await stored(name)).rowVersion, rowVersion);
    assert.deepEqual(
      (await typesOf(name)).filter((type) => type.endsWith("abled")),
      ["app.disabled"],
    );
  });

  test("an app is disabled only while it is installed and does not switch, and a disabled app does not switch", async () => {
    const name = "com.example.busy";
    await home.register("com.example.fresh");
    await assert.rejects(enable("com.example.fresh", false), rejectsWith("INVALID_STATE", /REGISTERED/));
    const { identity } = await running(name);
    const next = testManifest(name, identity, { version: "1.1.0" });
    await registerApp(home.context, { manifest: next, manifestSignature: signManifest(next, identity) }, callBy(bob));
    await enable(name, false);
    await assert.rejects(upgradeApp(home.context, { name }, callBy(system)), rejectsWith("INVALID_STATE", /disabled/));
    await enable(name, true);
    await upgradeApp(home.context, { name }, callBy(system));
    await assert.rejects(enable(name, false), rejectsWith("CONFLICT", /switching to 1\.1\.0/));
    await assert.rejects(restartApp(home.context, { name }, callBy(system)), rejectsWith("CONFLICT", /switching/));
  });

  test("an uninstallation ends the disabling", async () => {
    const name = "com.example.returning";
    await running(name);
    await enable(name, false);
    await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    await installApp(home.context, { name }, callBy(system));
    assert.equal((await stored(name)).enabled, true);
  });

  test("a command that has begun is finished although another writer changes the app before its last step", async () => {
    const name = "com.example.disturbed";
    await home.register(name);
    const changed: string[] = [];
    const change = async (app: { readonly id: string; readonly state: string }) => {
      changed.push(app.state);
      await home.database.query(
        "update marketplace.apps set health = 'UNHEALTHY', row_version = row_version + 1 where id = $1",
        [app.id],
      );
    };
    const fails = ({ app }: { readonly app: { readonly id: string; readonly state: string } }) =>
      change(app).then(() => Promise.reject(new Error("not created")));
    const failing = { ...home.context, participants: [{ name: "fails", onCreate: fails }] };
    await assert.rejects(installApp(failing, { name }, callBy(system)), /not created/);
    assert.equal((await stored(name)).state, "FAILED");
    const installing = { ...home.context, participants: [{ name: "changes", onCreate: ({ app }: LiveApp) => change(app) }] };
    await installApp(installing, { name }, callBy(system));
    const uninstalling = { ...home.context, participants: [{ name: "changes", purge: change }] };
    await uninstallApp(uninstalling, { name, purgeData: true }, callBy(system));
    assert.equal((await stored(name)).state, "UNINSTALLED");
    assert.deepEqual(changed, ["INSTALLING", "INSTALLING", "UNINSTALLING"]);
  });

  test("the permission is checked before the existence of the app", async () => {
    await assert.rejects(enable("com.example.none", true, bob), rejectsWith("PERMISSION_DENIED", /app:install/));
    await assert.rejects(restartApp(home.context, { name: "com.example.none" }, callBy(bob)), rejectsWith("PERMISSION_DENIED"));
    await assert.rejects(enable("com.example.none", true), rejectsWith("NOT_FOUND"));
  });

  test("a restart is requested of the orchestrator and audited; apps without a container have none", async () => {
    const name = "com.example.restarted";
    await running(name);
    await restartApp(home.context, { name }, callBy(system));
    assert.deepEqual(home.restarted, [name]);
    assert.equal((await audited(name))[0], "app.restart");
    assert.equal((await operationOf(name))?.done, true);
    await enable(name, false);
    await assert.rejects(restartApp(home.context, { name }, callBy(system)), rejectsWith("INVALID_STATE", /disabled/));
    const restart = (other: string) => restartApp(home.context, { name: other }, callBy(system));
    await assert.rejects(restart("com.example.outside"), rejectsWith("INVALID_STATE", /no container/));
    await assert.rejects(restart("com.example.fresh"), rejectsWith("INVALID_STATE", /REGISTERED/));
    assert.deepEqual(home.restarted, [name]);
  });

  test("an app that failed after its installation restarts, and runs again when its deployment is healthy", async () => {
    const name = "com.example.crashing";
    const { id } = await running(name);
    home.deploy(id, 1, "FAILED", final);
    await applyDeployment(home.context, name);
    assert.equal((await stored(name)).state, "FAILED");
    await restartApp(home.context, { name }, callBy(system));
    assert.equal(home.restarted.at(-1), name);
    const away = { code: "UPSTREAM_ERROR", message: "the registry is unreachable" } as const;
    home.deploy(id, 1, "PENDING", { lastError: away });
    await applyDeployment(home.context, name);
    assert.deepEqual([(await stored(name)).state, (await stored(name)).lastError?.message], ["FAILED", away.message]);
    home.deploy(id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    assert.deepEqual([(await stored(name)).state, (await stored(name)).lastError], ["RUNNING", undefined]);
  });

  test("an app whose installation failed does not restart", async () => {
    const name = "com.example.refused_by_others";
    await home.register(name);
    const onCreate = () => Promise.reject(new AppError("UPSTREAM_ERROR", "not created"));
    const failing = { ...home.context, participants: [{ name: "fails", onCreate }] };
    await assert.rejects(installApp(failing, { name }, callBy(system)), /not created/);
    await assert.rejects(restartApp(home.context, { name }, callBy(system)), rejectsWith("INVALID_STATE", /install it first/));
  });

  test("the fault that an app waits for is its last error while it lasts", async () => {
    const name = "com.example.waiting";
    const { app } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    const seen: unknown[] = [];
    for (const message of ["connection refused", "connection refused", "timeout pulling image"]) {
      home.deploy(app.id, 1, "PENDING", { lastError: { code: "UPSTREAM_ERROR", message } });
      await applyDeployment(home.context, name);
      const { state, lastError, rowVersion } = await stored(name);
      seen.push([state, lastError?.message, rowVersion]);
    }
    const [, , version] = seen[0] as [string, string, number];
    assert.deepEqual(seen, [
      ["INSTALLED", "connection refused", version],
      ["INSTALLED", "connection refused", version],
      ["INSTALLED", "timeout pulling image", version + 1],
    ]);
    assert.equal((await operationOf(name))?.done, false, "the installation waits for the registry");
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    assert.deepEqual([(await stored(name)).state, (await stored(name)).lastError], ["RUNNING", undefined]);
    assert.deepEqual([(await operationOf(name))?.done, (await operationOf(name))?.error], [true, undefined]);
    home.deploy(app.id, 1, "PENDING", { lastError: { code: "UPSTREAM_ERROR", message: "connection refused" } });
    await applyDeployment(home.context, name);
    assert.deepEqual(
      [(await stored(name)).state, (await stored(name)).lastError?.message],
      ["UNHEALTHY", "connection refused"],
    );
  });

  test("an installation ends with the reason if a person must act, and the app runs when that was done", async () => {
    const name = "com.example.without_image";
    const { app } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    const message = "repository not found: registry.test/app:latest";
    const fault = { kind: "image_missing", message, since: new Date(0), attempts: 1 } as const;
    home.deploy(app.id, 1, "PENDING", { lastError: { code: "NOT_FOUND", message }, fault });
    await applyDeployment(home.context, name);
    const operation = await operationOf(name);
    assert.deepEqual([operation?.kind, operation?.done, operation?.error?.message], ["install", true, message]);
    assert.deepEqual([(await stored(name)).state, (await stored(name)).lastError?.code], ["INSTALLED", "NOT_FOUND"]);
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    assert.equal((await stored(name)).state, "RUNNING");
  });

  test("a restart whose process died before the request is requested by the next process, once", async () => {
    const name = "com.example.interrupted";
    await running(name);
    const dies = { ...home.context.deployments, restart: () => Promise.reject(new Error("killed")) };
    const requested = home.restarted.filter((app) => app === name);
    await assert.rejects(restartApp({ ...home.context, deployments: dies }, { name }, callBy(system)), /killed/);
    assert.deepEqual([(await operationOf(name))?.kind, (await operationOf(name))?.done], ["restart", false]);
    assert.equal(await resumeOperations(home.context), 1);
    assert.equal(await resumeOperations(home.context), 0);
    assert.deepEqual([requested, home.restarted.filter((app) => app === name)], [[], [name]]);
    assert.deepEqual([(await operationOf(name))?.done, (await operationOf(name))?.error], [true, undefined]);
    assert.deepEqual(
      (await audited(name)).filter((action) => action === "app.restart"),
      ["app.restart"],
    );
  });

  test("a refused restart ends with the reason", async () => {
    const name = "com.example.refused";
    await running(name);
    const refuses = { ...home.context.deployments, restart: () => Promise.reject(new AppError("NOT_FOUND", "no deployment")) };
    await assert.rejects(restartApp({ ...home.context, deployments: refuses }, { name }, callBy(system)), /no deployment/);
    assert.deepEqual([(await operationOf(name))?.done, (await operationOf(name))?.error?.code], [true, "NOT_FOUND"]);
  });
});
