import assert from "node:assert/strict";
import { scopeObject } from "@appserver/contracts/authorization";
import { Pool } from "undici";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { batches, type Comparison, compareRequests, connections } from "../compare-requests.ts";
import { listedApps, readApp } from "../listed-apps.ts";
import { serveApps } from "../served-apps.ts";
import { startMercurius } from "./mercurius.ts";

const fields = "id name displayName version state health enabled registeredAt";
const queries = [
  { name: "apps(first: 50)", query: `{ apps(first: 50) { edges { node { ${fields} } } } }`, atMost: 1 },
  { name: "app(name)", query: `{ app(name: "${readApp}") { ${fields} } }`, atMost: 1.3 },
];

/** Compares queries of apps with the same queries of mercurius. */
export const bench: Bench = {
  name: "graphql",
  work: `${batches}: apps(first: 50) and app(name), 8 fields each, of an administrator with a session.`,
  measure,
};

async function measure(options: BenchOptions): Promise<Measurement> {
  await using cleanup = new AsyncDisposableStack();
  const served = await serveApps(listedApps);
  cleanup.defer(served.stop);
  const peer = await startMercurius(served.services, { relation: "holder", object: scopeObject("app:view") });
  cleanup.defer(peer.stop);
  const poolOf = (url: string): Pool => {
    const pool = new Pool(new URL(url).origin, { connections });
    cleanup.defer(() => pool.close());
    return pool;
  };
  const [ours, theirs] = [poolOf(served.server.httpUrl), poolOf(peer.url)];
  const sendTo = (pool: Pool, query: string) => async (): Promise<string> => {
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: "/graphql",
      headers: { "content-type": "application/json", authorization: `Bearer ${served.token}` },
      body: JSON.stringify({ query }),
    });
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"errors"')) throw new Error(`${statusCode} ${text.slice(0, 300)}`);
    return text;
  };
  const compared = queries.map(({ query, ...rest }) => ({ ...rest, ours: sendTo(ours, query), theirs: sendTo(theirs, query) }));
  for (const request of compared) assert.deepEqual(nodesOf(await request.ours()), nodesOf(await request.theirs()));
  const { figures, costs } = await compareRequests(served, { name: "mercurius", pid: peer.pid }, compared, options);
  return { figures: [...figures, ...costFigures(costs)], notes };
}

/** Returns the apps of a response, without what only one of both servers has. */
function nodesOf(text: string): unknown {
  const { data } = JSON.parse(text) as { data: { app?: unknown; apps?: { edges: readonly unknown[] } } };
  return data.app ?? data.apps?.edges;
}

function costFigures(costs: Comparison["costs"]): Measurement["figures"] {
  const all = [...costs.values()].flat();
  return [
    {
      name: "SQL transactions per request, background work included",
      unit: "",
      samples: all.map(({ transactions }) => transactions),
      target: { atMost: 2 },
    },
    { name: "checks by OpenFGA per request", unit: "", samples: all.map(({ checks }) => checks), target: { atMost: 0.01 } },
  ];
}

const notes = [
  "Each server runs alone on one core in its turn, the requests come from the other core. CPU is user and system time of the serving process, without PostgreSQL.",
  "mercurius 16 with JIT on fastify 5: one SELECT of the eight columns on a pool of 10 connections, session and permission from a map in its process.",
  "The platform: identity and permission from its caches, limits of the operation, metrics, request log to a pipe.",
  "Rounds are interleaved; the first is not counted. Before them both servers return equal data.",
];
