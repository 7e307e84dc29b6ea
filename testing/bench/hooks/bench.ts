import { embeddedConnection, RunningPlatform } from "@appserver/testing/kit";
import { type Bench, type BenchOptions, type Measurement, quantile } from "../bench.ts";
import { type EventSystem, type LoadResult, openLoop } from "../open-loop.ts";
import { cpuSeconds, pin, processTree } from "../process-cpu.ts";
import { BareQueue } from "./bare-queue.ts";
import { PlatformHooks } from "./platform-hooks.ts";

/** Two deliveries each. The rate is above the target, so that the bench shows more than keeping up. */
const sustained = { triggersPerSecond: 600, seconds: 10 };
const calm = { triggersPerSecond: 50, seconds: 10 };

interface Round {
  readonly sustained: LoadResult;
  readonly calm: LoadResult;
}

interface PlatformRound extends Round {
  readonly serverCpu: number;
  readonly databaseCpu: number;
}

export const bench: Bench = {
  name: "hooks",
  work: "A trigger over gRPC goes to two subscribers over streams, acknowledged by both.",
  measure: async (options) => {
    const server = await RunningPlatform.start({ flags: ["--no-examples"] });
    try {
      pin(server.process.pid, "0");
      return await measure(server, options);
    } finally {
      await server.stop();
    }
  },
};

async function measure(server: RunningPlatform, { rounds, log, signal }: BenchOptions): Promise<Measurement> {
  const platform = await PlatformHooks.open(server);
  const bare = await BareQueue.open(await embeddedConnection(server.dataDir));
  const ours: PlatformRound[] = [];
  const peers: Round[] = [];
  await openLoop(platform, calm.triggersPerSecond, 2, signal);
  await openLoop(bare, calm.triggersPerSecond, 2, signal);
  for (let round = 1; round <= rounds; round += 1) {
    log(`round ${round} of ${rounds}: platform`);
    ours.push(await platformRound(platform, server.process.pid, signal));
    log(`round ${round} of ${rounds}: bare queue`);
    peers.push(await oneRound(bare, signal));
  }
  await platform.close();
  await bare.close();
  return { figures: figuresOf(ours, peers), notes };
}

async function platformRound(platform: PlatformHooks, pid: number, signal: AbortSignal): Promise<PlatformRound> {
  const before = { server: cpuSeconds(pid), database: databaseCpu(pid) };
  const loaded = await openLoop(platform, sustained.triggersPerSecond, sustained.seconds, signal);
  const serverCpu = cpuSeconds(pid) - before.server;
  const database = databaseCpu(pid) - before.database;
  return {
    sustained: loaded,
    serverCpu,
    databaseCpu: database,
    calm: await openLoop(platform, calm.triggersPerSecond, calm.seconds, signal),
  };
}

async function oneRound(system: EventSystem, signal: AbortSignal): Promise<Round> {
  return {
    sustained: await openLoop(system, sustained.triggersPerSecond, sustained.seconds, signal),
    calm: await openLoop(system, calm.triggersPerSecond, calm.seconds, signal),
  };
}

function figuresOf(ours: readonly PlatformRound[], peers: readonly Round[]): Measurement["figures"] {
  const rate = ({ deliveries, seconds }: LoadResult): number => deliveries / seconds;
  const p99 = ({ latencies }: LoadResult): number => quantile(latencies, 0.99);
  const perDelivery = (cpu: number, { deliveries }: LoadResult): number => (cpu / deliveries) * 1e6;
  const of = (name: string, unit: string, value: (round: PlatformRound, peer: Round) => number, more: object = {}) => ({
    name,
    unit,
    samples: ours.map((round, index) => value(round, peers[index] ?? round)),
    ...more,
  });
  return [
    of("deliveries a second, 1,200 offered", "1/s", (round) => rate(round.sustained), { target: { atLeast: 1000 } }),
    of("p99 at 100 a second", "ms", ({ calm: seen }) => p99(seen), { target: { atMost: 150 } }),
    of("p50 at 100 a second", "ms", ({ calm: seen }) => quantile(seen.latencies, 0.5)),
    of("p99 at 1,200 a second", "ms", (round) => p99(round.sustained)),
    of("server CPU a delivery", "µs", (round) => perDelivery(round.serverCpu, round.sustained), {
      target: { atMost: 1000 },
    }),
    of("database CPU a delivery", "µs", (round) => perDelivery(round.databaseCpu, round.sustained)),
    of("bare queue: deliveries a second", "1/s", (_, peer) => rate(peer.sustained)),
    of("bare queue: p99 at 100 a second", "ms", (_, peer) => p99(peer.calm)),
    of(
      "p50 at 100 a second, platform to bare queue",
      "×",
      (round, peer) => quantile(round.calm.latencies, 0.5) / quantile(peer.calm.latencies, 0.5),
      { isRatio: true },
    ),
  ];
}

const notes = [
  "Open loop: each trigger is due at a fixed time, however long the earlier ones take, and its latency counts from that time.",
  "The whole platform: `appserver dev` on embedded drivers, outbox and broker included; the server on one core. Triggers are plain gRPC calls over HTTP/2 without signatures: a client library and signatures would cost the load generator more than the server. Subscribers use the SDK.",
  "The bare queue is SQL on the same PostgreSQL without the rest: one commit per trigger, NOTIFY, claims of up to 200 with SKIP LOCKED, one delete per claim.",
  "A system that keeps up also shows fewer than 1,200 of 1,200: the last deliveries of a round come after its last trigger.",
];

/** CPU of all child processes of the server except apps: PostgreSQL with all its processes, including those that ended. */
function databaseCpu(serverPid: number): number {
  return processTree(serverPid)
    .filter((pid) => pid !== serverPid)
    .reduce((total, pid) => total + cpuSeconds(pid), 0);
}
