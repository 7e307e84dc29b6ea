import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, type BenchOptions, type Figure, type Measurement, quantile } from "../bench.ts";
import { startForked } from "../gateways/forked.ts";
import { withGatewayFixture } from "../gateways/gateway-fixture.ts";
import { residentMb } from "../process-memory.ts";
import { pinServing } from "../served-apps.ts";
import { ManyConnections } from "./many-connections.ts";

const connections = 10_000;
/** Opened before memory is compared, so that the code of the servers is compiled. */
const warmUp = 2_000;
const idleMs = 5_000;

/** Measures connections of clients that stay open. */
export const bench: Bench = {
  name: "connections",
  work: `${connections} connections of clients stay open, each with two requests to a public route with a limit.`,
  measure,
};

interface Sample {
  readonly kbEach: number;
  readonly errors: number;
  readonly p99: number;
}

function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  return withGatewayFixture(async ({ platform, upstreamPort, started }) => {
    const floor = await started(startForked("floor-process.ts", upstreamPort));
    const gateways = [
      ...(await platform()).gateway("platform", "/public").servers.map((server) => ({ name: "platform", ...server })),
      { name: "floor", pid: floor.pid, url: `http://127.0.0.1:${floor.port}/public` },
    ];
    const samples = new Map<string, Sample[]>(gateways.map(({ name }) => [name, []]));
    for (const { pid } of gateways) pinServing(pid);
    // With the warm-up's connections before the first round, MB: later, servers keep memory of earlier rounds.
    const before = new Map<string, number>();
    // The first round warms both up and does not count.
    for (let round = 0; round <= rounds; round += 1)
      for (const { name, url, pid } of gateways) {
        const sample = await hold(url, signal, (count) => {
          const resident = residentMb(pid);
          if (!before.has(name)) before.set(name, resident);
          return ((resident - (before.get(name) ?? resident)) * 1_000) / (count - warmUp);
        });
        log(
          `round ${round}, ${name}: ${sample.kbEach.toFixed(1)} kB each, ${sample.errors} errors, p99 ${sample.p99.toFixed(0)} ms`,
        );
        if (round > 0) samples.get(name)?.push(sample);
      }
    return { figures: figuresOf(samples.get("platform") ?? [], samples.get("floor") ?? []), notes };
  });
}

/** `kbEach` is called with the number of open connections: those of the warm-up, and all. */
async function hold(url: string, signal: AbortSignal, kbEach: (count: number) => number): Promise<Sample> {
  const clients = new ManyConnections(url);
  try {
    await clients.open(warmUp);
    kbEach(warmUp);
    await clients.open(connections - warmUp);
    const times = await clients.sendOnEach();
    await sleep(idleMs, undefined, { signal });
    return { kbEach: kbEach(connections), errors: clients.errors, p99: quantile(times, 0.99) };
  } finally {
    await clients.close();
  }
}

function figuresOf(ours: readonly Sample[], theirs: readonly Sample[]): readonly Figure[] {
  return [
    { name: "memory per connection, platform", unit: "kB", samples: ours.map(({ kbEach }) => kbEach) },
    { name: "memory per connection, floor", unit: "kB", samples: theirs.map(({ kbEach }) => kbEach) },
    { name: "errors, platform", unit: "", samples: ours.map(({ errors }) => errors), target: { atMost: 0 } },
    { name: "errors, floor", unit: "", samples: theirs.map(({ errors }) => errors) },
    { name: "p99, platform", unit: "ms", samples: ours.map(({ p99 }) => p99) },
    { name: "p99, floor", unit: "ms", samples: theirs.map(({ p99 }) => p99) },
  ];
}

const notes = [
  `memory per connection: growth of the resident memory from ${warmUp} connections before the first round to ${connections}, ${idleMs / 1_000} s after the last request.`,
  "errors: connections that the server ended, and responses other than 200. p99: of a request on each connection, 100 at a time.",
  "floor: node:http and undici's Pool.dispatch, and nothing in between. The platform: limits in its memory, request log to a file.",
];
