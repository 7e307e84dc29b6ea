import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AutoUpgrade } from "@appserver/contracts/settings";
import { type Caller, SystemClock } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { callBy, until } from "@appserver/testing/kit";
import { BusyAppError } from "../src/domain/busy-app.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import type { MarketplaceContext } from "../src/use-cases/context.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { rollbackApp, upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { resumeOperations, resumeUpgrades } from "../src/workers/resume-operations.ts";
import { type ManifestInit, signManifest, type TestIdentity, testManifest } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const final = { final: true, lastError: { code: "UPSTREAM_ERROR", message: "exited" } } as const;

describe("upgrades that the platform starts by itself", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const submit: typeof home.submit = (...registration) => home.submit(...registration);
  const stored: typeof home.stored = (name) => home.stored(name);
  const running = async (name: string, rule?: AutoUpgrade) => {
    const { identity, app } = await home.register(name);
    if (rule) home.autoUpgrades.set(app.id, rule);
    await installApp(home.context, { name }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    return { identity, id: app.id };
  };
  const end = async (name: string, id: string, generation: number, state: "HEALTHY" | "FAILED" = "HEALTHY") => {
    const operationId = (await stored(name)).target?.operationId;
    home.deploy(id, generation, state, { operationId, ...(state === "FAILED" ? final : {}) });
    await applyDeployment(home.context, name);
    return stored(name);
  };

  test("a newer version that the setting allows starts with its registration; another one waits", async () => {
    const name = "com.example.patched";
    const { identity, id } = await running(name, "patch");
    const minor = await submit(name, identity, { version: "1.1.0" });
    assert.deepEqual([minor.app.target, minor.app.availableVersion, minor.warnings], [undefined, "1.1.0", []]);
    home.autoUpgrades.set(id, "minor");
    const { app } = await submit(name, identity, { version: "1.1.1" });
    assert.deepEqual([app.target?.version, app.target?.actor, app.version], ["1.1.1", "system:auto-upgrade", "1.0.0"]);
    assert.equal((await end(name, id, 2)).version, "1.1.1");
  });

  test("without the setting nothing starts by itself, except a new revision of the same version", async () => {
    const name = "com.example.edited";
    const { identity, id } = await running(name);
    const edited = await submit(name, identity, { displayName: "Edited" });
    assert.deepEqual([edited.app.target?.version, edited.app.target?.revision], ["1.0.0", 2]);
    const after = await end(name, id, 2);
    assert.deepEqual([after.revision, after.displayName], [2, "Edited"]);
    assert.equal((await submit(name, identity, { version: "1.0.1" })).app.target, undefined);
  });

  test("a revision that arrives during a switch is next when it has ended, also if it failed", async () => {
    const name = "com.example.hasty";
    const { identity, id } = await running(name);
    await submit(name, identity, { displayName: "Second" });
    const third = await submit(name, identity, { displayName: "Third" });
    assert.match(third.warnings[0]?.message ?? "", /already switching/);
    await submit(name, identity, { displayName: "Fourth" });
    const afterSecond = await end(name, id, 2);
    assert.deepEqual([afterSecond.revision, afterSecond.target?.revision], [2, 4]);
    await submit(name, identity, { displayName: "Fifth" });
    const afterFourth = await end(name, id, 3, "FAILED");
    assert.deepEqual([afterFourth.revision, afterFourth.target?.revision], [2, 5]);
    const afterFifth = await end(name, id, 4, "HEALTHY");
    assert.deepEqual([afterFifth.revision, afterFifth.target], [5, undefined]);
  });

  /** A process that looks for undecided releases when another one has had time to decide. */
  const later = () => ({ ...home.context, clock: Object.assign(new SystemClock(), { now: () => Date.now() + 6_000 }) });
  /** A process that dies before it decides: it never gets the setting. */
  const dying = () => ({
    ...home.context,
    settings: { ...home.context.settings, autoUpgrade: () => new Promise<never>(() => {}) },
  });
  const register = (context: MarketplaceContext, name: string, identity: TestIdentity, init: ManifestInit) => {
    const manifest = testManifest(name, identity, init);
    return registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(system));
  };

  test("if the process dies after a switch, another one starts the automatic upgrade, once", async () => {
    const name = "com.example.orphaned";
    const { identity, id } = await running(name);
    await submit(name, identity, { displayName: "Second" });
    await submit(name, identity, { displayName: "Third" });
    home.deploy(id, 2, "HEALTHY", { operationId: (await stored(name)).target?.operationId });
    void applyDeployment(dying(), name);
    await until("the switch has ended", async () => (await stored(name)).target === undefined);
    await resumeUpgrades(home.context);
    assert.deepEqual([(await stored(name)).revision, (await stored(name)).target], [2, undefined]);
    await Promise.all([resumeUpgrades(later()), resumeUpgrades(later())]);
    assert.deepEqual([(await stored(name)).target?.revision, (await stored(name)).lastGeneration], [3, 3]);
    await end(name, id, 3, "FAILED");
    await resumeUpgrades(later());
    assert.deepEqual([(await stored(name)).revision, (await stored(name)).target], [2, undefined]);
  });

  test("after a switch that a user cancels, no other one follows", async () => {
    const name = "com.example.cancelled";
    const { identity } = await running(name);
    await submit(name, identity, { displayName: "Second" });
    await submit(name, identity, { displayName: "Third" });
    await rollbackApp(home.context, { name }, callBy(system));
    await resumeUpgrades(later());
    assert.deepEqual([(await stored(name)).revision, (await stored(name)).target], [1, undefined]);
  });

  test("if the process dies after a registration, another one starts the automatic upgrade", async () => {
    const name = "com.example.abandoned";
    const { identity, id } = await running(name, "patch");
    void register(dying(), name, identity, { version: "1.0.1" });
    await until("the release is stored", async () => (await home.context.store.releases(id)).length === 2);
    assert.equal((await stored(name)).target, undefined);
    await resumeUpgrades(later());
    assert.equal((await stored(name)).target?.version, "1.0.1");
  });

  test("an automatic upgrade waits for another command on the app", async () => {
    const name = "com.example.crowded";
    const { identity } = await running(name, "patch");
    const { lock } = home.context;
    let commands = 0;
    const run = <T>(app: string, command: () => Promise<T>): Promise<T> =>
      ++commands === 1 ? lock.run(app, command) : Promise.reject(new BusyAppError(app));
    const busy = { ...home.context, lock: { run, runIfFree: lock.runIfFree.bind(lock) } };
    const { warnings } = await register(busy, name, identity, { version: "1.0.1" });
    assert.match(warnings[0]?.message ?? "", /another command/);
    await resumeUpgrades(later());
    assert.equal((await stored(name)).target?.version, "1.0.1");
  });

  test("a release that is registered during an installation is decided after it", async () => {
    const name = "com.example.early";
    const { identity, app } = await home.register(name);
    home.autoUpgrades.set(app.id, "patch");
    const onCreate = () => Promise.reject(new DatabaseError("unavailable", "away"));
    const interrupted = { ...home.context, participants: [{ name: "away", onCreate }] };
    await assert.rejects(installApp(interrupted, { name }, callBy(system)), /away/);
    await submit(name, identity, { version: "1.0.1" });
    await resumeUpgrades(later());
    assert.deepEqual([(await stored(name)).state, (await stored(name)).target], ["INSTALLING", undefined]);
    await resumeOperations(home.context);
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    assert.deepEqual([(await stored(name)).state, (await stored(name)).target], ["RUNNING", undefined]);
    await resumeUpgrades(later());
    assert.equal((await stored(name)).target?.version, "1.0.1");
  });

  test("a version that failed is not tried again, and a rollback stays", async () => {
    const name = "com.example.given_up";
    const { identity, id } = await running(name, "minor");
    await submit(name, identity, { version: "1.1.0" });
    assert.deepEqual([(await end(name, id, 2, "FAILED")).target, (await stored(name)).version], [undefined, "1.0.0"]);
    await upgradeApp(home.context, { name }, callBy(system));
    await end(name, id, 2);
    await rollbackApp(home.context, { name }, callBy(system));
    const back = await end(name, id, 3);
    assert.deepEqual([back.version, back.availableVersion, back.target], ["1.0.0", "1.1.0", undefined]);
  });

  test("a refusal is a warning of the registration", async () => {
    const name = "com.example.asking";
    const { identity } = await running(name, "minor");
    const ask = { requiredPermissions: [{ scope: "audit:view", resourceType: "", reason: "", requiresApproval: true }] };
    const { app, changed, warnings } = await submit(name, identity, { version: "1.1.0", ...ask });
    assert.deepEqual([changed, app.availableVersion, app.target], [true, "1.1.0", undefined]);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ["APPROVAL_REQUIRED"],
    );
  });

  test("the manifest of the version that runs may give the setting a default; a stored value has precedence", async () => {
    const name = "com.example.eager";
    const settings = { definitions: [{ key: "app.auto_upgrade", dataType: 1, defaultValue: '"patch"' }] };
    const external = { api: { basePath: `/api/apps/${name}`, upstreamBaseUrl: "http://192.0.2.1" } };
    const { identity, app } = await home.register(name, { webApp: external, settings });
    await installApp(home.context, { name }, callBy(system));
    const next = await submit(name, identity, { version: "1.0.1", webApp: external, settings });
    assert.deepEqual([next.app.version, next.app.target], ["1.0.1", undefined]);
    home.autoUpgrades.set(app.id, "none");
    assert.equal((await submit(name, identity, { version: "1.0.2", webApp: external, settings })).app.version, "1.0.1");
  });
});
