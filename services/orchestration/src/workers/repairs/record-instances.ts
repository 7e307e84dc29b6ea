import type { ObservedState } from "../observed-state.ts";
import { areRecorded } from "../recorded-instances.ts";
import type { Repair, RepairContext } from "../repair-context.ts";
import { storeInstances } from "../store-instances.ts";
import { isAmongInstances } from "./follow-moved.ts";

/** Stores which instances the container of an app that serves has, after they changed. With an event if requests go to other ones. */
export const recordInstances: Repair = {
  name: "record-instances",
  applies: (observed, context) => {
    const { deployment, container } = observed;
    return (
      (deployment?.state === "HEALTHY" || deployment?.state === "UNHEALTHY") &&
      container?.status === "running" &&
      (!areRecorded(deployment, container) || hasMoved(observed, context))
    );
  },
  apply: async (observed, context) => {
    const { deployment, container } = observed;
    if (!deployment || !container) return;
    const endpoint = hasMoved(observed, context) ? container.endpoint : deployment.endpoint;
    await storeInstances(context, deployment, container, endpoint);
  },
};

/** The endpoint is that of an instance: another one after the first has ended. */
function hasMoved({ deployment, container }: ObservedState, context: RepairContext): boolean {
  if (!container || !isAmongInstances(container, context)) return false;
  return container.endpoint !== undefined && container.endpoint !== deployment?.endpoint;
}
