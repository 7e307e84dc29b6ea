import { isReady } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

/**
 * Removes the container of a deployment that is to be restarted and is out of date, so that another one is created. A difference that
 * is recorded already is the server's: it replaces the deployment by a switch, or has tried to and returned to this container.
 */
export const recreateOutdated: Repair = {
  name: "recreate-outdated",
  applies: (observed) =>
    observed.container !== undefined &&
    observed.comparison?.kind === "different" &&
    observed.comparison.digest !== observed.deployment?.wantedConfiguration &&
    isReady(observed, "RESTARTING"),
  apply: async ({ container }, { runtime, options }) => {
    if (!container) return;
    await runtime.stop(container.name, options.stopTimeoutMs);
    await runtime.remove(container.name);
  },
};
