import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeploymentRecord, DeploymentState } from "@appserver/contracts/deployments";
import { uuidv7 } from "@appserver/kernel";
import { until } from "@appserver/testing/kit";
import type { DesiredRelease } from "../src/index.ts";
import { desiredRelease } from "./fixtures.ts";
import { clock, isHealthy, name, type Platform, quickApp, usePlatforms, withPlatform, writeApp } from "./real-platform.ts";

usePlatforms();

const plain = `app-${name}`;
const { healthCheck } = quickApp();

const release = (changes: Partial<DesiredRelease> = {}): DesiredRelease =>
  desiredRelease({ healthCheck, operationId: uuidv7(), ...changes });

const upgradedApp = () => quickApp({ version: "2.0.0", generation: 2, manifestDigest: "digest-2" });

/** Starts the app, and then the release while the app runs. Returns the app's deployment. */
async function startRelease(platform: Platform, next: DesiredRelease): Promise<DeploymentRecord> {
  writeApp("1");
  platform.installed.set(name, quickApp());
  await platform.deployments.reconcile(name);
  const current = await platform.until("healthy", isHealthy);
  writeApp("2");
  platform.installed.set(name, quickApp({ next }));
  await platform.deployments.reconcile(name);
  return current;
}

async function ofGeneration(platform: Platform, generation: number): Promise<DeploymentRecord | undefined> {
  return await platform.deployments.find(quickApp().id, generation);
}

async function untilState(platform: Platform, generation: number, state: DeploymentState): Promise<DeploymentRecord> {
  let found: DeploymentRecord | undefined;
  await until(`generation ${generation} ${state}`, async () => {
    found = await ofGeneration(platform, generation);
    return found?.state === state;
  });
  assert.ok(found);
  return found;
}

async function containers(platform: Platform): Promise<readonly string[]> {
  return (await platform.runtime.list({})).map((container) => `${container.name} ${container.status}`).sort();
}

async function roles(platform: Platform): Promise<readonly string[]> {
  const { rows } = await platform.database.query<{ found: string }>(
    "select role || ' ' || generation as found from orchestration.deployments where role is not null order by role",
  );
  return rows.map(({ found }) => found);
}

test("a release starts while the app runs, takes over, and gets the app's name; its process keeps running", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    const first = await startRelease(platform, release());
    const next = await untilState(platform, 2, "HEALTHY");
    assert.deepEqual(await containers(platform), [`${plain} running`, `${plain}-g2 running`]);
    assert.deepEqual((await platform.deployments.find(quickApp().id))?.id, first.id);
    assert.notEqual(next.imageDigest, first.imageDigest);
    assert.equal((await fetch(`${first.endpoint}/healthz`)).status, 204);

    platform.installed.set(name, upgradedApp());
    await platform.deployments.reconcile(name);
    await until("renamed", async () => (await ofGeneration(platform, 2))?.containerName === plain);
    const current = await platform.until("taken over", (deployment) => deployment?.id === next.id);
    assert.deepEqual([current.endpoint, current.state, current.containerId], [next.endpoint, "HEALTHY", next.containerId]);
    assert.deepEqual([await containers(platform), await roles(platform)], [[`${plain} running`], ["current 2"]]);
    assert.equal((await ofGeneration(platform, 1))?.state, "STOPPED");
    assert.equal((await fetch(`${current.endpoint}/healthz`)).status, 204);
    await assert.rejects(fetch(`${first.endpoint}/healthz`));
  });
});

test("a release that exits is FAILED with its last output, and the app keeps running", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    writeApp("1");
    platform.installed.set(name, quickApp());
    await platform.deployments.reconcile(name);
    const first = await platform.until("healthy", isHealthy);
    writeApp("2", "throw new Error('FOO is not configured');");
    platform.installed.set(name, quickApp({ next: release() }));
    await platform.deployments.reconcile(name);
    const failed = await untilState(platform, 2, "FAILED");
    assert.ok(failed.final);
    const reason = /^the app exited with code 1: "Error: FOO is not configured" at \/.*\/app\/app\.mjs:2$/;
    assert.match(failed.lastError?.message ?? "", reason);
    platform.installed.set(name, quickApp());
    await platform.deployments.reconcile(name);
    await untilState(platform, 2, "STOPPED");
    const current = await platform.until("healthy", isHealthy);
    assert.deepEqual([current.id, current.restartCount, current.endpoint], [first.id, 0, first.endpoint]);
    assert.deepEqual(await containers(platform), [`${plain} running`]);
  });
});

test("a rollback runs the image of its release, even if the tag has another image", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    const { imageDigest } = await startRelease(platform, release());
    await untilState(platform, 2, "HEALTHY");
    const back = { version: "1.0.0", manifestDigest: "digest-1", generation: 3, imageDigest };
    platform.installed.set(name, { ...upgradedApp(), next: release(back) });
    await platform.deployments.reconcile(name);
    const restored = await untilState(platform, 3, "HEALTHY");
    assert.equal(restored.imageDigest, imageDigest);
  });
});

test("replace: never two at a time; if the release fails, the app runs again", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    const watching = new AbortController();
    let most = 0;
    const watch = (async () => {
      while (!watching.signal.aborted) {
        const running = (await platform.runtime.list({})).filter(({ status }) => status === "running");
        most = Math.max(most, running.length);
        await clock.sleep(20);
      }
    })();
    const first = await startRelease(platform, release({ strategy: "replace" }));
    await untilState(platform, 2, "HEALTHY");
    platform.installed.set(name, upgradedApp());
    await platform.deployments.reconcile(name);
    await until("one", async () => (await roles(platform)).join() === "current 2");

    writeApp("3", "process.exit(1);");
    const third = release({ strategy: "replace", generation: 3, manifestDigest: "digest-3" });
    platform.installed.set(name, { ...upgradedApp(), next: third });
    await platform.deployments.reconcile(name);
    await untilState(platform, 3, "FAILED");
    const current = await platform.until("running again", (deployment) => isHealthy(deployment) && !deployment?.pausedAt);
    watching.abort();
    await watch;
    assert.deepEqual([current.generation, current.restartCount, most], [2, 0, 1]);
    assert.notEqual(current.id, first.id);
  });
});

test("of two orchestrators one does the switch, and another one finishes it", async () => {
  await withPlatform(async (platform) => {
    const [one] = [await platform.orchestrator(), await platform.orchestrator()];
    await startRelease(platform, release());
    await untilState(platform, 2, "HEALTHY");
    await Promise.all([one.stop?.(), platform.orchestrator()]);
    platform.installed.set(name, upgradedApp());
    await platform.deployments.reconcile(name);
    await until("switched", async () => (await containers(platform)).join() === `${plain} running`);
    await until("one", async () => (await roles(platform)).join() === "current 2");
    const { rows } = await platform.database.query("select 1 from orchestration.deployments");
    assert.equal(rows.length, 2);
  });
});

test("a writer that lost the lease cannot switch", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    await startRelease(platform, release());
    await untilState(platform, 2, "HEALTHY");
    await platform.database.query("update orchestration.fences set fence = fence + 1000");
    platform.installed.set(name, upgradedApp());
    await platform.deployments.reconcile(name);
    await clock.sleep(500);
    assert.deepEqual(await roles(platform), ["current 1", "next 2"]);
  });
});
