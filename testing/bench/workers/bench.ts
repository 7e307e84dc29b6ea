import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { compare, type Gateway, gatewayNotes } from "../gateways/compare.ts";
import { withGatewayFixture } from "../gateways/gateway-fixture.ts";
import { cpuSeconds, processTree } from "../process-cpu.ts";

/** Compares a server of two worker processes with a server of one. */
export const bench: Bench = {
  name: "workers",
  work: "A public route, served by two worker processes of one server, and by one.",
  measure,
};

function measure(options: BenchOptions): Promise<Measurement> {
  return withGatewayFixture(async ({ platform }) => {
    const started = async (workers: string): Promise<Gateway> => {
      const app = await platform(1, { APPSERVER_CACHE_DRIVER: "redis", APPSERVER_WORKERS: workers });
      return app.gateway(workers === "1" ? "one worker" : "two workers", "/public");
    };
    const [two, one] = [await started("2"), await started("1")];
    const before = cpuOfWorkers(two);
    const { figures } = await compare([two, one], { "one worker": 1.1 }, options);
    const spent = cpuOfWorkers(two).map((seconds, worker) => seconds - (before[worker] ?? 0));
    const least = Math.min(...spent) / spent.reduce((sum, seconds) => sum + seconds, 0);
    const share: Figure = { name: "share of the worker with less work", unit: "", samples: [least], target: { atLeast: 0.4 } };
    return { figures: [...figures, share], notes: [...gatewayNotes().filter((note) => !note.startsWith("floor")), note] };
  });
}

/** Returns the seconds of CPU of each worker process. */
function cpuOfWorkers({ servers }: Gateway): readonly number[] {
  const [parent, ...workers] = servers.flatMap(({ pid }) => processTree(pid));
  if (parent === undefined || workers.length !== 2) throw new Error(`${workers.length} workers run, not two`);
  return workers.map(cpuSeconds);
}

const note =
  "Limits are in Redis (`cache.driver: redis`), as several workers need it. Both servers are on one core, so that the ratio is what two processes cost, not what they bring. The share is that of the CPU over all rounds.";
