import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient, registerApp, signManifest } from "@appserver/sdk";
import { containerApi, eventually, send, testApp, writeAppFolder } from "@appserver/testing/kit";
import { completeAccount, logInToAccounts, UpProcess } from "@appserver/testing/kit/production";
import { pushFolder } from "../../../apps/cli/src/commands/folder/push-folder.ts";
import { type Bench, type BenchOptions, type Measurement, quantile } from "../bench.ts";
import { cpuSeconds, processTree } from "../process-cpu.ts";
import { residentMb, sharedOutMb } from "../process-memory.ts";

const apps = 200;
/** Installed at a time. */
const atOnce = 4;
const awake = 10;
const wakes = 20;
const sleepAfterMs = 20_000;
const watchSeconds = 30;
const settleSeconds = 30;
const timeoutMs = 600_000;
const registrationToken = "token-of-the-benchmark";
const account = { email: "ada@example.test", password: "a horse is no battery" };
const source = `import { createServer } from "node:http";
createServer((request, response) => response.end("ok")).listen(Number(process.env.PORT), process.env.HOST);
`;

/** Measures many apps on one machine, of which few are in use. */
export const bench: Bench = {
  name: "sleep",
  work: `\`appserver up\` with ${apps} installed apps, each a small HTTP server in Node as a process: all asleep, ${wakes} woken one after the other, and ${awake} awake with a request each second; ${watchSeconds} s each.`,
  measure,
};

/** What the platform takes in some seconds. */
interface Taken {
  readonly ownMb: number;
  readonly postgresMb: number;
  readonly appsMb: number;
  readonly processes: number;
  readonly cpu: number;
}

async function measure(options: BenchOptions): Promise<Measurement> {
  await using ends = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "appserver-sleep-"));
  ends.defer(() => rm(dataDir, { recursive: true, force: true }));
  const folder = await writeAppFolder(source);
  ends.defer(() => rm(folder, { recursive: true }));
  const up = await UpProcess.create(dataDir, {
    APPSERVER_CONTAINERS_DRIVER: "process",
    APPSERVER_ALLOW_PROCESSES: "true",
    APPSERVER_REGISTRATION_TOKEN: registrationToken,
    APPSERVER_APPS_SLEEP_AFTER: `${sleepAfterMs}ms`,
    // The routes are public.
    APPSERVER_APPS_PUBLIC_WAKES_PER_ADDRESS: "1000",
    APPSERVER_APPS_PUBLIC_WAKES: "1000",
  });
  ends.defer(async () => void (await up.stop()));
  up.start();
  await up.ready();
  const ofFirst = await taken(up, 5, options.signal);
  await install(up, folder, options);
  await untilAsleep(up);
  await sleep(settleSeconds * 1_000, undefined, { signal: options.signal });
  return await watch(up, ofFirst, options);
}

const nameOf = (index: number): string => `com.example.idle${index}`;

async function install(up: UpProcess, folder: string, { log, signal }: BenchOptions): Promise<void> {
  await completeAccount(await up.administratorLink(), { ...account, name: "Ada" });
  const token = await logInToAccounts(up.httpUrl, account);
  const administrator = createPlatformClient({ grpcUrl: up.grpcUrl, token });
  const developer = createPlatformClient({ grpcUrl: up.grpcUrl });
  const installOne = async (index: number): Promise<void> => {
    const name = nameOf(index);
    const { manifest, keys } = await testApp({ name, web_app: { api: containerApi(name, ["GET"]) } });
    const at = { http: up.httpUrl, grpc: up.grpcUrl, token, json: false };
    const imageDigest = await pushFolder(at, { appName: name, folder, tag: "latest" });
    await registerApp(developer, await signManifest({ ...manifest, imageDigest }, keys), registrationToken);
    await administrator.marketplace.installApp({ name });
    await use(up, index);
  };
  for (let index = 0; index < apps; index += atOnce) {
    signal.throwIfAborted();
    await Promise.all(Array.from({ length: atOnce }, (_, offset) => installOne(index + offset)));
    if ((index + atOnce) % 40 === 0) log(`${index + atOnce} apps installed`);
  }
}

/** Sends a request to an app until it is answered, and returns the milliseconds that it took. */
async function use(up: UpProcess, index: number): Promise<number> {
  const startedAt = performance.now();
  const ask = () => send(up.httpUrl, `/api/apps/${nameOf(index)}/`);
  await eventually(ask, ({ status }) => status === 200, { timeoutMs, what: nameOf(index) });
  return performance.now() - startedAt;
}

/** Returns those of the processes that run apps (docs/interface/containers.md#environment). */
function appsOf(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8")
        .split("\0")
        .some((variable) => variable.startsWith("APP_NAME="));
    } catch {
      // It has ended.
      return false;
    }
  });
}

async function untilAsleep(up: UpProcess): Promise<void> {
  const none = (running: readonly number[]): boolean => running.length === 0;
  await eventually(() => appsOf(processTree(up.pid)), none, { timeoutMs, intervalMs: 1_000, what: "every app is asleep" });
}

async function taken(up: UpProcess, seconds: number, signal: AbortSignal): Promise<Taken> {
  const tree = processTree(up.pid);
  const spent = (): number => tree.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = spent();
  await sleep(seconds * 1_000, undefined, { signal });
  const cpu = (100 * (spent() - before)) / seconds;
  const ofApps = new Set(appsOf(tree));
  const memory = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + sharedOutMb(pid), 0);
  return {
    ownMb: residentMb(up.pid),
    postgresMb: memory(tree.filter((pid) => pid !== up.pid && !ofApps.has(pid))),
    appsMb: memory([...ofApps]),
    processes: ofApps.size,
    cpu,
  };
}

/** Measures while ten apps get a request each second. */
async function takenInUse(up: UpProcess, signal: AbortSignal): Promise<Taken> {
  const used = Array.from({ length: awake }, (_, index) => index);
  await Promise.all(used.map((index) => use(up, index)));
  const over = new AbortController();
  const using = (async () => {
    while (!over.signal.aborted) {
      await Promise.all(used.map((index) => use(up, index)));
      await sleep(1_000, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  try {
    return await taken(up, watchSeconds, signal);
  } finally {
    over.abort();
    await using;
  }
}

async function watch(up: UpProcess, ofFirst: Taken, { rounds, log, signal }: BenchOptions): Promise<Measurement> {
  const [asleep, inUse, times]: [Taken[], Taken[], number[][]] = [[], [], []];
  for (let round = 1; round <= rounds; round += 1) {
    asleep.push(await taken(up, watchSeconds, signal));
    assert.equal(asleep.at(-1)?.processes, 0);
    const took: number[] = [];
    for (let index = 0; index < wakes; index += 1) took.push(await use(up, awake + round * wakes + index));
    times.push(took);
    await untilAsleep(up);
    inUse.push(await takenInUse(up, signal));
    assert.equal(inUse.at(-1)?.processes, awake);
    await untilAsleep(up);
    log(`round ${round}: ${JSON.stringify([asleep.at(-1), inUse.at(-1), took.map(Math.round)])}`);
  }
  const each = (samples: readonly Taken[], name: keyof Taken): number[] => samples.map((sample) => sample[name]);
  const wakeTimes = (share: number): number[] => times.map((took) => quantile(took, share));
  return {
    figures: [
      {
        name: `processes of ${apps} apps asleep`,
        unit: "processes",
        samples: each(asleep, "processes"),
        target: { atMost: 0 },
      },
      { name: `memory of the process, ${apps} apps asleep`, unit: "MB", samples: each(asleep, "ownMb") },
      { name: `memory of both PostgreSQL servers, ${apps} apps asleep`, unit: "MB", samples: each(asleep, "postgresMb") },
      { name: `CPU of all, ${apps} apps asleep`, unit: "% of a core", samples: each(asleep, "cpu") },
      { name: "first request to an app asleep, p50", unit: "ms", samples: wakeTimes(0.5), target: { atMost: 1_500 } },
      { name: "first request to an app asleep, p95", unit: "ms", samples: wakeTimes(0.95), target: { atMost: 1_500 } },
      { name: `memory of the process, ${awake} apps awake`, unit: "MB", samples: each(inUse, "ownMb") },
      { name: `memory of both PostgreSQL servers, ${awake} apps awake`, unit: "MB", samples: each(inUse, "postgresMb") },
      { name: `memory of ${awake} apps awake`, unit: "MB", samples: each(inUse, "appsMb") },
      { name: `CPU of all, ${awake} apps awake`, unit: "% of a core", samples: each(inUse, "cpu") },
    ],
    notes: [
      "memory of the process: resident. Of others: memory that processes share counts once (PSS).",
      `Before the first app was registered, the process took ${ofFirst.ownMb.toFixed(0)} MB and both servers ${ofFirst.postgresMb.toFixed(0)} MB.`,
    ],
  };
}
