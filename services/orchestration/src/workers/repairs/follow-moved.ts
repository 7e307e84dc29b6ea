import type { ContainerView } from "../../ports.ts";
import { hasSeveral } from "../known-instances.ts";
import { moveTo, type Repair, type RepairContext } from "../repair-context.ts";

/** Another program restarted the container and its endpoint changed. Waits for its health again, at the new endpoint. */
export const followMoved: Repair = {
  name: "follow-moved",
  applies: ({ deployment, container }, context) =>
    deployment?.state === "HEALTHY" &&
    container?.status === "running" &&
    container.endpoint !== undefined &&
    container.endpoint !== deployment.endpoint &&
    !isAmongInstances(container, context),
  apply: async ({ deployment }, context) => {
    if (deployment) await moveTo(context, deployment, "STARTING");
  },
};

/** Returns whether the endpoint of the container is the address of one of its instances, each of which is checked. */
export function isAmongInstances(container: ContainerView, { runtime }: Pick<RepairContext, "runtime">): boolean {
  return hasSeveral(container) && runtime.abilities.health === "orchestrator";
}
