import { drained } from "../drain.ts";
import { mustPause } from "../observed-state.ts";
import { amend, type Repair } from "../repair-context.ts";

/**
 * Stops the container of the current deployment for a release that must not run at the same time
 * (docs/interface/states.md#switch). Its state does not change, and the container is kept until the release has taken over. The
 * deployment is marked first, and the app is read again before the stop. So either the marketplace sees the mark when it ends the
 * switch, and lets requests wait until the mark is removed, or the end of the switch is seen here, and nothing stops.
 */
export const pauseCurrent: Repair = {
  name: "pause-current",
  applies: (observed) =>
    mustPause(observed) &&
    observed.deployment !== undefined &&
    (observed.deployment.pausedAt === undefined || observed.container?.status === "running"),
  apply: async ({ deployment, deployments: { next }, container }, context) => {
    if (!deployment || !next) return;
    const { appId, appName } = deployment;
    if (deployment.pausedAt === undefined) {
      await amend(context, deployment, { pausedAt: new Date(context.clock.now()) });
      return;
    }
    if (container?.status !== "running") return;
    await drained(context, { appId, generation: next.generation, since: next.updatedAt });
    await context.runtime.stop(container.name, context.options.stopTimeoutMs);
    context.metrics.containerStops.bind({ app: appName }).add();
    context.logger.info({ app: appName, deployment: deployment.id }, "orchestration: deployment paused for its successor");
  },
};
