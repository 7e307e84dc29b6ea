import assert from "node:assert/strict";
import { scopeObject } from "@appserver/contracts/authorization";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { Pool } from "undici";
import { type Bench, type BenchOptions, type Measurement, quantile } from "../bench.ts";
import { closedLoop, type Served } from "../closed-loop.ts";
import { pinServing, type ServedApps, serveApps } from "../served-apps.ts";
import { startMercurius } from "./mercurius.ts";

const apps = 60;
const requests = 4_000;
const concurrency = 50;

const fields = "id name displayName version state health enabled registeredAt";
const queries = {
  "apps(first: 50)": `{ apps(first: 50) { edges { node { ${fields} } } } }`,
  "app(name)": `{ app(name: "${nameOf(7)}") { ${fields} } }`,
} as const;
type QueryName = keyof typeof queries;
const queryNames = Object.keys(queries) as QueryName[];

/** Compares queries of apps with the same queries of mercurius. */
export const bench: Bench = {
  name: "graphql",
  work: `${requests} queries a round over ${concurrency} connections: apps(first: 50) and app(name), 8 fields each, of an administrator with a session.`,
  measure,
};

interface Round {
  readonly ours: Served;
  readonly peer: Served;
}

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  const served = await serveApps(Array.from({ length: apps }, (_, index) => nameOf(index)));
  const check = { relation: "holder", object: scopeObject("app:view") };
  const peer = await startMercurius(served.services, check).catch(async (error: unknown) => {
    await served.stop();
    throw error;
  });
  const ours = new Pool(served.server.httpUrl, { connections: concurrency });
  const theirs = new Pool(new URL(peer.url).origin, { connections: concurrency });
  const sendTo = (pool: Pool, name: QueryName) => async (): Promise<string> => {
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: "/graphql",
      headers: { "content-type": "application/json", authorization: `Bearer ${served.token}` },
      body: JSON.stringify({ query: queries[name] }),
    });
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"errors"')) throw new Error(`${statusCode} ${text.slice(0, 300)}`);
    return text;
  };
  try {
    pinServing(peer.pid);
    for (const name of queryNames) assert.deepEqual(nodesOf(await sendTo(ours, name)()), nodesOf(await sendTo(theirs, name)()));
    const measured = new Map<QueryName, Round[]>(queryNames.map((name) => [name, []]));
    const costs: Costs[] = [];
    // The first round warms both up and does not count.
    for (let round = 0; round <= rounds; round += 1)
      for (const name of queryNames) {
        const before = await costsOf(served);
        const shared = { requests, concurrency, signal };
        const our = await closedLoop({ ...shared, pid: served.pid, send: async () => void (await sendTo(ours, name)()) });
        const after = await costsOf(served);
        const their = await closedLoop({ ...shared, pid: peer.pid, send: async () => void (await sendTo(theirs, name)()) });
        log(
          `round ${round}, ${name}: platform ${our.cpuPerRequestUs.toFixed(0)} µs, mercurius ${their.cpuPerRequestUs.toFixed(0)} µs`,
        );
        if (round === 0) continue;
        measured.get(name)?.push({ ours: our, peer: their });
        costs.push({ transactions: after.transactions - before.transactions, checks: after.checks - before.checks });
      }
    return {
      figures: [...queryNames.flatMap((name) => figuresOf(name, measured.get(name) ?? [])), ...costFigures(costs)],
      notes,
    };
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
    await peer.stop();
    await served.stop();
  }
}

function nameOf(index: number): string {
  return `com.example.listed${index}`;
}

/** Returns the apps of a response, without what only one of both servers has. */
function nodesOf(text: string): unknown {
  const { data } = JSON.parse(text) as { data: { app?: unknown; apps?: { edges: readonly unknown[] } } };
  return data.app ?? data.apps?.edges;
}

function figuresOf(name: string, rounds: readonly Round[]): Measurement["figures"] {
  const cpu = (of: keyof Round) => rounds.map((round) => round[of].cpuPerRequestUs);
  const ratios = rounds.map(({ ours, peer }) => ours.cpuPerRequestUs / peer.cpuPerRequestUs);
  const time = (of: keyof Round, share: number) => rounds.map((round) => quantile(round[of].timesMs, share));
  return [
    { name: `${name}: CPU, platform`, unit: "µs", samples: cpu("ours") },
    { name: `${name}: CPU, mercurius`, unit: "µs", samples: cpu("peer") },
    { name: `${name}: platform / mercurius`, unit: "", samples: ratios, target: { atMost: 1.5 }, isRatio: true },
    { name: `${name}: requests of the platform`, unit: "1/s", samples: rounds.map(({ ours }) => ours.requestsPerSecond) },
    { name: `${name}: requests of mercurius`, unit: "1/s", samples: rounds.map(({ peer }) => peer.requestsPerSecond) },
    { name: `${name}: p50, platform`, unit: "ms", samples: time("ours", 0.5) },
    { name: `${name}: p99, platform`, unit: "ms", samples: time("ours", 0.99) },
    { name: `${name}: p99, mercurius`, unit: "ms", samples: time("peer", 0.99) },
  ];
}

/** What the platform asks other servers during one batch. */
interface Costs {
  /** Committed transactions; each statement outside of a transaction is one. */
  readonly transactions: number;
  /** Checks that OpenFGA answered. */
  readonly checks: number;
}

function costFigures(costs: readonly Costs[]): Measurement["figures"] {
  const perRequest = (cost: keyof Costs) => costs.map((of) => of[cost] / requests);
  return [
    {
      name: "SQL transactions per request, background work included",
      unit: "",
      samples: perRequest("transactions"),
      target: { atMost: 2 },
    },
    { name: "checks by OpenFGA per request", unit: "", samples: perRequest("checks"), target: { atMost: 0.01 } },
  ];
}

async function costsOf({ services, server }: ServedApps): Promise<Costs> {
  // PostgreSQL publishes the counts of a connection at most once a second.
  const { rows } = await services.database.query<{ count: number }>(
    "select xact_commit::int as count from pg_stat_database where datname = current_database()",
  );
  const text = await (await fetch(`${server.httpUrl}/metrics`)).text();
  const line = new RegExp(`^${metricCatalogue.permissionChecks.name}\\{[^}]*source="service"[^}]*\\} (\\d+)`, "m").exec(text);
  return { transactions: rows[0]?.count ?? 0, checks: Number(line?.[1] ?? 0) };
}

const notes = [
  "Each server runs alone on one core in its turn, the requests come from the other core. CPU is user and system time of the serving process, without PostgreSQL.",
  "mercurius 16 with JIT on fastify 5: one SELECT of the eight columns on a pool of 10 connections, session and permission from a map in its process.",
  "The platform: identity and permission from its caches, limits of the operation, metrics, request log to a pipe.",
  "Rounds are interleaved; the first is not counted. Before them both servers return equal data.",
];
