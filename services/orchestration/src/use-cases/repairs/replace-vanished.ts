import { moveTo, type Repair } from "../workbench.ts";

/**
 * The container does not exist. Of a deployment that was healthy: it failed, and a fresh one follows (specification §3.3
 * rule 1), at once and uncounted, since the app did nothing wrong. Of one on its way: it is created again.
 */
export const replaceVanished: Repair = {
  name: "replace-vanished",
  applies: ({ deployment, container }) =>
    container === undefined && ["STARTING", "HEALTHY", "UNHEALTHY", "RESTARTING"].includes(deployment?.state ?? ""),
  apply: async ({ deployment }, bench) => {
    if (!deployment) return;
    if (deployment.state === "STARTING" || deployment.state === "RESTARTING") {
      await moveTo(bench, deployment, "CREATING", { notBefore: deployment.notBefore });
      return;
    }
    const message = `the container ${deployment.containerName} does not exist`;
    await moveTo(bench, deployment, "FAILED", { lastError: { code: "UPSTREAM_ERROR", message } });
  },
};
