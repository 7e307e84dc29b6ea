import { fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { send, testApp, until } from "@appserver/testing/kit";
import { type Bench, type BenchOptions, type Measurement, median } from "../bench.ts";
import { residentMb } from "../process-memory.ts";
import { serveApps } from "../served-apps.ts";
import { copyApp, nameOf, pathFor, patternsOf } from "./many-apps.ts";

const apps = 10_000;
const routes = patternsOf(0).length;
const matching = resolve(import.meta.dirname, "../../../services/proxy/test/match-times-process.ts");

/** Measures a server with many apps and routes. */
export const bench: Bench = {
  name: "routes",
  work: `One serve with ${apps} installed apps of ${routes} routes each.`,
  measure,
};

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  await using cleanup = new AsyncDisposableStack();
  const served = await serveApps([], { environment: { APPSERVER_CACHE_DRIVER: "memory" } });
  cleanup.defer(served.stop);
  const { group, server, services } = served;
  const api = {
    base_path: `/api/apps/${nameOf(0)}`,
    upstream_base_url: "http://127.0.0.1:9",
    routes: patternsOf(0).map((pattern) => ({ pattern, methods: ["GET"], is_public: true })),
  };
  await group.register(server, await testApp({ name: nameOf(0), web_app: { api } }));
  await group.client(server).marketplace.installApp({ name: nameOf(0) });
  await group.untilState(server, nameOf(0), "RUNNING");
  await server.stop();
  await copyApp(services.database, nameOf(0), 1, apps);
  log(`${apps} apps stored`);
  const [ready, memory, match]: [number[], number[], number[]] = [[], [], []];
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    server.start();
    await server.ready();
    const seconds = (performance.now() - startedAt) / 1_000;
    // 502: the route is found, and the backend of all does not run.
    const path = `/api/apps/${nameOf(apps - 1)}${pathFor(patternsOf(0)[2] ?? "")}`;
    await until("the last app is routed", async () => (await send(server.httpUrl, path)).status === 502);
    const resident = residentMb(server.pid);
    await server.stop();
    const microseconds = median(await matchTimes());
    log(
      `round ${round}: ready after ${seconds.toFixed(1)} s, ${resident.toFixed(0)} MB, ${microseconds.toFixed(2)} µs a match`,
    );
    if (round === 0) continue;
    ready.push(seconds);
    memory.push(resident);
    match.push(microseconds);
  }
  return {
    figures: [
      { name: "match: p50", unit: "µs", samples: match, target: { atMost: 2 } },
      { name: "memory", unit: "MB", samples: memory, target: { atMost: 600 } },
      { name: "ready after", unit: "s", samples: ready, target: { atMost: 5 } },
    ],
    notes,
  };
}

/** Returns the times of one match, µs. The requests are to the apps and their routes in scattered order. */
async function matchTimes(): Promise<readonly number[]> {
  const requests = Array.from({ length: apps * routes }, (_, index) => {
    const app = (index * 7_919) % apps;
    return [nameOf(app), pathFor(patternsOf(app)[index % routes] ?? "")];
  });
  const child = fork(matching, { execArgv: ["--disable-warning=ExperimentalWarning"] });
  child.send({ apps: Array.from({ length: apps }, (_, index) => [nameOf(index), patternsOf(index)]), requests });
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  const [times] = (await Promise.race([once(child, "message"), ended])) as [readonly number[]];
  ended.catch(() => {});
  return times;
}

const notes = [
  "The apps are copies of one that was installed, written into the database directly; their backends do not run.",
  "ready after: from the start of the process to 200 from /ready, on one core. memory: resident, after the first request to the last app.",
  "match: the proxy's own matchers in a process of their own, apps and their routes in scattered order; the median over batches of 1,000.",
];
