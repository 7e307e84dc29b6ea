import type { DeploymentProblem, HealthPlan } from "@appserver/contracts/deployments";
import { backOffLeft, type Deployment } from "../../domain/deployment.ts";
import type { DesiredApp } from "../../domain/desired-app.ts";
import { healthPlan, isSamePlan } from "../../domain/health-plan.ts";
import { decideRestart } from "../../domain/restart-policy.ts";
import type { ContainerView, InstanceProblem } from "../../ports.ts";
import { checkHealth } from "../app-health.ts";
import { failPermanently, tryAgain } from "../failure.ts";
import { newRestarts } from "../instance-restarts.ts";
import { hasSeveral, nextCheckMs } from "../known-instances.ts";
import { findContainer, type ObservedState } from "../observed-state.ts";
import { areRecorded } from "../recorded-instances.ts";
import { amend, moveTo, type Repair, type RepairContext } from "../repair-context.ts";
import { storeInstances } from "../store-instances.ts";

/**
 * Checks the health of a running app (docs/interface/containers.md#health). When the failures in a row reach its threshold, the
 * app becomes UNHEALTHY. It may recover until the back-off of the restart policy is over. Then it is restarted.
 */
export const probeHealth: Repair = {
  name: "probe-health",
  applies: ({ desired, deployment, container, now }, context) => {
    if (!isChecked(desired, context) || !deployment?.endpoint || container?.status !== "running") return false;
    if (deployment.state === "UNHEALTHY" && backOffLeft(deployment, now) === 0) return true;
    const isWatched = deployment.state === "HEALTHY" || deployment.state === "UNHEALTHY";
    return isWatched && context.health.isDue(context.clock.monotonic());
  },
  apply: async ({ desired, deployment: before, container }, context) => {
    if (!desired || !before?.endpoint || !container) return;
    const plan = healthPlan(desired, context.options);
    const current = await withPlan(before, plan, context);
    const { problem, container: checked } = await checkHealth({ container, endpoint: before.endpoint, plan }, context);
    const deployment = await withReadiness(current, { before: container, checked }, plan, context);
    const isHealthy = problem === undefined;
    const outcome = isHealthy ? "healthy" : "unhealthy";
    context.metrics.healthChecks.bind({ app: deployment.appName, outcome }).add();
    const failures = context.health.record(isHealthy, context.clock.monotonic(), checkAgainMs(checked, plan, context));
    if (isHealthy) await onHealthy(deployment, context);
    else if (problem.isFinal) await failPermanently(context, deployment, { code: problem.code, message: problem.message });
    else await onUnhealthy(deployment, { failures, problem }, plan, context);
  },
};

/** Returns whether the health of the app is checked while it runs. */
export function isChecked(desired: DesiredApp | undefined, { runtime }: Pick<RepairContext, "runtime">): desired is DesiredApp {
  return desired !== undefined && (desired.healthCheck !== undefined || runtime.abilities.health === "engine");
}

/**
 * Checks a healthy app once more without reading its state, which costs several statements for every check of every app. Returns the
 * time until the next check, or undefined if the state must be read: after a failure, which then counts with the next check.
 */
export async function probeAgain(
  { desired, deployment, container: before }: ObservedState,
  context: RepairContext,
): Promise<number | undefined> {
  const { runtime, health, metrics, clock, options } = context;
  if (!isChecked(desired, context) || deployment?.state !== "HEALTHY" || !deployment.endpoint) return undefined;
  const plan = healthPlan(desired, options);
  const isByEngine = runtime.abilities.health === "engine";
  if (plan.path === undefined && !isByEngine) return undefined;
  const container = isByEngine ? await findContainer(runtime, options.instance, deployment) : before;
  if (container?.status !== "running" || newRestarts(deployment, container)) return undefined;
  if (!areRecorded(deployment, container)) return undefined;
  const { problem, container: checked } = await checkHealth({ container, endpoint: deployment.endpoint, plan }, context);
  if (problem || !areRecorded(deployment, checked)) return undefined;
  metrics.healthChecks.bind({ app: deployment.appName, outcome: "healthy" }).add();
  health.record(true, clock.monotonic(), checkAgainMs(checked, plan, context));
  return health.millisecondsLeft(clock.monotonic());
}

/**
 * Stores the plan if the operator's defaults have changed since the container was created, or if no plan was stored then. The checks of
 * an engine change with the container only.
 */
async function withPlan(deployment: Deployment, plan: HealthPlan, context: RepairContext): Promise<Deployment> {
  const { healthPlan: stored } = deployment;
  if (context.runtime.abilities.health === "engine") return deployment;
  if (stored && isSamePlan(stored, plan)) return deployment;
  return await amend(context, deployment, { healthPlan: plan });
}

/** Stores which instances are ready, where the orchestrator checks them. Requests go to those. */
async function withReadiness(
  deployment: Deployment,
  { before, checked }: { readonly before: ContainerView; readonly checked: ContainerView },
  { path, threshold }: HealthPlan,
  context: RepairContext,
): Promise<Deployment> {
  if (context.runtime.abilities.health === "engine" || path === undefined || !hasSeveral(checked)) return deployment;
  const wasReady = new Set(before.instances.flatMap(({ id, isReady }) => (isReady ? id : [])));
  const instances = context.health.recordEach(checked.instances, ({ id }) => wasReady.has(id), threshold);
  const container = { ...checked, instances };
  return areRecorded(deployment, container) ? deployment : await storeInstances(context, deployment, container);
}

function checkAgainMs(container: ContainerView, plan: HealthPlan, { clock, options }: RepairContext): number {
  return nextCheckMs(container, plan, { now: clock.now(), startTimeoutMs: options.startTimeoutMs });
}

async function onHealthy(deployment: Deployment, context: RepairContext): Promise<void> {
  if (deployment.state === "UNHEALTHY") await moveTo(context, deployment, "HEALTHY");
}

async function onUnhealthy(
  deployment: Deployment,
  { failures, problem }: { readonly failures: number; readonly problem: InstanceProblem },
  plan: HealthPlan,
  context: RepairContext,
): Promise<void> {
  const message = `${failures} health checks failed in a row; the last one: ${problem.message}`;
  const lastError: DeploymentProblem = { code: problem.code, message };
  const now = context.clock.now();
  if (deployment.state === "UNHEALTHY") {
    if (backOffLeft(deployment, now) === 0) await tryAgain(context, deployment, "RESTARTING", lastError, { backOff: "waited" });
    return;
  }
  if (failures < plan.threshold) return;
  const decision = decideRestart(deployment, now, context.options);
  const delayMs = decision.kind === "restart" ? decision.delayMs : plan.intervalMs;
  await moveTo(context, deployment, "UNHEALTHY", { lastError, notBefore: new Date(now + delayMs) });
}
