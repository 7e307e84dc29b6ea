import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { eventually, RunningPlatform } from "@appserver/testing/kit";
import { appProcesses, processesOf } from "./app-processes.ts";
import { sampleApps } from "./faulty-platform.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const stopWithinMs = 10_000;

suite("a platform whose data folder is removed", { skip }, () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await RunningPlatform.start();
  });
  after(() => platform?.stop());

  test("reports it once, is not ready, stays up, and leaves no process after Ctrl-C", async () => {
    const { dataDir } = platform;
    const summary = platform.printed;
    assert.equal(appProcesses(dataDir).length, sampleApps.length);
    const started = processesOf(dataDir).length;
    assert.ok(started > sampleApps.length, "the database is a process of its own");

    // Retries: the platform writes to the folder during the removal, as it may while an operator removes it.
    await rm(dataDir, { recursive: true, maxRetries: 50, retryDelay: 5 });
    const problem = `the data folder ${dataDir} cannot be used: it was removed`;
    assert.deepEqual(await readiness(), { status: 503, message: problem });
    // The database notices it, too, and cannot be started again: now everything fails.
    await eventually(async () => assert.equal((await checks())["database"]?.status, "down"), undefined, { timeoutMs: 120_000 });
    assert.deepEqual(await readiness(), { status: 503, message: problem });

    const stoppedAt = performance.now();
    assert.equal(await platform.interrupt(), 0);
    const took = performance.now() - stoppedAt;
    assert.ok(took < stopWithinMs, `the stop took ${took} ms`);
    await eventually(() => assert.deepEqual(processesOf(dataDir), []));
    assert.equal(existsSync(dataDir), false);
    const lines = platform.printed.slice(summary.length).split("\n").filter(Boolean);
    assert.equal(lines.length, 2, lines.join("\n"));
    assert.match(lines[0] ?? "", new RegExp(`^appserver: the data folder ${dataDir} cannot be used: .*Ctrl-C`));
    assert.equal(lines[1], "Stopping …");
  });

  interface Checks {
    readonly [name: string]: { readonly status: string; readonly message?: string } | undefined;
  }

  async function ready(): Promise<{ readonly status: number; readonly checks: Checks }> {
    const response = await fetch(`${platform.httpUrl}/ready`);
    const { checks } = (await response.json()) as { readonly checks: Checks };
    return { status: response.status, checks };
  }

  async function checks(): Promise<Checks> {
    return (await ready()).checks;
  }

  async function readiness() {
    const { status, checks } = await ready();
    return { status, message: checks["data_folder"]?.message };
  }
});
