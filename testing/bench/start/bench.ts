import { setTimeout as sleep } from "node:timers/promises";
import { RunningPlatform } from "@appserver/testing/kit";
import { launcher } from "../../kit/appserver-process.ts";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { residentMb } from "../process-memory.ts";

const pollMs = 5;
/** Work that follows the start ends within this time. */
const settleMs = 20_000;

/** Measures the second start of `npm start`, whose data and pages exist. */
export const bench: Bench = {
  name: "start",
  work: "`appserver dev` with the sample apps on embedded drivers, started again on its data.",
  measure,
};

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  const platform = await RunningPlatform.start({ program: launcher });
  try {
    const [health, memory]: [number[], number[]] = [[], []];
    // The first round warms the caches of the system up and does not count.
    for (let round = 0; round <= rounds; round += 1) {
      await platform.interrupt();
      const startedAt = performance.now();
      platform.process.start();
      while (!(await isHealthy(platform.httpUrl))) {
        signal.throwIfAborted();
        if (!platform.process.isRunning) throw new Error(`the platform ended: ${platform.printed}`);
        await sleep(pollMs);
      }
      const seconds = (performance.now() - startedAt) / 1_000;
      await platform.installed();
      await sleep(settleMs, undefined, { signal });
      const resident = residentMb(platform.process.pid);
      log(`round ${round}: /health after ${seconds.toFixed(2)} s, ${resident.toFixed(0)} MB`);
      if (round === 0) continue;
      health.push(seconds);
      memory.push(resident);
    }
    return {
      figures: [
        { name: "/health after", unit: "s", samples: health, target: { atMost: 1 } },
        { name: "memory of the server, idle", unit: "MB", samples: memory, target: { atMost: 150 } },
      ],
      notes,
    };
  } finally {
    await platform.stop();
  }
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

const notes = [
  "/health after: from the start of the process to its first 200.",
  `memory: resident memory of the server's process alone, without PostgreSQL and the sample apps, ${settleMs / 1_000} s after all of them are up.`,
];
