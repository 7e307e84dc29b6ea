import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EmbeddedAuthorization, MemoryTupleStore } from "@appserver/authorization-embedded";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { AppError, type Caller, platformMigrations, SqlLeases, SqlOutbox, SystemClock, silentLogger } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { createTestDatabase, startTestPostgres } from "@appserver/testing/kit";
import { AuthorizationAppPermissions } from "../src/adapters/authorization-app-permissions.ts";
import { LeaseCommandLock } from "../src/adapters/lease-command-lock.ts";
import { SqlAppStore } from "../src/adapters/sql-app-store.ts";
import { marketplaceMigrations } from "../src/index.ts";
import type { DeploymentView } from "../src/ports.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import type { MarketplaceContext } from "../src/use-cases/context.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { resumeOperations } from "../src/use-cases/resume-operations.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { signManifest, successorOf, testAsset, testIdentity, testManifest } from "./fixtures.ts";

const system: Caller = { kind: "system", reason: "test" };
const anybody: Caller = { kind: "anonymous" };

describe("marketplace on PostgreSQL", async () => {
  const postgres = await startTestPostgres();
  const { database, stop: dropDatabase } = await createTestDatabase(postgres);
  const clock = new SystemClock();
  const deployments = new Map<string, DeploymentView>();
  const [unprepared, prepared, purged] = [new Set<string>(), [] as string[], [] as string[]];
  const stages = new Map<string, string>();
  const [created, objections] = [[] as string[], new Set<string>()];
  const authorization = new EmbeddedAuthorization({ model: authorizationModel, store: new MemoryTupleStore(), clock });
  const context: MarketplaceContext = {
    store: new SqlAppStore(database, new SqlOutbox(), "/appserver/test"),
    lock: new LeaseCommandLock(new SqlLeases({ database, holder: "test" }), clock),
    permissions: new AuthorizationAppPermissions(authorization),
    deployments: { find: async (appId) => deployments.get(appId) },
    data: {
      prepare: async (app) => {
        if (unprepared.delete(app.name)) throw new Error("no room");
        prepared.push(app.name);
      },
      conditions: async () => [],
      purge: async (app) => {
        purged.push(app.name);
      },
    },
    creationHook: {
      run: async (app, operationId) => {
        created.push(`${app.name} ${app.state} ${operationId}`);
        if (objections.delete(app.name)) throw new AppError("UPSTREAM_ERROR", "app.on_create: watcher refused it");
      },
    },
    imageStages: { find: async (appId) => stages.get(appId) },
    policy: {
      platformVersion: "0.1.0",
      registration: "open",
      allowUnsigned: true,
      imageRegistry: "registry",
      imageStage: "latest",
    },
    clock,
    logger: silentLogger,
  };

  before(async () => {
    await database.migrate([...platformMigrations, ...marketplaceMigrations]);
    await authorization.start();
    await authorization.write({
      writes: [...initialTuples, { user: "user:admin", relation: "assignee", object: "role:easy" }],
    });
  });

  after(async () => {
    await authorization.stop();
    await dropDatabase();
    await postgres.stop();
  });

  const eventsOf = async (name: string): Promise<readonly EventEnvelope[]> => {
    const { rows } = await database.query<{ event: EventEnvelope }>(
      "SELECT event FROM platform.outbox WHERE subject = $1 ORDER BY id",
      [name],
    );
    return rows.map((row) => row.event);
  };
  const typesOf = async (name: string) => (await eventsOf(name)).map((event) => event.type);
  const rejectsWith = (code: string, match: RegExp) => (error: unknown) => {
    assert.equal((error as AppError).code, code);
    assert.match((error as AppError).message, match);
    return true;
  };
  const register = async (name: string, init = {}) => {
    const identity = await testIdentity(name);
    const manifest = testManifest(name, identity, init);
    const { app } = await registerApp(context, {
      manifest,
      manifestSignature: signManifest(manifest, identity),
      caller: anybody,
    });
    return { identity, app, manifest };
  };
  const deployment = (appId: string, generation: number, state: string, more: Partial<DeploymentView> = {}): void => {
    const at = new Date();
    deployments.set(appId, {
      id: "d",
      appId,
      appVersion: "1.0.0",
      state,
      containerId: "c",
      healthStatus: state === "HEALTHY" ? "HEALTHY" : "UNHEALTHY",
      driver: "process",
      image: "i",
      imageDigest: undefined,
      containerName: "app-x",
      generation,
      restartCount: 0,
      endpoint: state === "HEALTHY" ? "http://127.0.0.1:1" : undefined,
      lastError: undefined,
      final: false,
      createdAt: at,
      updatedAt: at,
      ...more,
    });
  };

  test("registers once, and the same manifest again changes nothing", async () => {
    const { identity, app, manifest } = await register("com.example.first");
    assert.equal(app.state, "REGISTERED");
    const again = await registerApp(context, {
      manifest,
      manifestSignature: signManifest(manifest, identity),
      caller: anybody,
    });
    assert.equal(again.changed, false);
    assert.deepEqual(await typesOf("com.example.first"), ["app.registered", "app.state_changed"]);
  });

  test("another key under a name is CONFLICT and the stored manifest stays byte for byte", async () => {
    const { app } = await register("com.example.pinned");
    const read = async () =>
      (await database.query<{ manifest: Buffer }>("SELECT manifest FROM marketplace.manifests WHERE app_id = $1", [app.id]))
        .rows[0]?.manifest;
    const before = await read();
    const other = await testIdentity("com.example.pinned");
    const takeover = testManifest("com.example.pinned", other, { version: "9.0.0" });
    await assert.rejects(
      registerApp(context, { manifest: takeover, manifestSignature: signManifest(takeover, other), caller: anybody }),
      rejectsWith("CONFLICT", /another key/),
    );
    assert.deepEqual(await read(), before);
  });

  test("who only knows the certificate cannot change what it says", async () => {
    const { identity } = await register("com.example.public");
    const forged = testManifest("com.example.public", identity, { version: "2.0.0" });
    await assert.rejects(
      registerApp(context, { manifest: forged, caller: anybody }),
      rejectsWith("AUTHENTICATION_REQUIRED", /manifest_signature/),
    );
    const stranger = await testIdentity("stranger");
    await assert.rejects(
      registerApp(context, { manifest: forged, manifestSignature: signManifest(forged, stranger), caller: anybody }),
      rejectsWith("AUTHENTICATION_FAILED", /does not verify/),
    );
  });

  test("a successor certificate signed by the old key moves the app to a new key", async () => {
    const { identity } = await register("com.example.moving");
    const next = await successorOf(identity, "com.example.moving");
    const manifest = testManifest("com.example.moving", next, { version: "1.1.0" });
    const { app } = await registerApp(context, { manifest, manifestSignature: signManifest(manifest, next), caller: anybody });
    assert.equal(app.version, "1.1.0");
  });

  test("one key belongs to one app", async () => {
    const { identity } = await register("com.example.owner");
    const manifest = testManifest("com.example.second", identity);
    await assert.rejects(
      registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity), caller: anybody }),
      rejectsWith("CONFLICT", /belongs to another app/),
    );
  });

  test("of two racing registrations of a name by different keys one wins", async () => {
    const attempts = await Promise.allSettled([register("com.example.race"), register("com.example.race")]);
    assert.deepEqual(attempts.map((attempt) => attempt.status).sort(), ["fulfilled", "rejected"]);
  });

  test("all violations come at once, each with its field", async () => {
    const identity = await testIdentity("x");
    const manifest = testManifest("Bad Name", identity, { version: "one", webApp: {} });
    await assert.rejects(registerApp(context, { manifest, caller: anybody }), (error: AppError) => {
      assert.deepEqual(error.violations.map(({ field }) => field).sort(), ["name", "version", "web_app"]);
      return true;
    });
  });

  test("a lower version with other content is CONFLICT; a higher one of an installed app becomes available", async () => {
    const { identity, app } = await register("com.example.versions");
    const submit = (version: string, displayName: string) => {
      const manifest = testManifest("com.example.versions", identity, { version, displayName });
      return registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity), caller: anybody });
    };
    await assert.rejects(submit("1.0.0", "Other"), rejectsWith("CONFLICT", /needs a higher version/));
    await installApp(context, app.name, system);
    const { app: updated } = await submit("1.2.0", "Newer");
    assert.deepEqual([updated.version, updated.availableVersion], ["1.0.0", "1.2.0"]);
  });

  test("install commits state and app.installed together and waits for the deployment to run", async () => {
    const { app } = await register("com.example.lifecycle");
    const { app: installed } = await installApp(context, app.name, system);
    assert.deepEqual([installed.state, installed.generation], ["INSTALLED", 1]);
    deployment(app.id, 1, "HEALTHY");
    await applyDeployment(context, app.name);
    const running = await context.store.findByName(app.name);
    assert.deepEqual([running?.state, running?.endpoint], ["RUNNING", "http://127.0.0.1:1"]);
    deployment(app.id, 1, "RESTARTING");
    await applyDeployment(context, app.name);
    assert.equal((await context.store.findByName(app.name))?.state, "UNHEALTHY");
    deployment(app.id, 1, "FAILED", { final: true, lastError: { code: "INTERNAL_ERROR", message: "restarts exhausted" } });
    await applyDeployment(context, app.name);
    const failed = await context.store.findByName(app.name);
    assert.deepEqual([failed?.state, failed?.lastError?.message], ["FAILED", "restarts exhausted"]);
    const history = await context.store.history(app.id, 10);
    assert.deepEqual(
      history.map((step) => step.to),
      ["FAILED", "UNHEALTHY", "RUNNING", "INSTALLED", "INSTALLING", "REGISTERED"],
    );
    const changes = (await eventsOf(app.name)).filter((event) => event.type === "app.state_changed");
    assert.deepEqual(
      changes.map((event) => event.body["to"]).reverse(),
      history.map((step) => step.to),
    );
  });

  test("a deployment of an older generation changes nothing", async () => {
    const { app } = await register("com.example.stale");
    await installApp(context, app.name, system);
    deployment(app.id, 7, "HEALTHY");
    await applyDeployment(context, app.name);
    assert.equal((await context.store.findByName(app.name))?.state, "INSTALLED");
  });

  test("HARD dependencies are installed first; what others need cannot be uninstalled; SOFT ones only warn", async () => {
    await register("com.example.base");
    await register("com.example.top", {
      dependencies: [
        { appName: "com.example.base", kind: DependencyKind.HARD, versionConstraint: "^1.0.0" },
        { appName: "com.example.absent", kind: DependencyKind.SOFT },
      ],
    });
    const { warnings } = await installApp(context, "com.example.top", system);
    assert.match(warnings[0]?.message ?? "", /com\.example\.absent/);
    assert.equal((await context.store.findByName("com.example.base"))?.state, "INSTALLED");
    await assert.rejects(
      uninstallApp(context, { name: "com.example.base", purgeData: false, caller: system }),
      rejectsWith("DEPENDENCY_UNSATISFIED", /needed by com\.example\.top/),
    );
    await uninstallApp(context, { name: "com.example.top", purgeData: false, caller: system });
    const base = await uninstallApp(context, { name: "com.example.base", purgeData: false, caller: system });
    assert.equal(base.state, "UNINSTALLED");
    assert.equal((await typesOf("com.example.base")).at(-1), "app.uninstalled");
  });

  test("a plan with blockers changes nothing", async () => {
    await register("com.example.blocked", {
      dependencies: [{ appName: "com.example.nowhere", kind: DependencyKind.HARD }],
    });
    await assert.rejects(
      installApp(context, "com.example.blocked", system),
      rejectsWith("DEPENDENCY_UNSATISFIED", /not registered/),
    );
    assert.equal((await context.store.findByName("com.example.blocked"))?.state, "REGISTERED");
  });

  test("of racing installs one wins and the others hear CONFLICT or INVALID_STATE", async () => {
    await register("com.example.contended");
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, () => installApp(context, "com.example.contended", system)),
    );
    assert.equal(attempts.filter((attempt) => attempt.status === "fulfilled").length, 1);
    for (const attempt of attempts) {
      if (attempt.status === "rejected")
        assert.ok(["CONFLICT", "INVALID_STATE"].includes(attempt.reason.code), attempt.reason.message);
    }
    assert.equal((await typesOf("com.example.contended")).filter((type) => type === "app.installed").length, 1);
  });

  test("only those who hold app:install may install", async () => {
    await register("com.example.guarded");
    const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
    const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
    await assert.rejects(installApp(context, "com.example.guarded", bob), rejectsWith("PERMISSION_DENIED", /app:install/));
    await assert.rejects(
      installApp(context, "com.example.guarded", anybody),
      rejectsWith("AUTHENTICATION_REQUIRED", /session/),
    );
    assert.equal((await installApp(context, "com.example.guarded", admin)).app.state, "INSTALLED");
  });

  test("a UI-only app runs as soon as it is installed", async () => {
    const identity = await testIdentity("com.example.page");
    const manifest = testManifest("com.example.page", identity, {
      webApp: {
        assets: [testAsset("page.js", "export const mount = () => {};", identity)],
        ui: { mode: UIMode.UI_MODE_ESM_COMPONENT, entryAssetName: "page.js", routeBase: "/page" },
      },
    });
    await registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity), caller: anybody });
    assert.equal((await installApp(context, "com.example.page", system)).app.state, "RUNNING");
    const clash = testManifest("com.example.clash", await testIdentity("com.example.clash"), {
      webApp: manifest.webApp as never,
    });
    await assert.rejects(registerApp(context, { manifest: clash, caller: anybody }), (error: AppError) => {
      assert.ok(
        error.violations.some(
          ({ field, message }) => field === "web_app.ui.route_base" && message.includes("com.example.page"),
        ),
      );
      return true;
    });
  });

  test("an installation whose process died is finished by whoever notices", async () => {
    const { app } = await register("com.example.interrupted");
    await database.query("UPDATE marketplace.apps SET state = 'INSTALLING', row_version = row_version + 1 WHERE id = $1", [
      app.id,
    ]);
    assert.equal(await resumeOperations(context), 1);
    assert.equal((await context.store.findByName(app.name))?.state, "INSTALLED");
    assert.ok((await typesOf(app.name)).includes("app.installed"));
  });

  test("permissions of an app appear with its installation and go with it", async () => {
    await register("com.example.scoped");
    await installApp(context, "com.example.scoped", system);
    await authorization.write({ writes: [{ user: "user:eve", relation: "viewer", object: "app:com.example.scoped" }] });
    const check = () =>
      authorization.check({ user: "user:eve", relation: "holder", object: "permission_scope:com.example.scoped/read_items" });
    assert.equal(await check(), true);
    await uninstallApp(context, { name: "com.example.scoped", purgeData: false, caller: system });
    assert.equal(await check(), false);
  });

  test("other services have their part in onCreate: when it fails the installation does, and may be tried again", async () => {
    const { app } = await register("com.example.unprepared");
    unprepared.add(app.name);
    await assert.rejects(installApp(context, app.name, system), /no room/);
    assert.equal((await context.store.findByName(app.name))?.state, "FAILED");
    assert.equal((await installApp(context, app.name, system)).app.state, "INSTALLED");
    assert.deepEqual(
      prepared.filter((name) => name === app.name),
      [app.name],
    );
  });

  test("other apps are asked before an app is installed, and a refusal fails it with the reason", async () => {
    const { app } = await register("com.example.asked");
    objections.add(app.name);
    await assert.rejects(installApp(context, app.name, system), rejectsWith("UPSTREAM_ERROR", /watcher refused it/));
    const failed = await context.store.findByName(app.name);
    assert.deepEqual([failed?.state, failed?.lastError?.message], ["FAILED", "app.on_create: watcher refused it"]);
    const { app: installed } = await installApp(context, app.name, system);
    assert.equal(installed.state, "INSTALLED");
    const asked = created.filter((line) => line.startsWith("com.example.asked INSTALLING "));
    assert.equal(new Set(asked).size, 2, "each installation asks under an id of its own");
  });

  test("what others keep for an app goes with purge_data alone", async () => {
    const { app } = await register("com.example.purged");
    for (const purgeData of [false, true]) {
      await installApp(context, app.name, system);
      await uninstallApp(context, { name: app.name, purgeData, caller: system });
      assert.deepEqual(
        purged.filter((name) => name === app.name),
        purgeData ? [app.name] : [],
      );
    }
  });

  test("app.installed tells the image of the stage that the app's settings say", async () => {
    const { app } = await register("com.example.staged");
    stages.set(app.id, "testing");
    await installApp(context, app.name, system);
    const installed = (await eventsOf(app.name)).find(({ type }) => type === "app.installed");
    assert.partialDeepStrictEqual(installed?.body, { image: "registry/com.example.staged:testing", stage: "testing" });
    await register("com.example.local");
    const withoutRegistry = { ...context, policy: { ...context.policy, imageRegistry: "" } };
    await installApp(withoutRegistry, "com.example.local", system);
    const local = (await eventsOf("com.example.local")).find((event) => event.type === "app.installed");
    assert.equal(local?.body["image"], "com.example.local:latest");
  });
});
