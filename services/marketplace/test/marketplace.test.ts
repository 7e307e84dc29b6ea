import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { AppError, type Caller } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { shouldRun } from "../src/domain/app-state.ts";
import { applyDeployment, applyDeployments } from "../src/use-cases/apply-deployment.ts";
import type { MarketplaceContext } from "../src/use-cases/context.ts";
import { deleteApp } from "../src/use-cases/delete-app.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { newOperation } from "../src/use-cases/operation.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { resumeOperations } from "../src/workers/resume-operations.ts";
import { signManifest, testAsset, testIdentity, testManifest } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const anybody: Caller = { kind: "anonymous" };

describe("marketplace on PostgreSQL", async () => {
  const {
    context,
    database,
    authorization,
    deploy,
    unprepared,
    prepared,
    purged,
    stages,
    created,
    objections,
    eventsOf,
    register,
    stop,
  } = await startMarketplace();

  after(stop);

  const typesOf = async (name: string) => (await eventsOf(name)).map((event) => event.type);

  test("without events, the periodic task applies every change of a deployment", async () => {
    const { app } = await register("com.example.eventless");
    await installApp(context, { name: app.name }, callBy(system));
    const lastError = { code: "UPSTREAM_ERROR", message: "no response" } as const;
    const ready = (id: string) => ({ id, ready: true, restarts: 0, address: `10.0.0.${id}:3000` });
    for (const [state, more, expected] of [
      ["STARTING", { lastError }, ["INSTALLED", undefined, "no response"]],
      ["HEALTHY", {}, ["RUNNING", "http://127.0.0.1:1", undefined]],
      ["HEALTHY", { endpoint: "http://127.0.0.1:2" }, ["RUNNING", "http://127.0.0.1:2", undefined]],
      ["HEALTHY", { wantedInstances: 2, instances: [ready("1"), ready("2")] }, ["RUNNING", "http://127.0.0.1:1", undefined]],
      ["HEALTHY", { wantedInstances: 2, instances: [ready("2")] }, ["RUNNING", "http://127.0.0.1:1", undefined]],
      ["HEALTHY", { endpoint: "http://127.0.0.1:2" }, ["RUNNING", "http://127.0.0.1:2", undefined]],
      ["UNHEALTHY", { lastError }, ["UNHEALTHY", "http://127.0.0.1:2", "no response"]],
      ["HEALTHY", {}, ["RUNNING", "http://127.0.0.1:1", undefined]],
      ["RESTARTING", { lastError }, ["UNHEALTHY", undefined, "no response"]],
      ["FAILED", { lastError, final: true }, ["FAILED", undefined, "no response"]],
      ["HEALTHY", {}, ["RUNNING", "http://127.0.0.1:1", undefined]],
    ] as const) {
      deploy(app.id, 1, state, more);
      await applyDeployments(context);
      const seen = await context.store.findByName(app.name);
      assert.deepEqual([seen?.state, seen?.endpoint, seen?.lastError?.message], expected, state);
      const instances: readonly { readonly address: string }[] | undefined = "instances" in more ? more.instances : undefined;
      assert.deepEqual(
        seen?.addresses,
        instances?.map(({ address }) => address),
      );
    }
  });

  test("install commits state and app.installed together, and the app runs when its deployment does", async () => {
    const { app } = await register("com.example.lifecycle");
    const { app: installed } = await installApp(context, { name: app.name }, callBy(system));
    assert.deepEqual([installed.state, installed.generation], ["INSTALLED", 1]);
    deploy(app.id, 1, "HEALTHY");
    await applyDeployment(context, app.name);
    const running = await context.store.findByName(app.name);
    assert.deepEqual([running?.state, running?.endpoint], ["RUNNING", "http://127.0.0.1:1"]);
    deploy(app.id, 1, "RESTARTING");
    await applyDeployment(context, app.name);
    assert.equal((await context.store.findByName(app.name))?.state, "UNHEALTHY");
    deploy(app.id, 1, "FAILED", { final: true, lastError: { code: "INTERNAL_ERROR", message: "restarts exhausted" } });
    await applyDeployment(context, app.name);
    const failed = await context.store.findByName(app.name);
    assert.deepEqual([failed?.state, failed?.lastError?.message], ["FAILED", "restarts exhausted"]);
    deploy(app.id, 1, "STARTING");
    await applyDeployments(context);
    assert.equal((await context.store.findByName(app.name))?.state, "FAILED");
    deploy(app.id, 1, "HEALTHY");
    await applyDeployments(context);
    const healed = await context.store.findByName(app.name);
    assert.deepEqual(
      [healed?.state, healed?.health, healed?.endpoint, healed?.lastError],
      ["RUNNING", "HEALTHY", "http://127.0.0.1:1", undefined],
    );
    const history = await context.store.history(app.id, 10);
    assert.deepEqual(
      history.map((step) => step.to),
      ["RUNNING", "FAILED", "UNHEALTHY", "RUNNING", "INSTALLED", "INSTALLING", "REGISTERED"],
    );
    const changes = (await eventsOf(app.name)).filter((event) => event.type === "app.state_changed");
    assert.deepEqual(
      changes.map((event) => event.body["to"]).reverse(),
      history.map((step) => step.to),
    );
  });

  test("a deployment of an older generation changes nothing", async () => {
    const { app } = await register("com.example.stale");
    await installApp(context, { name: app.name }, callBy(system));
    deploy(app.id, 7, "HEALTHY");
    await applyDeployment(context, app.name);
    assert.equal((await context.store.findByName(app.name))?.state, "INSTALLED");
  });

  test("HARD dependencies are installed first; an app that others need cannot be uninstalled; SOFT dependencies only warn", async () => {
    await register("com.example.base");
    await register("com.example.top", {
      dependencies: [
        { appName: "com.example.base", kind: DependencyKind.HARD, versionConstraint: "^1.0.0" },
        { appName: "com.example.absent", kind: DependencyKind.SOFT },
      ],
    });
    const { warnings } = await installApp(context, { name: "com.example.top" }, callBy(system));
    assert.match(warnings[0]?.message ?? "", /com\.example\.absent/);
    assert.equal((await context.store.findByName("com.example.base"))?.state, "INSTALLED");
    await assert.rejects(
      uninstallApp(context, { name: "com.example.base", purgeData: false }, callBy(system)),
      rejectsWith("DEPENDENCY_UNSATISFIED", /needed by com\.example\.top/),
    );
    await uninstallApp(context, { name: "com.example.top", purgeData: false }, callBy(system));
    const { app: base } = await uninstallApp(context, { name: "com.example.base", purgeData: false }, callBy(system));
    assert.equal(base.state, "UNINSTALLED");
    assert.equal((await typesOf("com.example.base")).at(-1), "app.uninstalled");
  });

  test("a plan with blockers changes nothing", async () => {
    await register("com.example.blocked", {
      dependencies: [{ appName: "com.example.nowhere", kind: DependencyKind.HARD }],
    });
    await assert.rejects(
      installApp(context, { name: "com.example.blocked" }, callBy(system)),
      rejectsWith("DEPENDENCY_UNSATISFIED", /not registered/),
    );
    assert.equal((await context.store.findByName("com.example.blocked"))?.state, "REGISTERED");
  });

  test("of racing installs, one succeeds and the others get CONFLICT or INVALID_STATE", async () => {
    await register("com.example.contended");
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, () => installApp(context, { name: "com.example.contended" }, callBy(system))),
    );
    assert.equal(attempts.filter((attempt) => attempt.status === "fulfilled").length, 1);
    for (const attempt of attempts) {
      if (attempt.status === "rejected")
        assert.ok(["CONFLICT", "INVALID_STATE"].includes(attempt.reason.code), attempt.reason.message);
    }
    assert.equal((await typesOf("com.example.contended")).filter((type) => type === "app.installed").length, 1);
  });

  test("only callers with app:install may install", async () => {
    await register("com.example.guarded");
    const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
    const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
    await assert.rejects(
      installApp(context, { name: "com.example.guarded" }, callBy(bob)),
      rejectsWith("PERMISSION_DENIED", /app:install/),
    );
    await assert.rejects(
      installApp(context, { name: "com.example.guarded" }, callBy(anybody)),
      rejectsWith("AUTHENTICATION_REQUIRED", /session/),
    );
    assert.equal((await installApp(context, { name: "com.example.guarded" }, callBy(admin))).app.state, "INSTALLED");
  });

  test("a UI-only app is RUNNING as soon as it is installed", async () => {
    const identity = await testIdentity("com.example.page");
    const manifest = testManifest("com.example.page", identity, {
      webApp: {
        assets: [testAsset("page.js", "export const mount = () => {};", identity)],
        ui: { mode: UIMode.UI_MODE_ESM_COMPONENT, entryAssetName: "page.js", routeBase: "/page" },
      },
    });
    await registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody));
    assert.equal((await installApp(context, { name: "com.example.page" }, callBy(system))).app.state, "RUNNING");
    const clash = testManifest("com.example.clash", await testIdentity("com.example.clash"), {
      webApp: manifest.webApp as never,
    });
    await assert.rejects(registerApp(context, { manifest: clash }, callBy(anybody)), (error: AppError) => {
      assert.ok(
        error.violations.some(
          ({ field, message }) => field === "web_app.ui.route_base" && message.includes("com.example.page"),
        ),
      );
      return true;
    });
  });

  test("an installation whose process died is finished by any replica", async () => {
    const { app } = await register("com.example.interrupted");
    await database.query("update marketplace.apps set state = 'INSTALLING', row_version = row_version + 1 where id = $1", [
      app.id,
    ]);
    const operation = newOperation(context, app, { kind: "install", actor: "user:admin", stage: "onCreate" });
    await context.store.addOperation(app, operation);
    assert.equal(await resumeOperations(context), 1);
    assert.equal((await context.store.findByName(app.name))?.state, "INSTALLED");
    assert.ok((await typesOf(app.name)).includes("app.installed"));
  });

  test("an app without a container whose process died between INSTALLED and RUNNING is RUNNING in the end", async () => {
    const name = "com.example.half-started";
    await register(name, { webApp: { api: { basePath: `/api/apps/${name}`, upstreamBaseUrl: "http://192.0.2.1" } } });
    const { store } = context;
    const dying: MarketplaceContext = {
      ...context,
      store: Object.assign(Object.create(store) as typeof store, {
        save: (change: Parameters<typeof store.save>[0]) =>
          change.app.state === "RUNNING" ? Promise.reject(new AppError("CONFLICT", "killed")) : store.save(change),
      }),
    };
    await assert.rejects(installApp(dying, { name }, callBy(system)), /killed/);
    assert.equal((await store.findByName(name))?.state, "INSTALLED");
    assert.equal(await resumeOperations(context), 1);
    assert.equal((await store.findByName(name))?.state, "RUNNING");
    assert.equal(await resumeOperations(context), 0);
  });

  test("permissions of an app are created by its installation and deleted by its removal", async () => {
    await register("com.example.scoped");
    await installApp(context, { name: "com.example.scoped" }, callBy(system));
    await authorization.write({ writes: [{ user: "user:eve", relation: "viewer", object: "app:com.example.scoped" }] });
    const check = () =>
      authorization.check({ user: "user:eve", relation: "holder", object: "permission_scope:com.example.scoped/read_items" });
    assert.equal(await check(), true);
    await uninstallApp(context, { name: "com.example.scoped", purgeData: false }, callBy(system));
    assert.equal(await check(), false);
  });

  test("if another service's part of onCreate fails, the installation fails and can be repeated", async () => {
    const { app } = await register("com.example.unprepared");
    unprepared.add(app.name);
    await assert.rejects(installApp(context, { name: app.name }, callBy(system)), /no room/);
    assert.equal((await context.store.findByName(app.name))?.state, "FAILED");
    assert.equal((await installApp(context, { name: app.name }, callBy(system))).app.state, "INSTALLED");
    assert.deepEqual(
      prepared.filter((name) => name === app.name),
      [app.name],
    );
  });

  test("other apps are called before an app is installed, and a refusal fails it with the reason", async () => {
    const { app } = await register("com.example.asked");
    objections.add(app.name);
    await assert.rejects(
      installApp(context, { name: app.name }, callBy(system)),
      rejectsWith("UPSTREAM_ERROR", /watcher refused it/),
    );
    const failed = await context.store.findByName(app.name);
    assert.deepEqual([failed?.state, failed?.lastError?.message], ["FAILED", "app.on_create: watcher refused it"]);
    const { app: installed } = await installApp(context, { name: app.name }, callBy(system));
    assert.equal(installed.state, "INSTALLED");
    const asked = created.filter((line) => line.startsWith("com.example.asked INSTALLING "));
    assert.equal(new Set(asked).size, 2, "each installation uses a separate id");
  });

  test("an app whose installation failed stays FAILED, also if the deployment of an earlier installation is healthy", async () => {
    const { app } = await register("com.example.refused_again");
    await installApp(context, { name: app.name }, callBy(system));
    deploy(app.id, 1, "FAILED", { final: true, lastError: { code: "NOT_FOUND", message: "repository not found" } });
    await applyDeployment(context, app.name);
    objections.add(app.name);
    await assert.rejects(installApp(context, { name: app.name }, callBy(system)), rejectsWith("UPSTREAM_ERROR"));
    deploy(app.id, 1, "HEALTHY");
    await applyDeployment(context, app.name);
    const refused = await context.store.findByName(app.name);
    assert.equal(refused?.state, "FAILED");
    assert.ok(refused && !shouldRun(refused), "it has no permissions, so nothing of it runs");
    deploy(app.id, 1, "STOPPED");
    await deleteApp(context, { name: app.name }, callBy(system));
  });

  test("data of other services for an app is deleted only with purge_data", async () => {
    const { app } = await register("com.example.purged");
    for (const purgeData of [false, true]) {
      await installApp(context, { name: app.name }, callBy(system));
      await uninstallApp(context, { name: app.name, purgeData }, callBy(system));
      assert.deepEqual(
        purged.filter((name) => name === app.name),
        purgeData ? [app.name] : [],
      );
    }
  });

  test("app.installed contains the image of the stage that the app's settings select", async () => {
    const { app } = await register("com.example.staged");
    stages.set(app.id, "testing");
    await installApp(context, { name: app.name }, callBy(system));
    const installed = (await eventsOf(app.name)).find(({ type }) => type === "app.installed");
    assert.partialDeepStrictEqual(installed?.body, { image: "registry/com.example.staged:testing", stage: "testing" });
    await register("com.example.local");
    const withoutRegistry = { ...context, policy: { ...context.policy, imageRegistry: "" } };
    await installApp(withoutRegistry, { name: "com.example.local" }, callBy(system));
    const local = (await eventsOf("com.example.local")).find((event) => event.type === "app.installed");
    assert.equal(local?.body["image"], "com.example.local:latest");
  });

  test("app.installed contains the image that the manifest names, and no stage", async () => {
    const imageDigest = `sha256:${"5".repeat(64)}`;
    const { app } = await register("com.example.signed", { imageDigest });
    await installApp(context, { name: app.name }, callBy(system));
    const installed = (await eventsOf(app.name)).find(({ type }) => type === "app.installed");
    assert.partialDeepStrictEqual(installed?.body, { image: `registry/com.example.signed@${imageDigest}`, stage: null });
  });
});
