import { moveTo, type Repair } from "../repair-context.ts";

/** Another program restarted the container and its endpoint changed. Waits for its health again, at the new endpoint. */
export const followMoved: Repair = {
  name: "follow-moved",
  applies: ({ deployment, container }) =>
    deployment?.state === "HEALTHY" &&
    container?.status === "running" &&
    container.endpoint !== undefined &&
    container.endpoint !== deployment.endpoint,
  apply: async ({ deployment }, context) => {
    if (deployment) await moveTo(context, deployment, "STARTING");
  },
};
