import { mustPause } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

const lookEveryMs = 500;

/** Waits until the current deployment is stopped, for a release that must not run at the same time. */
export const awaitPause: Repair = {
  name: "await-pause",
  applies: (observed) => {
    const { deployment, deployments } = observed;
    if (deployment?.state !== "CREATING" || !mustPause(observed)) return false;
    return deployments.current !== undefined && deployments.current.pausedAt === undefined;
  },
  apply: async (_observed, { peer, clock, deployments, writer, signal }) => {
    peer.interrupt();
    for (;;) {
      const { current } = await deployments.ofApp(writer.appName);
      if (!current || current.pausedAt !== undefined) return;
      await clock.sleep(lookEveryMs, signal);
    }
  },
};
