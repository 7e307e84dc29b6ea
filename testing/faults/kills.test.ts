import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient, type PlatformClient } from "@appserver/sdk";
import { killPostgres, type RunningPlatform, scaled } from "@appserver/testing/kit";
import { appProcesses, processesOf } from "./app-processes.ts";
import { createAppserver, prepareSampleApps, removeAppserver, sampleApps } from "./faulty-platform.ts";
import { duplicates } from "./invariants.ts";
import { postmasterPid } from "./platform-records.ts";
import { chance, seed } from "./random.ts";
import { SettingsWriter } from "./settings-writer.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const kills = scaled(50);
/** Kills interrupt starts, which take two to five seconds, as often as the time after them. */
const maxLifeMs = 7_000;

suite("kill -9 of appserver dev with its sample apps", { skip }, () => {
  let platform: RunningPlatform;
  before(async () => {
    await prepareSampleApps();
    platform = await createAppserver();
  });
  after(() => removeAppserver(platform));

  test(`${kills} kills at random moments, also during starts: every next start succeeds by itself and no acknowledged write is lost`, async (t) => {
    t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
    const random = chance();
    const { dataDir, process: server } = platform;
    const client = (): PlatformClient => createPlatformClient({ grpcUrl: platform.grpcUrl, timeoutMs: 5_000 });
    server.start();
    await platform.installed();
    const { app } = await client().marketplace.getApp({ name: sampleApps[0] });
    const writer = new SettingsWriter(client, app?.id ?? "");
    let duringStarts = 0;
    for (let kill = 0; kill < kills; kill++) {
      const lifeMs = random.below(maxLifeMs);
      const over = sleep(lifeMs, true);
      while (!(await Promise.race([over, writer.tryWriting().then(() => sleep(200, false))])));
      assert.ok(server.isRunning, `it ended by itself with ${server.exitReason}:\n${server.printed}`);
      if (!server.printed.includes("Ctrl-C stops")) duringStarts += 1;
      // Sometimes all processes are killed, as if the machine had failed.
      const postmaster = random.next() < 0.25 ? await postmasterPid(dataDir).catch(() => undefined) : undefined;
      await server.kill();
      if (postmaster !== undefined) killPostgres(postmaster);
      server.start();
    }
    await platform.installed();
    assert.doesNotMatch(server.printed, /retrying|does not run/);
    t.diagnostic(`${duringStarts} of ${kills} kills hit a start; ${writer.acknowledged} writes acknowledged`);
    assert.ok(Number(await writer.stored()) >= writer.acknowledged);
    const running = appProcesses(dataDir);
    assert.deepEqual(duplicates(running), []);
    assert.deepEqual(running.map(({ appName }) => appName).sort(), [...sampleApps].sort());
    assert.equal(await server.stop(), 0);
    assert.deepEqual(processesOf(dataDir), []);
  });
});
