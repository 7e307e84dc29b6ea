import { containerName } from "@appserver/contracts/names";
import { backOffLeft } from "../domain/deployment.ts";
import { healthPlan } from "../domain/health-plan.ts";
import { repairs } from "./repairs/index.ts";
import { isWanted, ownContainer, type Situation } from "./situation.ts";
import type { Workbench } from "./workbench.ts";

/** The result when no repair applies: the app is absent, or it is checked again after a while. */
export type Rest = { readonly kind: "absent" } | { readonly kind: "watching"; readonly lookAgainMs: number };

/** More steps in one run than any path through the state table has. */
const longestWay = 60;
const shortestPauseMs = 100;

/**
 * Makes the running container of one app match its installation. Reads the state, applies the first repair that matches, and
 * repeats until none matches. Every step starts from the stored state and the running container, so the process may be killed
 * at any point.
 */
export async function reconcileApp(bench: Workbench, isStartup: boolean): Promise<Rest> {
  for (let step = 0; step < longestWay; step++) {
    bench.signal.throwIfAborted();
    const situation = await look(bench, isStartup);
    const repair = repairs.find(({ applies }) => applies(situation, bench));
    if (!repair) return rest(situation, bench);
    bench.logger.debug({ app: situation.appName, repair: repair.name }, "repairing");
    await repair.apply(situation, bench);
  }
  throw new Error(`${bench.writer.appName} did not come to rest within ${longestWay} steps`);
}

async function look(bench: Workbench, isStartup: boolean): Promise<Situation> {
  const { appName } = bench.writer;
  const [desired, deployment] = await Promise.all([bench.apps.get(appName), bench.deployments.current(appName)]);
  const appId = deployment?.appId ?? desired?.id;
  const found = appId === undefined ? undefined : await bench.runtime.inspect(containerName(appName));
  const container = ownContainer(found, bench.options.instance, appId);
  return { appName, desired, deployment, container, isStartup, now: bench.clock.now() };
}

function rest(situation: Situation, { options, health, clock }: Workbench): Rest {
  const { desired, deployment, now } = situation;
  if (!desired || !deployment || !isWanted(situation)) return { kind: "absent" };
  const { intervalMs } = healthPlan(desired, options);
  const pauses = [intervalMs];
  const backOff = backOffLeft(deployment, now);
  if (backOff > 0) pauses.push(backOff);
  if (deployment.state === "HEALTHY" && desired.healthCheck) pauses.push(health.millisecondsLeft(clock.monotonic()));
  return { kind: "watching", lookAgainMs: Math.max(shortestPauseMs, Math.min(...pauses)) };
}
