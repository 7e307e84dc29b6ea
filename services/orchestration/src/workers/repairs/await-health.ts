import type { Deployment } from "../../domain/deployment.ts";
import { healthPlan } from "../../domain/health-plan.ts";
import { ContainerError, type ContainerView, type InstanceProblem } from "../../ports.ts";
import { checkHealth, reportedProblem } from "../app-health.ts";
import { failPermanently, settleFailure, tryAgain } from "../failure.ts";
import { newRestarts } from "../instance-restarts.ts";
import { nextCheckMs, withKnown } from "../known-instances.ts";
import { findContainer } from "../observed-state.ts";
import { recordedInstances } from "../recorded-instances.ts";
import { explain, moveTo, type Repair, type RepairContext } from "../repair-context.ts";

const shortestPauseMs = 25;
const longestPauseMs = 500;
/** If an app is not healthy this long after its start, the reason is stored for the users who wait for it. */
const sayWhyAfterMs = 5_000;

/**
 * Waits until the started app is healthy, at most the start timeout (docs/interface/containers.md#health). A next deployment must
 * stay healthy for the settle time, because requests go to it as soon as it is HEALTHY (docs/interface/states.md#switch).
 */
export const awaitHealth: Repair = {
  name: "await-health",
  applies: ({ deployment, container }) => deployment?.state === "STARTING" && container?.status === "running",
  apply: async ({ desired, deployment }, context) => {
    if (!desired || !deployment) return;
    const { clock, runtime, options } = context;
    const plan = healthPlan(desired, options);
    const beganAt = clock.monotonic();
    const settleTimeMs = deployment.role === "next" ? options.settleTimeMs : 0;
    // Monotonic. Until an image is pulled, nothing has started.
    let startedAt = runtime.abilities.pulls === "before" ? beganAt : undefined;
    let healthySince: number | undefined;
    let known = deployment;
    for (;;) {
      const found = await findContainer(runtime, options.instance, deployment);
      const before = found && withKnown(found, known, plan.path, runtime);
      if (!before || needsOtherRepair(known, before)) return;
      const { endpoint } = before;
      const { problem, container } = await checkHealth({ container: before, endpoint, plan }, context);
      const now = clock.monotonic();
      if (container.instances.some((instance) => instance.startedAt !== undefined)) startedAt ??= now;
      healthySince = problem ? undefined : (healthySince ?? now);
      if (healthySince !== undefined && now - healthySince >= settleTimeMs) {
        const { startTimeoutMs } = options;
        context.health.record(true, now, nextCheckMs(container, plan, { now: clock.now(), startTimeoutMs }));
        await moveTo(context, known, "HEALTHY", { endpoint, containerId: container.id, ...recordedInstances(container) });
        return;
      }
      const unstarted = startedAt === undefined ? container : undefined;
      if (problem && isOver(problem, { beganAt, startedAt, now }, context)) {
        await giveUp(known, problem, unstarted, context);
        return;
      }
      if (problem && now - beganAt >= sayWhyAfterMs) known = await sayWhy(known, problem, unstarted, context);
      // Soon after the start most apps become healthy. So a look is late by at most a third of what the start took.
      const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, (clock.monotonic() - beganAt) / 3));
      await clock.sleep(pauseMs, context.signal);
    }
  },
};

/** Returns whether the container was stopped or scaled, or an instance of it has ended. */
function needsOtherRepair(deployment: Deployment, container: ContainerView): boolean {
  return container.status !== "running" || container.wanted === 0 || newRestarts(deployment, container) !== undefined;
}

/** Why the engine does not start the app is a fault of the infrastructure as soon as the engine says it. */
async function sayWhy(
  deployment: Deployment,
  { code, message }: InstanceProblem,
  unstarted: ContainerView | undefined,
  context: RepairContext,
): Promise<Deployment> {
  const text = `the app ${unstarted ? "has not started" : "is not healthy"} yet: ${message}`;
  const isReported = unstarted !== undefined && reportedProblem(unstarted) !== undefined;
  return await explain(context, deployment, { code, message: text }, isReported ? "engine" : undefined);
}

/** The start timeout begins with the start of an instance. Until then, its image may be pulled. */
function isOver(
  { isFinal }: InstanceProblem,
  { beganAt, startedAt, now }: { readonly beganAt: number; readonly startedAt: number | undefined; readonly now: number },
  { options }: RepairContext,
): boolean {
  if (isFinal) return true;
  return startedAt === undefined ? now >= beganAt + options.pullTimeoutMs : now >= startedAt + options.startTimeoutMs;
}

/** `unstarted`: the container, if no instance of it has started. Then the app is not the cause. */
async function giveUp(
  deployment: Deployment,
  { code, message, isFinal }: InstanceProblem,
  unstarted: ContainerView | undefined,
  context: RepairContext,
): Promise<void> {
  if (isFinal) await failPermanently(context, deployment, { code, message });
  else if (unstarted) {
    const reported = reportedProblem(unstarted);
    const text = `the engine did not start the app within ${context.options.pullTimeoutMs / 1_000} s`;
    const error = new ContainerError("other", reported ? `${text}: ${reported.message}` : text);
    await settleFailure(context, deployment, error);
  } else {
    const seconds = context.options.startTimeoutMs / 1_000;
    const late = `the app was not healthy within ${seconds} s of its start: ${message}`;
    await tryAgain(context, deployment, "RESTARTING", { code, message: late });
  }
}
