import { healthPlan } from "../../domain/health-plan.ts";
import { tryAgain } from "../failure.ts";
import { findContainer } from "../observed-state.ts";
import { explain, moveTo, type Repair } from "../repair-context.ts";

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
    const { path, timeoutMs } = healthPlan(desired, options);
    const startedAt = clock.monotonic();
    const deadline = startedAt + options.startTimeoutMs;
    const settleTimeMs = deployment.role === "next" ? options.settleTimeMs : 0;
    let healthySince: number | undefined;
    let known = deployment;
    for (;;) {
      const container = await findContainer(runtime, options.instance, deployment);
      if (container?.status !== "running") return;
      const { endpoint } = container;
      const problem = endpoint ? path && (await context.probe.problem(endpoint, path, timeoutMs)) : "it has no address yet";
      const isHealthy = endpoint !== undefined && !problem;
      healthySince = isHealthy ? (healthySince ?? clock.monotonic()) : undefined;
      if (healthySince !== undefined && clock.monotonic() - healthySince >= settleTimeMs) {
        context.health.record(true, clock.monotonic(), healthPlan(desired, options).intervalMs);
        await moveTo(context, known, "HEALTHY", { endpoint, containerId: container.id });
        return;
      }
      if (!isHealthy && clock.monotonic() >= deadline) {
        const message = `the app was not healthy within ${options.startTimeoutMs / 1_000} s of its start: ${problem}`;
        await tryAgain(context, known, "RESTARTING", { code: "UPSTREAM_ERROR", message });
        return;
      }
      if (!isHealthy && clock.monotonic() - startedAt >= sayWhyAfterMs)
        known = await explain(context, known, { code: "UPSTREAM_ERROR", message: `the app is not healthy yet: ${problem}` });
      // Soon after the start most apps become healthy. So a look is late by at most a third of what the start took.
      const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, (clock.monotonic() - startedAt) / 3));
      await clock.sleep(pauseMs, context.signal);
    }
  },
};
