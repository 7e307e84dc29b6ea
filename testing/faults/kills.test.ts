import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient, type PlatformClient } from "@appserver/sdk";
import { scaled } from "@appserver/testing/kit";
import { removeDataFolder } from "../kit/remove-data-folder.ts";
import { appProcesses, processesOf } from "./app-processes.ts";
import { makeDataDir, prepareSampleApps, sampleApps } from "./faulty-platform.ts";
import { duplicates } from "./invariants.ts";
import { postmasterPid } from "./platform-records.ts";
import { chance, randomSeed } from "./random.ts";
import { quietPort, ServerProcess } from "./server-process.ts";
import { SettingsWriter } from "./settings-writer.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const kills = scaled(50);
/** Kills interrupt starts, which take two to five seconds, as often as the time after them. */
const longestLifeMs = 7_000;
const seed = Number(process.env["APPSERVER_FAULT_SEED"] ?? randomSeed());

suite("kill -9 of appserver dev with its sample apps", { skip }, () => {
  let folder: string;
  before(async () => {
    await prepareSampleApps();
    folder = await makeDataDir();
  });
  after(async () => {
    for (const { pid } of appProcesses(folder)) process.kill(pid, "SIGKILL");
    await removeDataFolder(folder);
  });

  test(`${kills} kills at random moments, also during starts: every next start succeeds by itself and no acknowledged write is lost`, async (t) => {
    t.diagnostic(`seed ${seed}`);
    const random = chance(seed);
    const server = new ServerProcess({
      dataDir: folder,
      examples: true,
      httpPort: await quietPort(),
      grpcPort: await quietPort(),
    });
    const client = (): PlatformClient => createPlatformClient({ grpcUrl: server.grpcUrl, timeoutMs: 5_000 });
    server.start();
    await server.installed();
    const { app } = await client().marketplace.getApp({ name: sampleApps[0] });
    const writer = new SettingsWriter(client, app?.id ?? "");
    let duringStarts = 0;
    for (let kill = 0; kill < kills; kill++) {
      const lifeMs = random.below(longestLifeMs);
      const over = sleep(lifeMs, true);
      while (!(await Promise.race([over, writer.tryWriting().then(() => sleep(200, false))])));
      assert.ok(server.isRunning, `it ended by itself with ${server.exitReason}:\n${server.printed}`);
      if (!server.printed.includes("Ctrl-C stops")) duringStarts += 1;
      // Sometimes all processes are killed, as if the machine had failed.
      const postmaster = random.next() < 0.25 ? await postmasterPid(folder).catch(() => undefined) : undefined;
      await server.kill();
      if (postmaster !== undefined) killIfAlive(postmaster);
      server.start();
    }
    await server.installed();
    assert.doesNotMatch(server.printed, /retrying|does not run/);
    t.diagnostic(`${duringStarts} of ${kills} kills hit a start; ${writer.acknowledged} writes acknowledged`);
    assert.ok(Number(await writer.stored()) >= writer.acknowledged);
    const running = appProcesses(folder);
    assert.deepEqual(duplicates(running), []);
    assert.deepEqual(running.map(({ appName }) => appName).sort(), [...sampleApps].sort());
    assert.equal(await server.stop(), 0);
    assert.deepEqual(processesOf(folder), []);
  });
});

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended with its parent process.
  }
}
