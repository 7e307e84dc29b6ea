import assert from "node:assert/strict";
import { createPlatformClient, type PlatformClient, registerApp } from "@appserver/sdk";
import { embeddedConnection, RunningPlatform, testApp } from "@appserver/testing/kit";
import pg from "pg";
import { dataOf } from "../../contract/commands.ts";
import { type Bench, type BenchOptions, type Measurement, quantile } from "../bench.ts";

const apps = 200;
const plansPerRound = 40;
/** The app whose plan needs all others. */
const root = nameOf(0);

/** Times the plan of a large graph. The peer reads the same manifests from the same database and does nothing else. */
export const bench: Bench = {
  name: "plans",
  work: `The plan of an installation of an app with ${apps - 1} dependencies: each app of a layer of ten needs all apps of the next layer.`,
  measure,
};

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  const platform = await RunningPlatform.start({ flags: ["--no-examples"] });
  const database = new pg.Client(await embeddedConnection(platform.dataDir));
  try {
    const client = createPlatformClient({ grpcUrl: platform.grpcUrl });
    await registerGraph(client);
    await database.connect();
    const plan = `{ installPlan(name: "${root}") { steps { action appName version reason } digest } }`;
    type Plan = { readonly installPlan: { readonly steps: readonly object[] } };
    assert.equal((await dataOf<Plan>(platform, plan)).installPlan.steps.length, apps);
    const plans: number[][] = [];
    const reads: number[][] = [];
    // The first round warms both up and does not count.
    for (let round = 0; round <= rounds; round += 1) {
      signal.throwIfAborted();
      const ours = await timed(async () => void (await dataOf(platform, plan)));
      const peer = await timed(async () => void (await database.query("SELECT manifest FROM marketplace.manifests")));
      log(`round ${round}: plan ${quantile(ours, 0.5).toFixed(1)} ms, read ${quantile(peer, 0.5).toFixed(1)} ms`);
      if (round === 0) continue;
      plans.push(ours);
      reads.push(peer);
    }
    return { figures: figuresOf(plans, reads), notes };
  } finally {
    await database.end();
    await platform.stop();
  }
}

function nameOf(index: number): string {
  return `com.example.planned${index}`;
}

/** Each app of a layer needs all apps of the next one. */
async function registerGraph(client: PlatformClient): Promise<void> {
  for (let index = 0; index < apps; index += 1) {
    const next = Math.ceil(index / 10) * 10 + 1;
    const needed = Array.from({ length: 10 }, (_, offset) => next + offset).filter((to) => to < apps);
    const app = await testApp({
      name: nameOf(index),
      web_app: { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } },
      dependencies: needed.map((to) => ({ app_name: nameOf(to), kind: "HARD", version_constraint: "^1.0.0" })),
    });
    await registerApp(client, app);
  }
}

async function timed(work: () => Promise<void>): Promise<number[]> {
  const samples: number[] = [];
  for (let count = 0; count < plansPerRound; count += 1) {
    const before = performance.now();
    await work();
    samples.push(performance.now() - before);
  }
  return samples;
}

function figuresOf(plans: readonly number[][], reads: readonly number[][]): Measurement["figures"] {
  const p50 = (rounds: readonly number[][]) => rounds.map((samples) => quantile(samples, 0.5));
  return [
    { name: "plan, p50", unit: "ms", samples: p50(plans), target: { atMost: 50 } },
    { name: "plan, p95", unit: "ms", samples: plans.map((samples) => quantile(samples, 0.95)), target: { atMost: 50 } },
    { name: "read of the same manifests, p50", unit: "ms", samples: p50(reads) },
  ];
}

const notes = [
  "The time of the caller: GraphQL over HTTP, authentication, reads from PostgreSQL, the plan itself and its answer.",
  "The read is one SELECT of the same manifests by another client of the same PostgreSQL.",
];
