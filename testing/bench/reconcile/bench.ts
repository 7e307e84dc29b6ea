import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { type IdleApps, installIdleApps } from "./idle-apps.ts";

const names = Array.from({ length: 100 }, (_, index) => `test.idle${String(index).padStart(3, "0")}`);
const pollMs = 50;
const deadlineMs = 300_000;

/** Compares a start of the orchestrator, whose containers have all ended, with the container engine alone. */
export const bench: Bench = {
  name: "reconcile",
  work: `The containers of ${names.length} installed apps have ended, as after a restart of the machine; one orchestrator starts them.`,
  measure,
};

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  await using apps = await installIdleApps(names, log);
  const [ours, runtime]: [number[], number[]] = [[], []];
  // The first round warms both up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted();
    const containers = await apps.running();
    await apps.orchestrator.stop();
    const alone = await secondsUntilAllRun(apps, containers, () => apps.each(containers, "start"));
    const reconciled = await secondsUntilAllRun(apps, containers, async () => apps.orchestrator.start());
    await apps.orchestrator.ready();
    log(`round ${round}: orchestrator ${reconciled.toFixed(1)} s, engine ${alone.toFixed(1)} s`);
    if (round === 0) continue;
    ours.push(reconciled);
    runtime.push(alone);
  }
  return { figures: figuresOf(ours, runtime), notes };
}

/** Ends all containers first. */
async function secondsUntilAllRun(apps: IdleApps, containers: readonly string[], start: () => Promise<void>): Promise<number> {
  await apps.each(containers, "kill");
  while ((await apps.running()).length > 0) await sleep(pollMs);
  const startedAt = performance.now();
  await start();
  while ((await apps.running()).length < names.length) {
    if (performance.now() - startedAt > deadlineMs) throw new Error("not all containers were started");
    await sleep(pollMs);
  }
  return (performance.now() - startedAt) / 1_000;
}

function figuresOf(ours: readonly number[], runtime: readonly number[]): readonly Figure[] {
  const ratios = ours.map((seconds, round) => seconds / (runtime[round] ?? Number.NaN));
  return [
    { name: "all containers run, orchestrator", unit: "s", samples: ours, target: { atMost: 120 } },
    { name: "all containers run, engine alone", unit: "s", samples: runtime },
    { name: "orchestrator / engine alone", unit: "", samples: ratios, target: { atMost: 2 }, isRatio: true },
  ];
}

const notes = [
  "orchestrator: from the start of its process until every container runs. The server runs all the time.",
  "engine alone: the same containers, started over the API of Docker with 8 requests at a time.",
  "Each app has a container that sleeps, on a network of its own. Rounds are interleaved; the first is not counted.",
];
