import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPlatformClient, readAppKeys } from "@appserver/sdk";
import { RunningPlatform } from "@appserver/testing/kit";
import { activityApp, installActivityApp } from "../../faults/activity-app.ts";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { embeddedDatabase } from "../embedded-database.ts";
import { runBarePgBoss } from "./bare-pg-boss.ts";
import { runPlatformActivities } from "./platform-activities.ts";

const runs = 3_000;
const load = { runs, producers: 32, capacity: 100 } as const;

/** Compares activity runs of the platform with jobs of bare pg-boss. */
export const bench: Bench = {
  name: "activities",
  work: `${runs} runs a round, trigger → worker → result, against bare pg-boss on the same PostgreSQL.`,
  measure,
};

async function measure({ rounds, log }: BenchOptions): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), "appserver-bench-"));
  // As root, PostgreSQL runs under another account, which must reach the folder.
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  const platform = await RunningPlatform.start({ flags: ["--no-examples"], environment: { APPSERVER_DATA_DIR: dataDir } });
  try {
    await mkdir(join(folder, "app"));
    await installActivityApp(createPlatformClient({ grpcUrl: platform.grpcUrl }), join(folder, "app"));
    const app = { name: activityApp, privateKey: (await readAppKeys(join(folder, "app"))).privateKey };
    const { httpUrl, grpcUrl } = platform;
    const connection = await embeddedDatabase(dataDir);
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
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
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
