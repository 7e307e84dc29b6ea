import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { processesOf } from "./app-processes.ts";
import { FaultyPlatform, prepareSampleApps, sampleApps } from "./faulty-platform.ts";
import type { Expectation } from "./invariants.ts";
import { readRecords } from "./platform-records.ts";

/** Twice the restarts per hour after which an app is set to FAILED (docs/interface/containers.md#restarts). */
const cleanRestarts = 6;
const skip = process.platform === "linux" ? false : "needs /proc";
const allRunning: ReadonlyMap<string, Expectation> = new Map(
  sampleApps.map((app) => [app, { states: ["RUNNING"], needsProcess: true }]),
);

suite("a stopped platform", { skip }, () => {
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
