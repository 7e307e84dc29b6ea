import { failPermanently } from "../failure.ts";
import { moveTo, type Repair } from "../repair-context.ts";

/**
 * Handles a container that does not exist (docs/interface/states.md#deployment-transitions). A deployment that was healthy
 * becomes FAILED, and a new one follows at once. It is not counted, because the app did not cause it. If the deployment was not
 * healthy yet, the container is created again. A next deployment has one attempt.
 */
export const replaceVanished: Repair = {
  name: "replace-vanished",
  applies: ({ deployment, container }) =>
    container === undefined && ["STARTING", "HEALTHY", "UNHEALTHY", "RESTARTING"].includes(deployment?.state ?? ""),
  apply: async ({ deployment }, context) => {
    if (!deployment) return;
    const message = `the container ${deployment.containerName} does not exist`;
    if (deployment.role === "next") {
      await failPermanently(context, deployment, { code: "UPSTREAM_ERROR", message });
      return;
    }
    if (deployment.state === "STARTING" || deployment.state === "RESTARTING") {
      await moveTo(context, deployment, "CREATING", { notBefore: deployment.notBefore });
      return;
    }
    await moveTo(context, deployment, "FAILED", { lastError: { code: "UPSTREAM_ERROR", message } });
  },
};
