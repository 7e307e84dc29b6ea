import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HttpAnswer, send, until } from "@appserver/testing/kit";
import { completeAccount, logInToAccounts, UpProcess } from "@appserver/testing/kit/production";
import { type AppProcess, appProcesses } from "../../faults/app-processes.ts";
import { type Bench, type BenchOptions, type Figure, type Measurement, median } from "../bench.ts";
import { processTree } from "../process-cpu.ts";
import { residentMb, sharedOutMb } from "../process-memory.ts";
import { installApps } from "./sleeping-apps.ts";

const apps = 200;
const awake = 10;
/** Sleeping apps that a round wakes one after the other. */
const woken = 10;
/** Requests to one sleeping app at the same time. */
const crowd = 1_000;
const sleepAfterSeconds = 8;
const useEveryMs = 1_000;
const asleepTimeoutMs = 120_000;
const registrationToken = "token-of-the-benchmark";
const account = { email: "ada@example.test", password: "a horse is no battery" };
const names = Array.from({ length: apps }, (_, index) => `com.example.sleeper${index}`);
const [used, idle] = [names.slice(0, awake), names.slice(awake)];

/** Measures what apps that are asleep cost, and what their first requests wait for. */
export const bench: Bench = {
  name: "sleep",
  work: `\`appserver up\` with ${apps} installed apps in Node that run as processes, of which ${awake} are in use. A round wakes ${woken} of the others one after the other, and one by ${crowd} requests at once.`,
  measure,
};

async function measure(options: BenchOptions): Promise<Measurement> {
  const dataDir = await mkdtemp(join(tmpdir(), "appserver-sleep-"));
  const up = await UpProcess.create(dataDir, {
    APPSERVER_CONTAINERS_DRIVER: "process",
    APPSERVER_ALLOW_PROCESSES: "true",
    APPSERVER_REGISTRATION_TOKEN: registrationToken,
    APPSERVER_APPS_SLEEP_AFTER: `${sleepAfterSeconds}s`,
  });
  try {
    up.start();
    await up.ready();
    await completeAccount(await up.administratorLink(), { ...account, name: "Ada" });
    const token = await logInToAccounts(up.httpUrl, account);
    await installApps({ up, token, registrationToken }, names, options.log);
    return { figures: await watch(new Apps(up, token), options), notes };
  } finally {
    await up.stop();
    await rm(dataDir, { recursive: true });
  }
}

/** The installed apps, of which some are in use. */
class Apps {
  readonly up: UpProcess;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(up: UpProcess, token: string) {
    this.up = up;
    this.#headers = { authorization: `Bearer ${token}` };
  }

  ask(name: string): Promise<HttpAnswer> {
    return send(this.up.httpUrl, `/api/apps/${name}/`, { headers: this.#headers });
  }

  processes(): readonly AppProcess[] {
    return appProcesses(this.up.dataDir);
  }

  /** Keeps some apps in use until it is called. */
  use(): () => void {
    const timer = setInterval(() => {
      for (const name of used) this.ask(name).catch(() => {});
    }, useEveryMs);
    return () => clearInterval(timer);
  }

  async untilIdleOnesSleep(): Promise<void> {
    const areAsleep = async () => this.processes().every(({ appName }) => used.includes(appName));
    await until("the apps that are not in use are asleep", areAsleep, asleepTimeoutMs);
  }

  /** Wakes an app. Returns the milliseconds until its answer. */
  async wake(name: string): Promise<number> {
    const askedAt = performance.now();
    const { status, text } = await this.ask(name);
    assert.equal(status, 200, text);
    return performance.now() - askedAt;
  }

  /** Wakes an app by many requests at once. Returns the number of 200; every other one must be a 503 that says when to come again. */
  async wakeByCrowd(name: string): Promise<{ readonly served: number; readonly refused: number; readonly starts: number }> {
    const answers = await Promise.all(Array.from({ length: crowd }, () => this.ask(name)));
    const served = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status, headers }) => status === 503 && headers["retry-after"] !== undefined);
    const started = this.processes().flatMap(({ pid, appName }) => (appName === name ? [String(pid)] : []));
    const starts = new Set([...started, ...served.map(({ text }) => text)]).size;
    return { served: served.length, refused: refused.length, starts };
  }
}

async function watch(apps: Apps, { rounds, log, signal }: BenchOptions): Promise<readonly Figure[]> {
  const samples = new Map<string, number[]>();
  const add = (name: string, value: number): void => void samples.set(name, [...(samples.get(name) ?? []), value]);
  const stopUse = apps.use();
  try {
    for (let round = 0; round < rounds; round += 1) {
      signal.throwIfAborted();
      await apps.untilIdleOnesSleep();
      const running = apps.processes().map(({ pid }) => pid);
      const { pid } = apps.up;
      const ofDatabases = processTree(pid).filter((each) => each !== pid && !running.includes(each));
      add("processes", running.length);
      add("platform", residentMb(pid));
      add("databases", sum(ofDatabases.map(sharedOutMb)));
      add("apps", sum(running.map(sharedOutMb)));
      const times: number[] = [];
      const at = (round * (woken + 1)) % (idle.length - woken);
      for (const name of idle.slice(at, at + woken)) times.push(await apps.wake(name));
      add("median", median(times));
      add("max", Math.max(...times));
      const { served, refused, starts } = await apps.wakeByCrowd(idle[at + woken] ?? assert.fail());
      add("starts", starts);
      add("served", served);
      add("answered", served + refused);
      log(`round ${round + 1}: ${[...samples].map(([name, values]) => `${name} ${values.at(-1)?.toFixed(0)}`).join(", ")}`);
    }
  } finally {
    stopUse();
  }
  const of = (name: string): readonly number[] => samples.get(name) ?? [];
  return [
    { name: "processes of apps", unit: "", samples: of("processes"), target: { atMost: awake } },
    { name: "memory of the platform's process", unit: "MB", samples: of("platform") },
    { name: "memory of both PostgreSQL servers", unit: "MB", samples: of("databases") },
    { name: `memory of the ${awake} apps that are awake`, unit: "MB", samples: of("apps") },
    { name: "first request to a sleeping app, median", unit: "ms", samples: of("median"), target: { atMost: 1_500 } },
    { name: "first request to a sleeping app, maximum", unit: "ms", samples: of("max"), target: { atMost: 1_500 } },
    { name: `${crowd} requests at once: starts`, unit: "", samples: of("starts"), target: { atMost: 1 } },
    { name: `${crowd} requests at once: 200`, unit: "", samples: of("served") },
    {
      name: `${crowd} requests at once: 200, or 503 with Retry-After`,
      unit: "",
      samples: of("answered"),
      target: { atLeast: crowd },
    },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const notes = [
  `apps.sleep_after is ${sleepAfterSeconds} s. The apps that are in use get a request every ${useEveryMs / 1_000} s, with a session.`,
  "memory of the platform's process: resident. Of PostgreSQL and of apps: memory that processes share counts once (PSS).",
  "The time of a first request has the start of the app in it, which is one module and has no libraries.",
];
