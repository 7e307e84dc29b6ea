import { moveTo, type Repair } from "../workbench.ts";

/**
 * The container does not exist (docs/interface/states.md#deployment-transitions). A deployment that was healthy has failed; a
 * fresh one follows at once and is not counted, since the app did nothing wrong. Before it was healthy, the container is
 * created again.
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
