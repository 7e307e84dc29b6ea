import { isReady } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

/** Removes the container of a deployment that is to be restarted and is out of date, so that another one is created. */
export const recreateOutdated: Repair = {
  name: "recreate-outdated",
  applies: (observed) =>
    observed.container !== undefined && observed.comparison?.kind === "different" && isReady(observed, "RESTARTING"),
  apply: async ({ container }, { runtime, options }) => {
    if (!container) return;
    await runtime.stop(container.name, options.stopTimeoutMs);
    await runtime.remove(container.name);
  },
};
