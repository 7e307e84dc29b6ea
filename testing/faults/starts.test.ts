import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { createPlatformClient, ensureAppKeys, loadManifest, registerApp } from "@appserver/sdk";
import { scaled, until } from "@appserver/testing/kit";
import { removeDataFolder } from "../kit/remove-data-folder.ts";
import { appProcesses, processesOf } from "./app-processes.ts";
import { folderOf, makeDataDir, prepareSampleApps, sampleApps } from "./faulty-platform.ts";
import { postmasterPid } from "./platform-records.ts";
import { quietPort, ServerProcess } from "./server-process.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
/** Time limit after SIGTERM at any moment of a start, with room for a busy machine. */
const stopWithinMs = 10_000;
const signalledStarts = scaled(20, 4);
/** A start with the sample apps takes two to five seconds. */
const startMs = 4_000;

suite("starts of appserver dev with its sample apps", { skip }, () => {
  const folders: string[] = [];
  const servers: ServerProcess[] = [];
  before(prepareSampleApps);
  after(async () => {
    for (const each of servers) if (each.isRunning) await each.kill();
    for (const folder of folders) {
      for (const { pid } of appProcesses(folder)) process.kill(pid, "SIGKILL");
      await removeDataFolder(folder);
    }
  });

  async function server(dataDir: string, examples = true): Promise<ServerProcess> {
    const created = new ServerProcess({ dataDir, examples, httpPort: await quietPort(), grpcPort: await quietPort() });
    servers.push(created);
    return created;
  }

  async function newFolder(): Promise<string> {
    const folder = await makeDataDir();
    folders.push(folder);
    return folder;
  }

  test("a second server on the data folder is refused by the first one's process id; after kill -9 it takes over", async () => {
    const folder = await newFolder();
    const [first, second] = [await server(folder), await server(folder)];
    first.start();
    await first.installed();
    second.start();
    await until("the second server ended", () => !second.isRunning);
    assert.match(second.printed, new RegExp(`appserver: The data folder ${folder} is in use by process ${first.pid}: `));
    assert.equal(second.exitReason, "1");
    const postmaster = await postmasterPid(folder);
    await first.kill();
    second.start();
    await second.installed();
    assert.notEqual(await postmasterPid(folder), postmaster);
    assert.equal(appProcesses(folder).length, sampleApps.length);
    assert.equal(await second.stop(), 0);
    assert.deepEqual(processesOf(folder), []);
  });

  test(`SIGTERM at ${signalledStarts} moments of a start: it ends in time with code 0 and leaves no process`, async (t) => {
    const folder = await newFolder();
    const current = await server(folder);
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
      assert.deepEqual(processesOf(folder), []);
    }
    current.start();
    await current.installed();
    assert.equal(await current.stop(), 0);
  });

  test("an app that was edited without a new version is the next revision at the next start", async () => {
    const folder = await newFolder();
    const plain = await server(folder, false);
    plain.start();
    await plain.ready();
    const [app] = sampleApps;
    const keys = await ensureAppKeys(folderOf(app), app);
    const { manifest } = await loadManifest(folderOf(app), keys);
    const { displayName } = manifest;
    manifest.displayName = "Other notes";
    const digest = keys.privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
    const signature = new Uint8Array(sign(digest, canonicalManifest(manifest), keys.privateKey));
    await registerApp(createPlatformClient({ grpcUrl: plain.grpcUrl }), { manifest, signature });
    assert.equal(await plain.stop(), 0);
    const withSamples = await server(folder);
    withSamples.start();
    await withSamples.installed();
    const { app: stored } = await createPlatformClient({ grpcUrl: withSamples.grpcUrl }).marketplace.getApp({ name: app });
    assert.deepEqual([stored?.displayName, stored?.version, stored?.revision], [displayName, "1.0.0", 2]);
    assert.equal(await withSamples.stop(), 0);
  });

  test("kill -9 during a command on a sample app: the next start does not wait for the dead command, and the server stays up", async () => {
    const folder = await newFolder();
    const current = await server(folder);
    current.start();
    await current.installed();
    for (const delay of [5, 30, 100]) {
      const client = createPlatformClient({ grpcUrl: current.grpcUrl });
      const command = client.marketplace.uninstallApp({ name: sampleApps[1] }).catch(() => undefined);
      await sleep(delay);
      await current.kill();
      await command;
      current.start();
      await current.installed();
      assert.doesNotMatch(current.printed, /another command|retrying/);
      await createPlatformClient({ grpcUrl: current.grpcUrl })
        .marketplace.installApp({ name: sampleApps[1] })
        .catch(() => undefined);
      await sleep(500);
      assert.ok(current.isRunning, current.printed);
    }
    assert.equal(await current.stop(), 0);
  });
});
