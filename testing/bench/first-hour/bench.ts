import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { quietPort } from "../../kit/quiet-port.ts";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../../..");
const pollMs = 20;
const waitMs = 180_000;

/** Measures what a new user waits for, with the commands of the README and of the first tutorial. */
export const bench: Bench = {
  name: "first-hour",
  work: "A clone of the repository is installed and started; an app is created, run, changed and deployed with appctl.",
  measure,
};

/** Seconds, and requests that failed while a change was taken into use. */
interface Round {
  readonly running: number;
  readonly created: number;
  readonly backend: number;
  readonly page: number;
  readonly deployed: number;
  readonly failed: number;
}

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted();
    const seen = await firstHour(signal);
    const text = Object.entries(seen).map(([name, value]) => `${name} ${value.toFixed(1)}`);
    log(`round ${round}: ${text.join(", ")}`);
    // The first round warms the caches of npm and of the system up and does not count.
    if (round > 0) measured.push(seen);
  }
  const of = (name: keyof Round) => measured.map((round) => round[name]);
  return {
    figures: [
      { name: "clone to apps that serve", unit: "s", samples: of("running"), target: { atMost: 90 } },
      { name: "create to own app that serves", unit: "s", samples: of("created"), target: { atMost: 60 } },
      { name: "edit of the backend to its response", unit: "s", samples: of("backend"), target: { atMost: 2 } },
      { name: "edit of the page to its file", unit: "s", samples: of("page"), target: { atMost: 2 } },
      { name: "failed requests during the edits", unit: "", samples: of("failed"), target: { atMost: 0 } },
      { name: "deploy of a change", unit: "s", samples: of("deployed"), target: { atMost: 15 } },
    ],
    notes: [
      "clone: `git clone`, `npm ci` with npm's cache, `npm start`, until both sample apps serve; with the Node that it installs.",
      "create: `appctl create` with its `npm install`, and `appctl deploy`, until its route and its page serve.",
      "edit: a file is saved while `appctl dev` runs; requests are sent all the time.",
    ],
  };
}

async function firstHour(signal: AbortSignal): Promise<Round> {
  const folder = await mkdtemp(join(tmpdir(), "appserver-first-hour-"));
  const [http, grpc] = [await quietPort(), await quietPort()];
  const url = `http://127.0.0.1:${http}`;
  const environment = {
    ...process.env,
    APPSERVER_HTTP_PORT: String(http),
    APPSERVER_GRPC_PORT: String(grpc),
    APPSERVER_HTTP_URL: url,
    APPSERVER_GRPC_URL: `http://127.0.0.1:${grpc}`,
  };
  const clone = join(folder, "appserver");
  const app = join(folder, "hello");
  const appctl = [join(clone, "bin/appctl.mjs")];
  const ctl = (...args: string[]) => run("node", [...appctl, ...args], { cwd: folder, env: environment });
  const children: ChildProcess[] = [];
  const start = (command: string, args: readonly string[], cwd: string): void => {
    children.push(spawn(command, args, { cwd, env: environment, stdio: "ignore", detached: true }));
  };
  const seconds = async (work: () => Promise<unknown>): Promise<number> => {
    signal.throwIfAborted();
    const startedAt = performance.now();
    await work();
    return (performance.now() - startedAt) / 1_000;
  };
  const answer = async (path: string, cookie = ""): Promise<string> =>
    fetch(url + path, { headers: { cookie } }).then(
      async (response) => `${response.status} ${await response.text()}`,
      () => "none",
    );
  const untilAnswer = async (isIt: (answer: string) => boolean, path: string, cookie?: string): Promise<number> => {
    let failed = 0;
    for (const endsAt = performance.now() + waitMs; ; await sleep(pollMs, undefined, { signal })) {
      const text = await answer(path, cookie);
      if (isIt(text)) return failed;
      if (!text.startsWith("200 ")) failed += 1;
      if (performance.now() > endsAt) throw new Error(`${path} still responds ${text.slice(0, 200)}`);
    }
  };
  const edit = async (file: string, from: string, to: string): Promise<void> =>
    writeFile(join(app, file), (await readFile(join(app, file), "utf8")).replace(from, to));

  try {
    const running = await seconds(async () => {
      await run("git", ["clone", "--quiet", `file://${repository}`, clone]);
      await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: clone });
      start("npm", ["start"], clone);
      for (const name of ["notes", "clock"])
        await untilAnswer((text) => text.startsWith("200 "), `/api/apps/com.example.${name}/ping`);
    });
    const login = await fetch(`${url}/dev/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"user":"admin"}',
    });
    const [cookie = ""] = (login.headers.get("set-cookie") ?? "").split(";", 1);
    const hello = "/api/apps/com.example.hello/hello/ada";
    const page = "/apps/com.example.hello/assets/page.js";
    const created = await seconds(async () => {
      await ctl("create", app);
      await ctl("deploy", app);
      await untilAnswer((text) => text.startsWith("200 "), hello, cookie);
      await untilAnswer((text) => text.startsWith("200 "), page, cookie);
    });
    start("node", [...appctl, "dev", app], folder);
    // It takes the unchanged folder into use first.
    await sleep(5_000, undefined, { signal });
    let failed = 0;
    const backend = await seconds(async () => {
      await edit("src/routes.js", "hello: params.name", "servus: params.name");
      failed += await untilAnswer((text) => text.includes("servus"), hello, cookie);
    });
    const edited = await seconds(async () => {
      await edit("web/page.js", "Hello", "Servus");
      failed += await untilAnswer((text) => text.includes("Servus"), page, cookie);
    });
    await stop(children.pop());
    await edit("src/routes.js", "servus: params.name", "moin: params.name");
    const deployed = await seconds(async () => {
      await ctl("deploy", app);
      failed += await untilAnswer((text) => text.includes("moin"), hello, cookie);
    });
    return { running, created, backend, page: edited, deployed, failed };
  } finally {
    for (const child of children) await stop(child);
    await rm(folder, { recursive: true, force: true });
  }
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null) return;
  const ended = once(child, "close");
  process.kill(-child.pid, "SIGINT");
  await ended;
}
