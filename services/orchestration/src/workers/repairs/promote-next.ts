import { isSwitched } from "../observed-state.ts";
import type { Repair } from "../repair-context.ts";

/**
 * The app has switched to the release of the next deployment: it becomes the current one, and the one before is drained and
 * stopped (docs/interface/states.md#switch). No container is restarted.
 */
export const promoteNext: Repair = {
  name: "promote-next",
  applies: (observed) => isSwitched(observed) && observed.deployments.retiring === undefined,
  apply: async ({ deployments: { current, next } }, context) => {
    if (!next) return;
    await context.deployments.promote(context.writer, next, current, new Date(context.clock.now()));
    context.health.reset();
    context.metrics.switched(next.appName);
    context.logger.info(
      { app: next.appName, deployment: next.id, generation: next.generation, replaced: current?.id },
      "orchestration: deployment took over",
    );
  },
};
