import assert from "node:assert/strict";
import { Pool } from "undici";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { batches, compareRequests, connections } from "../compare-requests.ts";
import { listedApps } from "../listed-apps.ts";
import { serveApps } from "../served-apps.ts";

const revisions = ["2026-07-28", "2025-11-25"] as const;
const sizes = [40, 5] as const;
/** What the tool returns of each app. */
const fields =
  "id appId name displayName description version revision availableVersion availableDigest state enabled health asleepSince registeredAt installedAt updatedAt manifestDigest certificateFingerprint certificateExpiresAt";

/** Compares calls of a tool with the same query over GraphQL, of the same platform. */
export const bench: Bench = {
  name: "mcp",
  work: `${batches}: the tool apps with first: 40 and first: 5 in both revisions of the protocol, of an administrator with a session.`,
  measure,
};

async function measure(options: BenchOptions): Promise<Measurement> {
  await using cleanup = new AsyncDisposableStack();
  const served = await serveApps(listedApps);
  cleanup.defer(served.stop);
  const pool = new Pool(served.server.httpUrl, { connections });
  cleanup.defer(() => pool.close());
  const authorization = `Bearer ${served.token}`;
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: string): Promise<string> => {
    const all = { ...headers, authorization, "content-type": "application/json" };
    const response = await pool.request({ method: "POST", path, headers: all, body });
    const text = await response.body.text();
    if (response.statusCode !== 200 || /"isError":true|"errors"/.test(text))
      throw new Error(`${response.statusCode} ${text.slice(0, 300)}`);
    return text;
  };
  const compared = sizes.flatMap((first) => {
    const query = `{ apps(first: ${first}) { edges { node { ${fields} } } pageInfo { hasNextPage endCursor } totalCount } }`;
    const theirs = () => post("/graphql", {}, JSON.stringify({ query }));
    return revisions.map((revision) => {
      const { headers, body } = messageOf(revision, first);
      return { name: `apps(first: ${first}), ${revision}`, ours: () => post("/mcp", headers, body), theirs, atMost: 1.5 };
    });
  });
  for (const { ours, theirs } of compared) assert.deepEqual(toolNodes(await ours()), graphqlNodes(await theirs()));
  const peer = { name: "GraphQL", pid: served.pid };
  return { figures: (await compareRequests(served, peer, compared, options)).figures, notes };
}

function messageOf(revision: (typeof revisions)[number], first: number) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const isNewest = revision === "2026-07-28";
  const params = { name: "apps", arguments: { first }, ...(isNewest ? { _meta: meta } : {}) };
  return {
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      ...(isNewest ? { "mcp-method": "tools/call", "mcp-name": "apps" } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
}

/** Returns the apps of a result, which is JSON or the event of a stream. */
function toolNodes(text: string): unknown {
  const json = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "");
  const { result } = JSON.parse(json) as { readonly result: { readonly content: readonly { readonly text: string }[] } };
  const lines = result.content[0]?.text.split("\n") ?? [];
  return (JSON.parse(lines[1] ?? "") as { readonly items: unknown }).items;
}

function graphqlNodes(text: string): unknown {
  const { data } = JSON.parse(text) as { readonly data: { readonly apps: { readonly edges: readonly { node: unknown }[] } } };
  return data.apps.edges.map(({ node }) => node);
}

const notes = [
  "The platform runs alone on one core, the requests come from the other core. CPU is user and system time of the serving process, without PostgreSQL.",
  "GraphQL: the query with the fields that the tool returns, of the same platform. Both read the apps once for each request.",
  "Rounds are interleaved; the first is not counted. Before them both return equal apps.",
];
