import { failPermanently } from "../failure.ts";
import { isWanted, type ObservedState } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

/**
 * Gives up a deployment whose container needs a permission that the app does not have (docs/interface/containers.md#root). The next
 * repair stops the container. It is not replaced by a switch, as one that is out of date is: nothing could replace it, and it must
 * not run any longer.
 */
export const stopUnapproved: Repair = {
  name: "stop-unapproved",
  applies: (observed) => {
    const { deployment, desired } = observed;
    if (desired?.unapproved === undefined || !isWanted(observed)) return false;
    return deployment !== undefined && !["FAILED", "STOPPING", "STOPPED"].includes(deployment.state);
  },
  apply: async ({ deployment, desired }: ObservedState, context) => {
    if (!deployment || desired?.unapproved === undefined) return;
    const message = `the container does not run: it would run as root, and ${desired.name} has no approval of ${desired.unapproved}`;
    await failPermanently(context, deployment, { code: "APPROVAL_REQUIRED", message });
  },
};
