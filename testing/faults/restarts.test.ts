import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { processesOf } from "./app-processes.ts";
import { FaultyPlatform, prepareSampleApps, sampleApps } from "./faulty-platform.ts";
import type { Expectation } from "./invariants.ts";
import { postmasterPid, readRecords } from "./platform-records.ts";

/** Twice the restarts per hour after which an app is set to FAILED (docs/interface/containers.md#restarts). */
const cleanRestarts = 6;
const skip = process.platform === "linux" ? false : "needs /proc";
const allRunning: ReadonlyMap<string, Expectation> = new Map(
  sampleApps.map((app) => [app, { states: ["RUNNING"], needsProcess: true }]),
);

suite("a stopped platform, and a platform whose database is killed", { skip, concurrency: 2 }, () => {
  before(prepareSampleApps);

  test(`${cleanRestarts} clean restarts: apps run each time, no restart counts as a failure, and a stop leaves no process`, (t) =>
    withRunningApps(async (platform) => {
      for (let restart = 1; restart <= cleanRestarts; restart++) {
        const startedAt = performance.now();
        assert.equal(await platform.watched.stop(), 0);
        assert.deepEqual(processesOf(platform.dataDir), [], `after stop ${restart}`);
        await platform.restart();
        await platform.settled(allRunning);
        t.diagnostic(`restart ${restart}: ${Math.round(performance.now() - startedAt)} ms from stop to running`);
      }
      const { deployments } = await readRecords(platform.dataDir);
      assert.deepEqual(
        deployments.filter(({ role }) => role === "current").map(({ restartCount, final }) => ({ restartCount, final })),
        sampleApps.map(() => ({ restartCount: 0, final: false })),
      );
    }));

  test("the database server is killed while serving: the platform keeps serving and recovers by itself", (t) =>
    withRunningApps(async (platform) => {
      const server = platform.watched.pid;
      const postmaster = await postmasterPid(platform.dataDir);
      const killedAt = performance.now();
      process.kill(postmaster, "SIGKILL");
      const { refusals, notReady } = await watchRecovery(platform);
      t.diagnostic(`/ready: 503 ${notReady} times, 200 again after ${Math.round(performance.now() - killedAt)} ms`);
      assert.deepEqual(refusals, [], "public routes of running apps are proxied from memory without the database");
      assert.notEqual(await postmasterPid(platform.dataDir), postmaster);
      await platform.settled(allRunning);
      assert.ok(platform.watched.isRunning && platform.watched.pid === server, "the server is still the same process");
      // Commands that need the database work again.
      const [app] = sampleApps;
      await platform.client().marketplace.uninstallApp({ name: app });
      await platform.settled(new Map([...allRunning, [app, { states: ["UNINSTALLED"], needsProcess: true }]]));
      await platform.client().marketplace.installApp({ name: app });
      await platform.settled(allRunning);
    }));
});

async function withRunningApps(work: (platform: FaultyPlatform) => Promise<void>): Promise<void> {
  const platform = await FaultyPlatform.create();
  try {
    for (const name of sampleApps) await platform.client().marketplace.installApp({ name });
    await platform.settled(allRunning);
    await work(platform);
  } catch (error) {
    // Its logs show what happened.
    await platform.watched.stop();
    throw error;
  }
  await platform.remove();
}

/** Calls the apps' public routes until /ready was 503 and then 200 again, or until the time limit if it never was 503. */
async function watchRecovery(platform: FaultyPlatform): Promise<{ refusals: readonly string[]; notReady: number }> {
  const refusals: string[] = [];
  let notReady = 0;
  const startedAt = performance.now();
  for (;;) {
    for (const app of sampleApps) {
      const status = await platform.publicRoute(app);
      if (status !== 200) refusals.push(`${app}: ${status} after ${Math.round(performance.now() - startedAt)} ms`);
    }
    const ready = await fetch(`${platform.server.httpUrl}/ready`);
    await ready.body?.cancel();
    if (ready.status !== 200) notReady += 1;
    const elapsedMs = performance.now() - startedAt;
    if (ready.status === 200 && (notReady > 0 || elapsedMs > 5_000)) return { refusals, notReady };
    assert.ok(elapsedMs < 30_000, "/ready did not return to 200");
    await sleep(25);
  }
}
