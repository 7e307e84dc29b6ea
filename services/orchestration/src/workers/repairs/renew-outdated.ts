import { isWanted, type ObservedState } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";
import { begin } from "./begin-deployment.ts";

/**
 * Begins a new deployment of an app that failed permanently and whose configuration has changed since, because a missing setting may have been
 * the reason, or whose missing approval was given.
 */
export const renewOutdated: Repair = {
  name: "renew-outdated",
  applies: (observed) => {
    const { deployment, comparison } = observed;
    return deployment?.state === "FAILED" && deployment.final && (comparison?.kind === "different" || isApprovedNow(observed));
  },
  apply: begin,
};

function isApprovedNow(observed: ObservedState): boolean {
  const { deployment, desired } = observed;
  return deployment?.lastError?.code === "APPROVAL_REQUIRED" && desired?.unapproved === undefined && isWanted(observed);
}
