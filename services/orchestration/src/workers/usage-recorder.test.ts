import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import type { AppUsage } from "../domain/container-usage.ts";
import type { AppUsageSample } from "../ports.ts";
import { UsageRecorder } from "./usage-recorder.ts";

const [notes, clockApp] = ["com.example.notes", "com.example.clock"];

test("stores processors in use since the sample before, memory and the size of the database", async () => {
  const clock = new FakeClock();
  const stored: (readonly AppUsageSample[])[] = [];
  let containers: readonly AppUsage[] = [];
  const used = (cpuSeconds: number): AppUsage => ({
    appName: notes,
    memoryBytes: 100,
    memoryLimitBytes: undefined,
    cpuSeconds,
  });
  const database = { appId: "id", usedBytes: 7, limitBytes: 9, fullSince: undefined, measuredAt: new Date(0) };
  const recorder = new UsageRecorder({
    containers: () => containers,
    databases: () => [
      { ...database, appName: notes },
      { ...database, appName: clockApp },
    ],
    history: { append: async (samples) => void stored.push(samples) },
    clock,
  });
  const record = async (usage: readonly AppUsage[]): Promise<AppUsageSample | undefined> => {
    containers = usage;
    await recorder.record();
    await clock.advance(30_000);
    return stored.at(-1)?.find(({ appName }) => appName === notes);
  };
  // What it has used before the first sample is not of this time.
  assert.deepEqual(await record([used(500)]), { appName: notes, memoryBytes: 100, cpu: undefined, databaseBytes: 7 });
  assert.deepEqual((await record([used(515)]))?.cpu, 0.5);
  assert.deepEqual(await record([]), { appName: notes, databaseBytes: 7 });
  assert.equal((await record([used(600)]))?.cpu, undefined);
  assert.deepEqual(stored.at(-1)?.[1], { appName: clockApp, databaseBytes: 7 });
});
