import { type Bench, type BenchOptions, type Figure, type Measurement, quantile } from "../bench.ts";
import { type LoadResult, openLoop } from "../open-loop.ts";
import { cpuSeconds } from "../process-cpu.ts";
import { serveApps } from "../served-apps.ts";
import { EventSystems } from "./event-systems.ts";

/** The rate is above the target, so that the bench shows more than keeping up. */
const sustained = { eventsEach: 10, triggersPerSecond: 220, seconds: 10 };
const calm = { eventsEach: 1, triggersPerSecond: 200, seconds: 10 };
const offered = sustained.eventsEach * sustained.triggersPerSecond;

/** Compares events through the outbox with events that a process publishes directly. */
export const bench: Bench = {
  name: "events",
  work: "Events go from a transaction through the outbox of `serve` and RabbitMQ to a consumer.",
  measure,
};

interface Round {
  readonly sustained: LoadResult;
  readonly calm: LoadResult;
  /** Of the server, seconds, for the sustained load. */
  readonly cpu: number;
}

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  await using cleanup = new AsyncDisposableStack();
  const served = await serveApps([]);
  cleanup.defer(served.stop);
  const systems = await EventSystems.open(served.services);
  cleanup.defer(() => systems.close());
  const measured: Record<"outbox" | "bare", Round[]> = { outbox: [], bare: [] };
  const run = (name: keyof typeof measured, { eventsEach, triggersPerSecond, seconds }: typeof calm): Promise<LoadResult> =>
    openLoop(systems.system(name, eventsEach), triggersPerSecond, seconds, signal);
  // The first round warms both up and does not count.
  for (let round = 0; round <= rounds; round += 1)
    for (const name of ["outbox", "bare"] as const) {
      const before = cpuSeconds(served.pid);
      const loaded = await run(name, sustained);
      const cpu = cpuSeconds(served.pid) - before;
      const result = { sustained: loaded, cpu, calm: await run(name, calm) };
      log(
        `round ${round}, ${name}: ${rate(result).toFixed(0)}/s, p99 ${p(result, 0.99).toFixed(0)} ms at ${calm.triggersPerSecond}/s`,
      );
      if (round > 0) measured[name].push(result);
    }
  return { figures: figuresOf(measured.outbox, measured.bare), notes };
}

function rate({ sustained: { deliveries, seconds } }: Round): number {
  return deliveries / seconds;
}

function p({ calm: { latencies } }: Round, share: number): number {
  return quantile(latencies, share);
}

function figuresOf(ours: readonly Round[], peers: readonly Round[]): readonly Figure[] {
  const [atSustained, atCalm] = [`${offered} offered`, `at ${calm.triggersPerSecond} a second`];
  return [
    { name: `events a second, ${atSustained}`, unit: "1/s", samples: ours.map(rate), target: { atLeast: 2_000 } },
    { name: `p99 ${atCalm}`, unit: "ms", samples: ours.map((round) => p(round, 0.99)), target: { atMost: 100 } },
    { name: `p50 ${atCalm}`, unit: "ms", samples: ours.map((round) => p(round, 0.5)) },
    { name: `p99, ${atSustained}`, unit: "ms", samples: ours.map((round) => quantile(round.sustained.latencies, 0.99)) },
    {
      name: "server CPU an event",
      unit: "µs",
      samples: ours.map(({ cpu, sustained: { deliveries } }) => (cpu / deliveries) * 1e6),
    },
    { name: `bare RabbitMQ: events a second, ${atSustained}`, unit: "1/s", samples: peers.map(rate) },
    { name: `bare RabbitMQ: p99 ${atCalm}`, unit: "ms", samples: peers.map((round) => p(round, 0.99)) },
    { name: `bare RabbitMQ: p50 ${atCalm}`, unit: "ms", samples: peers.map((round) => p(round, 0.5)) },
    {
      name: `p50 ${atCalm}, platform / bare RabbitMQ`,
      unit: "",
      samples: ours.map((round, index) => p(round, 0.5) / p(peers[index] ?? round, 0.5)),
      isRatio: true,
    },
  ];
}

const notes = [
  "Open loop: each event is due at a fixed time, and its latency counts from that time to the end of its handler's call.",
  `Sustained: ${sustained.triggersPerSecond} transactions a second with ${sustained.eventsEach} events each, for ${sustained.seconds} s. Calm: one event in each transaction.`,
  "The transactions run in the process of the bench, which has the consumer too; `serve` takes the events from the outbox, publishes them with confirms and moves them to the history.",
  "bare RabbitMQ: the same events are published with confirms to queues of the same kind, without a database.",
  "Rounds are interleaved; the first is not counted.",
];
