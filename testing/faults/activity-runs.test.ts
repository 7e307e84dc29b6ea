import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient } from "@appserver/sdk";
import { activity, activityApp, installActivityApp, WorkerProcess } from "./activity-app.ts";
import { type ActivityRecords, observeEnds, publishedEnds, readActivityRecords, storedEnds } from "./activity-records.ts";
import { scaled } from "./fault-scale.ts";
import { databaseFolder } from "./platform-records.ts";
import { type Chance, chance, randomSeed } from "./random.ts";
import { quietPort, ServerProcess } from "./server-process.ts";

const runs = scaled(10_000);
const producers = 16;
const workers = 4;
const serverKills = scaled(4, 2);
/** Of each worker. */
const workerKills = scaled(8, 3);
const patienceMs = 300_000;
const skip = process.platform === "linux" ? false : "needs /proc";
const seed = Number(process.env["APPSERVER_FAULT_SEED"] ?? randomSeed());

test(`${runs} activity runs while workers and the server are killed -9`, { skip }, async (t) => {
  t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
  const random = chance(seed);
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), "appserver-faults-")));
  // Reachable for the account that the database runs as under root.
  await chmod(dataDir, 0o755);
  const server = new ServerProcess({ dataDir, httpPort: await quietPort(), grpcPort: await quietPort() });
  const done = new AbortController();
  const processes: WorkerProcess[] = [];
  const figures = { workerKills: 0, serverKills: 0 };
  let passed = false;
  t.after(async () => {
    done.abort();
    for (const worker of processes) await worker.kill();
    await server.stop();
    if (!passed) return;
    for (const folder of [await databaseFolder(dataDir), dataDir])
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  const restart = async (): Promise<void> => {
    server.start();
    await server.ready();
  };

  await restart();
  await observeEnds(dataDir);
  await mkdir(join(dataDir, "toiler"));
  const keys = await installActivityApp(createPlatformClient({ grpcUrl: server.grpcUrl }), join(dataDir, "toiler"));
  for (let index = 0; index < workers; index += 1) processes.push(new WorkerProcess(server.grpcUrl, keys, 25));
  for (const worker of processes) worker.start();

  const startedAt = performance.now();
  const accepted = triggerAll(server.grpcUrl);
  const killing = Promise.all([
    ...processes.map((worker) => killWorker(worker, random, done.signal, figures)),
    killServer(server, restart, random, figures),
  ]);
  const ids = await accepted;
  assert.equal(new Set(ids).size, runs, "each idempotency key has a run of its own");
  const records = await untilAllEnded(dataDir, patienceMs - (performance.now() - startedAt));
  done.abort();
  await killing;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  t.diagnostic(JSON.stringify({ seconds, ...figures, ...records }));

  const stored = await storedEnds(dataDir);
  assert.deepEqual([...stored.keys()].sort(), [...ids].sort(), "acknowledged runs are stored, and no others");
  const published = await publishedEnds(dataDir);
  const events = new Map(published.map((end) => [end.eventId, end]));
  t.diagnostic(`${published.length} publications of ${events.size} events`);
  assert.equal(events.size, runs, "one activity.executed a run");
  const told = new Map([...events.values()].map(({ runId, status }) => [runId, status]));
  assert.equal(told.size, runs, "of each run, once");
  for (const [runId, status] of stored) assert.equal(told.get(runId), status, "and as the run ended");
  assert.ok(records.attempts > runs, "kills cost attempts");
  passed = true;
});

/** Asks for each run until it is accepted; the idempotency key makes asking again safe. */
async function triggerAll(grpcUrl: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let next = 0;
  const produce = async (): Promise<void> => {
    let client = createPlatformClient({ grpcUrl, timeoutMs: 5_000 });
    for (let number = next++; number < runs; number = next++) {
      for (;;) {
        try {
          const request = { appName: activityApp, activity, idempotencyKey: `run-${number}` };
          const { run } = await client.activities.triggerActivity(request);
          if (run) ids.push(run.id);
          break;
        } catch {
          // A killed server leaves connections behind that only look alive.
          client = createPlatformClient({ grpcUrl, timeoutMs: 5_000 });
          await sleep(200);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: producers }, produce));
  return ids;
}

async function killWorker(
  worker: WorkerProcess,
  random: Chance,
  signal: AbortSignal,
  figures: { workerKills: number },
): Promise<void> {
  // Enough kills to meet runs at every stage; then peace, so that the last runs can end.
  for (let kills = 0; kills < workerKills && !signal.aborted; kills += 1) {
    await sleep(1_000 + random.below(5_000), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    await worker.kill();
    figures.workerKills += 1;
    worker.start();
  }
}

async function killServer(
  server: ServerProcess,
  restart: () => Promise<void>,
  random: Chance,
  figures: { serverKills: number },
): Promise<void> {
  for (let kills = 0; kills < serverKills; kills += 1) {
    await sleep(3_000 + random.below(6_000));
    await server.kill();
    figures.serverKills += 1;
    await restart();
  }
}

const terminal = ["COMPLETED", "FAILED", "CANCELED", "TIMED_OUT", "CRASHED", "EXPIRED"];

async function untilAllEnded(dataDir: string, timeoutMs: number): Promise<ActivityRecords> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const records = await readActivityRecords(dataDir).catch(() => undefined);
    const ended = terminal.reduce((sum, status) => sum + (records?.statuses[status] ?? 0), 0);
    if (records && ended === runs && records.unpublished === 0) return records;
    if (performance.now() > deadline) throw new Error(`${dataDir}: not all runs ended in time: ${JSON.stringify(records)}`);
    await sleep(500);
  }
}
