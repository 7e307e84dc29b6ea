import { isSwitched } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

/**
 * Makes the next deployment the current one after the app has switched to its release. The previous one is drained and stopped
 * (docs/interface/states.md#switch). No container is restarted.
 */
export const promoteNext: Repair = {
  name: "promote-next",
  applies: (observed) => isSwitched(observed) && observed.deployments.retiring === undefined,
  apply: async ({ deployments: { current, next } }, context) => {
    if (!next) return;
    await context.deployments.promote(context.writer, next, current, new Date(context.clock.now()));
    context.health.reset();
    context.metrics.switches.bind({ app: next.appName }).add();
    context.logger.info(
      { app: next.appName, deployment: next.id, generation: next.generation, replaced: current?.id },
      "orchestration: deployment took over",
    );
  },
};
