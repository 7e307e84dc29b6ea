import { containerName } from "@appserver/contracts/names";
import { backOffLeft } from "../domain/deployment.ts";
import { healthPlan } from "../domain/health-plan.ts";
import { isWanted, type ObservedState, ownContainer } from "./observed-state.ts";
import type { RepairContext } from "./repair-context.ts";
import { repairs } from "./repairs/index.ts";

/** The result when no repair applies: the app is absent, or it is checked again after a while. */
export type Rest = { readonly kind: "absent" } | { readonly kind: "watching"; readonly lookAgainMs: number };

/** More steps in one run than any path through the state table has. */
const mostSteps = 60;
const shortestPauseMs = 100;

/**
 * Makes the running container of one app match its installation. Reads the state, applies the first repair that matches, and
 * repeats until none matches. Every step starts from the stored state and the running container, so the process may be killed
 * at any point.
 */
export async function reconcileApp(context: RepairContext, isStartup: boolean): Promise<Rest> {
  for (let step = 0; step < mostSteps; step++) {
    context.signal.throwIfAborted();
    const observed = await observe(context, isStartup);
    const repair = repairs.find(({ applies }) => applies(observed, context));
    if (!repair) return rest(observed, context);
    context.logger.debug({ app: observed.appName, repair: repair.name }, "orchestration: repairing the app");
    await repair.apply(observed, context);
  }
  throw new Error(`${context.writer.appName} still needs repairs after ${mostSteps} steps`);
}

async function observe(context: RepairContext, isStartup: boolean): Promise<ObservedState> {
  const { appName } = context.writer;
  const [desired, deployment] = await Promise.all([context.apps.get(appName), context.deployments.current(appName)]);
  const appId = deployment?.appId ?? desired?.id;
  const found = appId === undefined ? undefined : await context.runtime.inspect(containerName(appName));
  const container = ownContainer(found, context.options.instance, appId);
  return { appName, desired, deployment, container, isStartup, now: context.clock.now() };
}

function rest(observed: ObservedState, { options, health, clock }: RepairContext): Rest {
  const { desired, deployment, now } = observed;
  if (!desired || !deployment || !isWanted(observed)) return { kind: "absent" };
  const { intervalMs } = healthPlan(desired, options);
  const pauses = [intervalMs];
  const backOff = backOffLeft(deployment, now);
  if (backOff > 0) pauses.push(backOff);
  if (deployment.state === "HEALTHY" && desired.healthCheck) pauses.push(health.millisecondsLeft(clock.monotonic()));
  return { kind: "watching", lookAgainMs: Math.max(shortestPauseMs, Math.min(...pauses)) };
}
