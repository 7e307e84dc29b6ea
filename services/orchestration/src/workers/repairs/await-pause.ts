import { isPaused, mustPause } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

const lookEveryMs = 500;

/** Waits until the current deployment is stopped, for a release that must not run at the same time. */
export const awaitPause: Repair = {
  name: "await-pause",
  applies: (observed) => observed.deployment?.state === "CREATING" && mustPause(observed) && observed.isPredecessorUp,
  apply: async (_observed, context) => {
    const { peer, clock, deployments, writer, signal } = context;
    peer.interrupt();
    for (;;) {
      const { current } = await deployments.ofApp(writer.appName);
      if (!current || (await isPaused(current, context))) return;
      await clock.sleep(lookEveryMs, signal);
    }
  },
};
