import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Caller, SystemClock } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { applyDeployments } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { UnstartedSwitches } from "../src/use-cases/switch/index.ts";
import { upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { startMarketplace } from "./marketplace-under-test.ts";
import { runningApp } from "./running-app.ts";

const system: Caller = { kind: "system", reason: "test" };

describe("switches without an orchestrator", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const stored: typeof home.stored = (name) => home.stored(name);
  const running = (name: string) => runningApp(home, name);
  const operationOf = (id: string) => home.context.store.operationById(id);
  /** The context of a process at that time. */
  const afterSeconds = (seconds: number) => {
    const ms = seconds * 1_000;
    const times = { now: () => Date.now() + ms, monotonic: () => performance.now() + ms };
    return { ...home.context, clock: Object.assign(new SystemClock(), times) };
  };

  test("a platform that starts again long after the command gives an orchestrator the time to take up the switch", async () => {
    const name = "com.example.stopped";
    const { id } = await running(name);
    const { operation } = await upgradeApp(home.context, { name }, callBy(system));
    const restarted = { unstarted: new UnstartedSwitches() };
    for (const seconds of [3_600, 3_780]) await applyDeployments({ ...afterSeconds(seconds), ...restarted });
    assert.equal((await stored(name)).target?.version, "1.1.0");
    home.deploy(id, 2, "HEALTHY", { operationId: operation.id });
    await applyDeployments({ ...afterSeconds(7_200), ...restarted });
    assert.deepEqual([(await stored(name)).version, (await stored(name)).target], ["1.1.0", undefined]);
  });

  test("a switch that no orchestrator takes up ends after a while; one that pulls its image for hours does not", async () => {
    const after = (seconds: number) => applyDeployments(afterSeconds(seconds));
    const [orphaned, slow] = ["com.example.unstarted", "com.example.slow"];
    await running(orphaned);
    const { operation } = await upgradeApp(home.context, { name: orphaned }, callBy(system));
    const { id } = await running(slow);
    const pulling = await upgradeApp(home.context, { name: slow }, callBy(system));
    const pulledAt = (seconds: number) => {
      const updatedAt = new Date(Date.now() + seconds * 1_000);
      home.deploy(id, 2, "PULLING", { operationId: pulling.operation.id, updatedAt });
    };
    pulledAt(7_000);
    await after(0);
    await after(180);
    assert.equal((await stored(orphaned)).target?.version, "1.1.0");
    await after(7_200);
    const [reverted, going] = [await stored(orphaned), await stored(slow)];
    assert.deepEqual([reverted.target, reverted.version, reverted.state], [undefined, "1.0.0", "RUNNING"]);
    assert.equal(going.target?.version, "1.1.0");
    const ended = await operationOf(operation.id);
    assert.deepEqual(
      [ended?.done, ended?.error?.message],
      [true, "1.1.0 did not start: no orchestrator took up the deployment within 210 s"],
    );
    const [event] = (await home.eventsOf(orphaned)).slice(-1);
    assert.deepEqual([event?.type, event?.body["isAutomatic"]], ["app.rolled_back", true]);

    await after(7_000 + 3_601);
    assert.equal((await stored(slow)).target, undefined, "its orchestrator has died");
    const given = (await operationOf(pulling.operation.id))?.error;
    const reason = "1.1.0 did not start: its deployment has been PULLING without progress for 60 min";
    assert.deepEqual([given?.code, given?.message], ["SERVICE_UNAVAILABLE", reason]);
  });

  test("one app whose deployment cannot be read does not keep the others from their states", async () => {
    const [broken, healthy] = ["com.example.broken", "com.example.next-in-line"];
    const brokenApp = await running(broken);
    const { identity, app } = await home.register(healthy);
    assert.ok(identity);
    await installApp(home.context, { name: healthy }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY");
    const { deployments } = home.context;
    const find: typeof deployments.find = (appId, generation) =>
      appId === brokenApp.id ? Promise.reject(new Error("unreadable")) : deployments.find(appId, generation);
    await applyDeployments({ ...home.context, deployments: { ...deployments, find } });
    assert.equal((await stored(healthy)).state, "RUNNING");
  });

  test("a new installation of an app that failed during a switch ends the switch", async () => {
    const name = "com.example.failed-switching";
    await running(name);
    await upgradeApp(home.context, { name }, callBy(system));
    const app = await stored(name);
    await home.context.store.save({ app: { ...app, state: "FAILED" }, expectedRowVersion: app.rowVersion, events: [] });
    await installApp(home.context, { name }, callBy(system));
    const { target, state } = await stored(name);
    assert.deepEqual([target, state], [undefined, "INSTALLED"]);
  });
});
