import { amend, moveTo, type Repair } from "../repair-context.ts";

/**
 * Starts the current deployment again after the release that it was stopped for was given up. The restart is not counted,
 * because the app did not cause it.
 */
export const resumePaused: Repair = {
  name: "resume-paused",
  applies: ({ deployment }) => deployment?.pausedAt !== undefined,
  apply: async ({ deployment }, context) => {
    if (!deployment) return;
    const didRun = ["STARTING", "HEALTHY", "UNHEALTHY"].includes(deployment.state);
    if (didRun) await moveTo(context, deployment, "RESTARTING", { pausedAt: undefined });
    else await amend(context, deployment, { pausedAt: undefined });
  },
};
