import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient } from "@appserver/sdk";
import { freezePostgres, killPostgres, scaled } from "@appserver/testing/kit";
import { activities, activityApp, installActivityApp, maxRetries, WorkerProcess } from "./activity-app.ts";
import { ActivityOracle, type Witnessed } from "./activity-oracle.ts";
import { observeEnds, publishedEnds, readActivityRecords, type StoredRun, storedRuns } from "./activity-records.ts";
import { SmallDisk, skipWithoutDisk } from "./full-disk.ts";
import { databaseFolder, postmasterPid } from "./platform-records.ts";

import { type Chance, chance, randomSeed } from "./random.ts";
import { quietPort, ServerProcess } from "./server-process.ts";

const producers = 16;
const workers = 4;
/** Faults in turn. Which work is in progress at a fault is random. */
const faults = ["server", "worker", "postgres", "machine", "full disk", "frozen postgres", "worker"] as const;
type Fault = (typeof faults)[number];
const megabytes = 400;
const rounds = scaled(30, faults.length);
/** Time after the last fault. Runs that wait longer for a lease to end count as waiting, not as lost. */
const patienceMs = scaled(75_000);
const skip = process.platform === "linux" ? false : "needs /proc";
const seed = Number(process.env["APPSERVER_FAULT_SEED"] ?? randomSeed());

test(`activity runs during ${rounds} kills and freezes of workers, server and PostgreSQL, and full disks`, {
  skip,
}, async (t) => {
  t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
  const platform = await ToilingPlatform.create();
  let passed = false;
  t.after(async () => {
    await platform.stop();
    if (passed) await platform.remove();
  });

  const startedAt = performance.now();
  const over = new AbortController();
  const triggering = platform.triggerUntil(over.signal);
  const random = chance(seed);
  for (let round = 0; round < rounds; round += 1) {
    await sleep(500 + random.below(2_000));
    await platform.fault(faults[round % faults.length] ?? "server", random);
  }
  over.abort();
  await triggering;
  const records = await platform.settled();

  const stored = await storedRuns(platform.dataDir);
  const published = await publishedEnds(platform.dataDir);
  const witnessed = platform.oracle.read();
  const waiting = stored.filter(({ status, mayWait }) => !isEnd(status) && mayWait).length;
  const executions = [...witnessed.executed.values()].reduce((sum, count) => sum + count, 0);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const acknowledged = witnessed.acknowledged.size;
  t.diagnostic(JSON.stringify({ seconds, acknowledged, executions, waiting, ...records }));

  assert.ok(acknowledged > rounds * 10, "there was work in progress during the faults");
  assert.deepEqual(lostRuns(witnessed, stored), [], "every acknowledged run was executed, or still will be");
  assert.ok(executions > witnessed.executed.size, "faults cost attempts");
  checkEvents(stored, published);
  passed = true;
});

const ends = ["COMPLETED", "FAILED", "CANCELED", "TIMED_OUT", "CRASHED", "EXPIRED"];
const isEnd = (status: string): boolean => ends.includes(status);

/** Returns acknowledged runs that no handler received and that will not be tried again although they have retries left. */
function lostRuns({ acknowledged, executed }: Witnessed, stored: readonly StoredRun[]): readonly string[] {
  const byId = new Map(stored.map((run) => [run.id, run]));
  return [...acknowledged].flatMap((id) => {
    const run = byId.get(id);
    if (!run) return [`${id} is not stored`];
    if (executed.has(id)) return isEnd(run.status) || run.mayWait ? [] : [`${id} is ${run.status}, and no worker has it`];
    const isGivenUp = run.status === "CRASHED" && run.attempt > maxRetries;
    return run.mayWait || isGivenUp ? [] : [`${run.activity}: ${run.status} in attempt ${run.attempt}, never executed`];
  });
}

/** Asserts one `activity.executed` for each ended run, with the status in which it ended. */
function checkEvents(stored: readonly StoredRun[], published: Awaited<ReturnType<typeof publishedEnds>>): void {
  const events = new Map(published.map((end) => [end.eventId, end]));
  const ended = stored.filter(({ status }) => isEnd(status));
  const reported = new Map([...events.values()].map(({ runId, status }) => [runId, status]));
  assert.equal(events.size, reported.size, "one event per run");
  const wrong = ended.filter(({ id, status }) => reported.get(id) !== status);
  assert.deepEqual(wrong, [], "with the status of the run");
}

/** A platform with the activity app, its workers and producers that trigger runs. Tests kill parts of it or all of it. */
class ToilingPlatform {
  readonly dataDir: string;
  readonly server: ServerProcess;
  readonly oracle: ActivityOracle;
  readonly #workers: WorkerProcess[] = [];
  readonly #witnesses: string;
  /** Holds the data, if a small disk is available. */
  readonly #disk: SmallDisk | undefined;

  private constructor(dataDir: string, server: ServerProcess, oracle: ActivityOracle, witnesses: string, disk?: SmallDisk) {
    this.dataDir = dataDir;
    this.server = server;
    this.oracle = oracle;
    this.#witnesses = witnesses;
    this.#disk = disk;
  }

  static async create(): Promise<ToilingPlatform> {
    const disk = skipWithoutDisk ? undefined : await SmallDisk.mount(megabytes);
    const dataDir = await realpath(await mkdtemp(join(disk?.folder ?? tmpdir(), "appserver-faults-")));
    const witnesses = await mkdtemp(join(tmpdir(), "appserver-witnesses-"));
    // As root, the database runs under another account, which must reach the folder.
    await chmod(dataDir, 0o755);
    const server = new ServerProcess({ dataDir, httpPort: await quietPort(), grpcPort: await quietPort() });
    const platform = new ToilingPlatform(dataDir, server, await ActivityOracle.start(witnesses), witnesses, disk);
    try {
      await platform.#start();
    } catch (error) {
      await platform.stop();
      throw error;
    }
    return platform;
  }

  async #start(): Promise<void> {
    await this.#startServer();
    await observeEnds(this.dataDir);
    const folder = join(this.dataDir, "toiler");
    await mkdir(folder);
    const keys = await installActivityApp(createPlatformClient({ grpcUrl: this.server.grpcUrl }), folder);
    for (let index = 0; index < workers; index += 1) {
      const worker = new WorkerProcess(this.server.grpcUrl, keys, 25, this.oracle.url);
      this.#workers.push(worker);
      worker.start();
    }
  }

  /** Triggers each run until it is acknowledged. The idempotency key makes repeats safe. */
  async triggerUntil(over: AbortSignal): Promise<void> {
    const { grpcUrl } = this.server;
    const names = Object.keys(activities);
    let next = 0;
    const produce = async (): Promise<void> => {
      let client = createPlatformClient({ grpcUrl, timeoutMs: 5_000 });
      while (!over.aborted) {
        const number = next++;
        const request = { appName: activityApp, activity: names[number % names.length] ?? "", idempotencyKey: `run-${number}` };
        const triggered = await client.activities.triggerActivity(request).catch(() => undefined);
        if (triggered?.run) {
          await this.oracle.acknowledge(triggered.run.id);
          await sleep(20);
        } else {
          // A killed server leaves dead connections that look open.
          client = createPlatformClient({ grpcUrl, timeoutMs: 5_000 });
          await sleep(200);
        }
      }
    };
    await Promise.all(Array.from({ length: producers }, produce));
  }

  /** Resolves once the killed part is up again. */
  async fault(fault: Fault, random: Chance): Promise<void> {
    switch (fault) {
      case "worker": {
        const worker = this.#workers[Math.floor(random.below(this.#workers.length))];
        await worker?.kill();
        worker?.start();
        return;
      }
      case "server":
        await this.server.kill();
        return this.#startServer();
      case "machine":
        await Promise.all([this.server.kill(), ...this.#workers.map((worker) => worker.kill())]);
        await sleep(random.below(3_000));
        for (const worker of this.#workers) worker.start();
        return this.#startServer();
      case "full disk":
        return this.#disk?.keepFull(1_000 + random.below(4_000));
      case "postgres":
        return killPostgres(await postmasterPid(this.dataDir));
      case "frozen postgres":
        return freezePostgres(await postmasterPid(this.dataDir), 1_000 + random.below(4_000));
    }
  }

  /**
   * Waits until all runs have ended and all events are published, or until the time limit, when the remaining runs must be
   * waiting for something.
   */
  async settled() {
    for (const deadline = performance.now() + patienceMs; ; await sleep(500)) {
      const records = await readActivityRecords(this.dataDir).catch(() => undefined);
      const open = Object.entries(records?.statuses ?? {}).filter(([status]) => !isEnd(status));
      const isLate = performance.now() > deadline;
      if (records && records.unpublished === 0 && (open.length === 0 || isLate)) return records;
      assert.ok(performance.now() < deadline + 20_000, `${this.dataDir}: ${JSON.stringify(records)}`);
    }
  }

  async stop(): Promise<void> {
    for (const worker of this.#workers) await worker.kill();
    await this.server.stop();
    await this.oracle.stop();
  }

  async remove(): Promise<void> {
    for (const folder of [await databaseFolder(this.dataDir), this.dataDir, this.#witnesses])
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    await this.#disk?.unmount();
  }

  async #startServer(): Promise<void> {
    this.server.start();
    await this.server.ready();
  }
}
