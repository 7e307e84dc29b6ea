import type { DeploymentProblem, HealthPlan } from "@appserver/contracts/deployments";
import { backOffLeft, type Deployment } from "../../domain/deployment.ts";
import { healthPlan, isSamePlan } from "../../domain/health-plan.ts";
import { decideRestart } from "../../domain/restart-policy.ts";
import { tryAgain } from "../failure.ts";
import type { ObservedState } from "../observed-state.ts";
import { amend, moveTo, type Repair, type RepairContext } from "../repair-context.ts";

/**
 * Checks the health of a running app (docs/interface/containers.md#health). When the failures in a row reach its threshold, the
 * app becomes UNHEALTHY. It may recover until the back-off of the restart policy is over. Then it is restarted.
 */
export const probeHealth: Repair = {
  name: "probe-health",
  applies: ({ desired, deployment, container, now }, context) => {
    if (!desired?.healthCheck || !deployment?.endpoint || container?.status !== "running") return false;
    if (deployment.state === "UNHEALTHY" && backOffLeft(deployment, now) === 0) return true;
    const isWatched = deployment.state === "HEALTHY" || deployment.state === "UNHEALTHY";
    return isWatched && context.health.isDue(context.clock.monotonic());
  },
  apply: async ({ desired, deployment: before }, context) => {
    if (!desired || !before?.endpoint) return;
    const plan = healthPlan(desired, context.options);
    const deployment = await withPlan(before, plan, context);
    const problem =
      plan.path === undefined ? undefined : await context.probe.problem(before.endpoint, plan.path, plan.timeoutMs);
    const isHealthy = problem === undefined;
    const outcome = isHealthy ? "healthy" : "unhealthy";
    context.metrics.healthChecks.bind({ app: deployment.appName, outcome }).add();
    const failures = context.health.record(isHealthy, context.clock.monotonic(), plan.intervalMs);
    if (isHealthy) await onHealthy(deployment, context);
    else await onUnhealthy(deployment, { failures, problem }, plan, context);
  },
};

/**
 * Checks a healthy app once more without reading its state, which costs several statements for every check of every app. Returns the
 * time until the next check, or undefined if the state must be read: after a failure, which then counts with the next check.
 */
export async function probeAgain(
  { desired, deployment, container }: ObservedState,
  { probe, health, metrics, clock, options }: RepairContext,
): Promise<number | undefined> {
  if (!desired?.healthCheck || deployment?.state !== "HEALTHY" || !deployment.endpoint) return undefined;
  const plan = healthPlan(desired, options);
  if (plan.path === undefined || container?.status !== "running") return undefined;
  if ((await probe.problem(deployment.endpoint, plan.path, plan.timeoutMs)) !== undefined) return undefined;
  metrics.healthChecks.bind({ app: deployment.appName, outcome: "healthy" }).add();
  health.record(true, clock.monotonic(), plan.intervalMs);
  return health.millisecondsLeft(clock.monotonic());
}

/** Stores the plan if the operator's defaults have changed since the container was created, or if no plan was stored then. */
async function withPlan(deployment: Deployment, plan: HealthPlan, context: RepairContext): Promise<Deployment> {
  const { healthPlan: stored } = deployment;
  if (stored && isSamePlan(stored, plan)) return deployment;
  return await amend(context, deployment, { healthPlan: plan });
}

async function onHealthy(deployment: Deployment, context: RepairContext): Promise<void> {
  if (deployment.state === "UNHEALTHY") await moveTo(context, deployment, "HEALTHY");
}

async function onUnhealthy(
  deployment: Deployment,
  { failures, problem }: { readonly failures: number; readonly problem: string },
  plan: HealthPlan,
  context: RepairContext,
): Promise<void> {
  const message = `${failures} health checks failed in a row; the last one: ${problem}`;
  const lastError: DeploymentProblem = { code: "UPSTREAM_ERROR", message };
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
