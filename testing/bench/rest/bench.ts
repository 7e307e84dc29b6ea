import assert from "node:assert/strict";
import { Pool } from "undici";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { batches, type Comparison, compareRequests, connections } from "../compare-requests.ts";
import { listedApps, readApp } from "../listed-apps.ts";
import { serveApps, upstreamUrl } from "../served-apps.ts";
import { startFastify } from "./fastify.ts";

const list = "apps?first=50";
const one = "apps/{id}";

/** Compares reads of apps over REST with the same documents from fastify. */
export const bench: Bench = {
  name: "rest",
  work: `${batches}: GET /api/v2/${list}, 16 fields each, and GET /api/v2/${one} with all fields, of an administrator with a session.`,
  measure,
};

async function measure(options: BenchOptions): Promise<Measurement> {
  await using cleanup = new AsyncDisposableStack();
  const served = await serveApps(listedApps);
  cleanup.defer(served.stop);
  const peer = await startFastify(served, upstreamUrl);
  cleanup.defer(async () => void (await peer.stop()));
  const poolOf = (url: string): Pool => {
    const pool = new Pool(url, { connections });
    cleanup.defer(() => pool.close());
    return pool;
  };
  const [ours, theirs] = [poolOf(served.server.httpUrl), poolOf(`http://127.0.0.1:${peer.port}`)];
  const headers = { authorization: `Bearer ${served.token}` };
  const sendTo = (pool: Pool, path: string) => async (): Promise<string> => {
    const { statusCode, body } = await pool.request({ method: "GET", path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
    return text;
  };
  const { id } = JSON.parse(await sendTo(ours, `/api/v2/apps/${readApp}`)()) as { readonly id: string };
  const compared = [
    { name: list, path: `/api/v2/${list}`, atMost: 1.5 },
    { name: one, path: `/api/v2/apps/${id}` },
  ].map(({ path, ...request }) => ({ ...request, ours: sendTo(ours, path), theirs: sendTo(theirs, path) }));
  for (const request of compared) assert.equal(await request.ours(), await request.theirs());
  const { figures, costs } = await compareRequests(served, { name: "fastify", pid: peer.pid }, compared, options);
  return { figures: [...figures, ...costFigures(costs)], notes };
}

function costFigures(costs: Comparison["costs"]): readonly Figure[] {
  return [...costs].flatMap(([name, samples]) => [
    {
      name: `${name}: statements per request`,
      unit: "",
      samples: samples.map(({ transactions }) => transactions),
      ...(name === list ? { target: { atMost: 2.5 } } : {}),
    },
    {
      name: `${name}: checks by OpenFGA per request`,
      unit: "",
      samples: samples.map(({ checks }) => checks),
      target: { atMost: 0.01 },
    },
  ]);
}

const notes = [
  "Each server runs alone on one core in its turn, the requests come from the other core. CPU is user and system time of the serving process, without PostgreSQL.",
  "fastify 5 with response schemas (fast-json-stringify): one SELECT on a pool of 10 connections, session and permission from a map in its process. It sends the same bytes, without entity tag and Link.",
  "For one app the peer reads its row, its operation, history and releases in that SELECT; what the platform reads from the manifest it has in memory, and fields that are empty for every app of the bench are constants.",
  "The platform: identity and permission from its caches, entity tag, metrics, request log to a pipe.",
  "Statements: transactions that PostgreSQL counted. The reads are outside of transactions, so each is one; background work is included.",
  "Rounds are interleaved; the first is not counted. Before them both servers return equal documents.",
];
