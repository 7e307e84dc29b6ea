import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { ensureAppKeys, loadManifest } from "@appserver/sdk";
import { type PlatformOptions, type RunningPlatform, scaled, until } from "@appserver/testing/kit";
import { appProcesses, processesOf } from "./app-processes.ts";
import { createAppserver, folderOf, prepareSampleApps, removeAppserver, sampleApps } from "./faulty-platform.ts";
import { postmasterPid } from "./platform-records.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
/** Time limit after SIGTERM at any moment of a start, with room for a busy machine. */
const stopWithinMs = 10_000;
const signalledStarts = scaled(20, 4);
/** A start with the sample apps takes two to five seconds. */
const startMs = 4_000;

suite("starts of appserver dev with its sample apps", { skip }, () => {
  const platforms: RunningPlatform[] = [];
  before(prepareSampleApps);
  after(async () => {
    for (const platform of platforms) await removeAppserver(platform);
  });

  async function create(options?: PlatformOptions): Promise<RunningPlatform> {
    const created = await createAppserver(options);
    platforms.push(created);
    return created;
  }

  test("a second server on the data folder is refused by the first one's process id; after kill -9 it takes over", async () => {
    const first = await create();
    const { dataDir } = first;
    const second = await create({ dataDir });
    first.process.start();
    await first.installed();
    second.process.start();
    await until("the second server ended", () => !second.process.isRunning);
    const { pid } = first.process;
    assert.match(second.printed, new RegExp(`appserver: The data folder ${dataDir} is in use by process ${pid}: `));
    assert.equal(second.process.exitReason, "1");
    const postmaster = await postmasterPid(dataDir);
    await first.process.kill();
    second.process.start();
    await second.installed();
    assert.notEqual(await postmasterPid(dataDir), postmaster);
    assert.equal(appProcesses(dataDir).length, sampleApps.length);
    assert.equal(await second.process.stop(), 0);
    assert.deepEqual(processesOf(dataDir), []);
  });

  test(`SIGTERM at ${signalledStarts} moments of a start: it ends in time with code 0 and leaves no process`, async (t) => {
    const platform = await create();
    const current = platform.process;
    for (let start = 0; start < signalledStarts; start++) {
      const delay = Math.round((startMs * start) / (signalledStarts - 1));
      current.start();
      // Before its signal handlers are installed, a signal ends the process. This line is printed with them.
      await until("the start began", () => current.printed.includes("starts in"));
      await sleep(delay);
      const signalledAt = performance.now();
      const code = await current.stop();
      const took = performance.now() - signalledAt;
      t.diagnostic(`after ${delay} ms: ended in ${Math.round(took)} ms`);
      assert.equal(code, 0, current.printed);
      assert.ok(took < stopWithinMs, `after ${delay} ms of a start: ${took} ms`);
      assert.deepEqual(processesOf(platform.dataDir), []);
    }
    current.start();
    await platform.installed();
    assert.equal(await current.stop(), 0);
  });

  test("an app that was edited without a new version is the next revision at the next start", async () => {
    const plain = await create({ flags: ["--no-examples"] });
    plain.process.start();
    await plain.ready();
    const [app] = sampleApps;
    const keys = await ensureAppKeys(folderOf(app), app);
    const { manifest } = await loadManifest(folderOf(app), keys);
    const { displayName } = manifest;
    manifest.displayName = "Other notes";
    const digest = keys.privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
    const signature = new Uint8Array(sign(digest, canonicalManifest(manifest), keys.privateKey));
    await plain.register({ manifest, signature });
    assert.equal(await plain.process.stop(), 0);
    const withSamples = await create({ dataDir: plain.dataDir });
    withSamples.process.start();
    await withSamples.installed();
    const { app: stored } = await withSamples.client().marketplace.getApp({ name: app });
    assert.deepEqual([stored?.displayName, stored?.version, stored?.revision], [displayName, "1.0.0", 2]);
    assert.equal(await withSamples.process.stop(), 0);
  });

  test("kill -9 during a command on a sample app: the next start does not wait for the dead command, and the server stays up", async () => {
    const platform = await create();
    const current = platform.process;
    current.start();
    await platform.installed();
    for (const delay of [5, 30, 100]) {
      const command = platform
        .client()
        .marketplace.uninstallApp({ name: sampleApps[1] })
        .catch(() => undefined);
      await sleep(delay);
      await current.kill();
      await command;
      current.start();
      await platform.installed();
      assert.doesNotMatch(current.printed, /another command|retrying/);
      const { marketplace } = platform.client();
      await marketplace.installApp({ name: sampleApps[1] }).catch(() => undefined);
      await sleep(500);
      assert.ok(current.isRunning, current.printed);
    }
    assert.equal(await current.stop(), 0);
  });
});
