import { embeddedConnection, RunningPlatform, testApp } from "@appserver/testing/kit";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { runBarePgBoss } from "./bare-pg-boss.ts";
import { runPlatformActivities, toil, toilingName } from "./platform-activities.ts";

const runs = 3_000;
const load = { runs, producers: 32, capacity: 100 } as const;

/** Compares activity runs of the platform with jobs of bare pg-boss. */
export const bench: Bench = {
  name: "activities",
  work: `${runs} runs a round, trigger → worker → result, against bare pg-boss on the same PostgreSQL.`,
  measure,
};

async function measure({ rounds, log }: BenchOptions): Promise<Measurement> {
  const platform = await RunningPlatform.start({ flags: ["--no-examples"] });
  try {
    const toiling = await toilingApp();
    await platform.register(toiling);
    await platform.client().marketplace.installApp({ name: toilingName });
    const app = { name: toilingName, privateKey: toiling.keys.privateKey };
    const { httpUrl, grpcUrl } = platform;
    const connection = await embeddedConnection(platform.dataDir);
    const ours: number[] = [];
    const peer: number[] = [];
    // The first round warms both up and does not count.
    for (let round = 0; round <= rounds; round += 1) {
      const platformMs = await runPlatformActivities({ httpUrl, grpcUrl, app, ...load });
      const bareMs = await runBarePgBoss({ connection, ...load });
      log(`round ${round}: platform ${Math.round(perSecond(platformMs))}/s, pg-boss ${Math.round(perSecond(bareMs))}/s`);
      if (round === 0) continue;
      ours.push(perSecond(platformMs));
      peer.push(perSecond(bareMs));
    }
    return { figures: figuresOf(ours, peer), notes };
  } finally {
    await platform.stop();
  }
}

/** An app that has an activity and no running backend. */
function toilingApp() {
  return testApp({
    name: toilingName,
    web_app: { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } },
    activities: [{ name: toil, max_retries: 20, timeout_ms: 900_000 }],
  });
}

function figuresOf(ours: readonly number[], peer: readonly number[]): Measurement["figures"] {
  const ratios = ours.map((figure, round) => figure / (peer[round] ?? Number.NaN));
  return [
    { name: "runs of the platform", unit: "1/s", samples: ours, target: { atLeast: 500 } },
    { name: "jobs of bare pg-boss", unit: "1/s", samples: peer },
    { name: "platform / bare pg-boss", unit: "", samples: ratios, target: { atLeast: 0.8 }, isRatio: true },
  ];
}

const notes = [
  "The platform: triggered by GraphQL mutations of 32 producers, executed over one gRPC stream of the SDK with room for 100, " +
    "permission, schema, record, outbox and event on the bus included; server, client and PostgreSQL are separate processes.",
  "pg-boss 12.35.0: one `send` per trigger by 32 producers, `fetch` of as many as fit into 100, one `complete` per " +
    "result, on a pool of 10 connections, in one process.",
  "Rounds are interleaved; the first is not counted.",
];

function perSecond(ms: number): number {
  return (runs / ms) * 1000;
}
