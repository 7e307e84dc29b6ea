import { moveTo, type Repair } from "../repair-context.ts";

/**
 * Starts the current deployment again after the release that it was stopped for failed permanently. The restart is not counted,
 * because the app did not cause it. If its container was not stopped yet, it only keeps running.
 */
export const resumePaused: Repair = {
  name: "resume-paused",
  applies: ({ deployment }) => deployment?.pausedAt !== undefined,
  apply: async ({ deployment, container }, context) => {
    if (!deployment) return;
    const didRun = ["STARTING", "HEALTHY", "UNHEALTHY"].includes(deployment.state);
    if (didRun && container?.status !== "running") {
      await moveTo(context, deployment, "RESTARTING", { pausedAt: undefined });
      return;
    }
    // With an event, because requests wait for it.
    const resumed = { ...deployment, pausedAt: undefined, updatedAt: new Date(context.clock.now()) };
    await context.deployments.transition(context.writer, deployment, resumed);
  },
};
