import { setTimeout as sleep } from "node:timers/promises";
import { type BackendCosts, backendCosts } from "@appserver/testing/kit/production";
import { type BenchOptions, type Figure, quantile } from "./bench.ts";
import { closedLoop, type Served } from "./closed-loop.ts";
import { pinServing, type ServedApps } from "./served-apps.ts";

const requests = 4_000;
const concurrency = 50;
/** A connection of PostgreSQL publishes its counts with a statement that comes this much later. */
const publishedAfterMs = 1_100;

/** How much is sent, for the description of a bench. */
export const batches = `${requests} requests a round over ${concurrency} connections`;
/** Connections that `ours` and `theirs` need. */
export const connections = concurrency;

/** A request that the platform and the peer answer with equal data. */
export interface ComparedRequest {
  readonly name: string;
  /** The most CPU time that the platform may take, as a multiple of the peer's. */
  readonly atMost?: number;
  readonly ours: () => Promise<unknown>;
  readonly theirs: () => Promise<unknown>;
}

export interface Comparison {
  readonly figures: readonly Figure[];
  /** What one request to the platform asked of other servers, by its name; a sample for each round. */
  readonly costs: ReadonlyMap<string, readonly BackendCosts[]>;
}

interface Round {
  readonly ours: Served;
  readonly theirs: Served;
  readonly costs: BackendCosts;
}

/** Sends each request many times to the platform and to the peer, in turn in every round. */
export async function compareRequests(
  served: ServedApps,
  peer: { readonly name: string; readonly pid: number },
  compared: readonly ComparedRequest[],
  { rounds, log, signal }: BenchOptions,
): Promise<Comparison> {
  pinServing(peer.pid);
  const measured = new Map<string, Round[]>(compared.map(({ name }) => [name, []]));
  const batch = (pid: number, send: ComparedRequest["ours"]): Promise<Served> =>
    closedLoop({ pids: [pid], requests, concurrency, signal, send: async () => void (await send()) });
  // The first round warms both up and does not count.
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, ours, theirs } of compared) {
      const before = await settledCosts(served, ours);
      const our = await batch(served.pid, ours);
      const after = await settledCosts(served, ours);
      const their = await batch(peer.pid, theirs);
      log(
        `round ${round}, ${name}: platform ${our.cpuPerRequestUs.toFixed(0)} µs, ${peer.name} ${their.cpuPerRequestUs.toFixed(0)} µs`,
      );
      if (round > 0) measured.get(name)?.push({ ours: our, theirs: their, costs: costsOfOne(before, after) });
    }
  return {
    figures: compared.flatMap((request) => figuresOf(request, peer.name, measured.get(request.name) ?? [])),
    costs: new Map([...measured].map(([name, all]) => [name, all.map(({ costs }) => costs)])),
  };
}

/** Reads the costs when the platform's connections have published theirs: each has something to do before. */
async function settledCosts({ services, server }: ServedApps, send: ComparedRequest["ours"]): Promise<BackendCosts> {
  await sleep(publishedAfterMs);
  await Promise.all(Array.from({ length: concurrency }, send));
  return backendCosts(services, [server]);
}

function costsOfOne(before: BackendCosts, after: BackendCosts): BackendCosts {
  const all = requests + concurrency;
  return { transactions: (after.transactions - before.transactions) / all, checks: (after.checks - before.checks) / all };
}

function figuresOf({ name, atMost }: ComparedRequest, peer: string, rounds: readonly Round[]): readonly Figure[] {
  const cpu = (of: "ours" | "theirs") => rounds.map((round) => round[of].cpuPerRequestUs);
  const rate = (of: "ours" | "theirs") => rounds.map((round) => round[of].requestsPerSecond);
  const time = (of: "ours" | "theirs", share: number) => rounds.map((round) => quantile(round[of].timesMs, share));
  const ratios = rounds.map(({ ours, theirs }) => ours.cpuPerRequestUs / theirs.cpuPerRequestUs);
  const target = atMost === undefined ? {} : { target: { atMost } };
  return [
    { name: `${name}: CPU, platform`, unit: "µs", samples: cpu("ours") },
    { name: `${name}: CPU, ${peer}`, unit: "µs", samples: cpu("theirs") },
    { name: `${name}: platform / ${peer}`, unit: "", samples: ratios, ...target, isRatio: true },
    { name: `${name}: requests of the platform`, unit: "1/s", samples: rate("ours") },
    { name: `${name}: requests of ${peer}`, unit: "1/s", samples: rate("theirs") },
    { name: `${name}: p50, platform`, unit: "ms", samples: time("ours", 0.5) },
    { name: `${name}: p50, ${peer}`, unit: "ms", samples: time("theirs", 0.5) },
    { name: `${name}: p99, platform`, unit: "ms", samples: time("ours", 0.99) },
    { name: `${name}: p99, ${peer}`, unit: "ms", samples: time("theirs", 0.99) },
  ];
}
