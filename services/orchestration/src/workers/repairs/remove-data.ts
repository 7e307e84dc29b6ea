import type { Repair } from "../repair-context.ts";

/** Deletes the data of an app that was uninstalled with `purge_data` or deleted (docs/interface/containers.md#isolation). */
export const removeData: Repair = {
  name: "remove-data",
  applies: ({ dataRemovals }) => dataRemovals.length > 0,
  apply: async ({ dataRemovals, deployments: { current } }, context) => {
    for (const owner of dataRemovals) {
      // A request that came late must not delete what the app has stored since.
      const isLate = current?.appId === owner.appId && current.generation > owner.generation;
      if (!isLate) await context.databases?.remove(owner);
      await context.dataRemovals.done(owner);
      context.logger.info(
        { app: owner.appName, id: owner.appId },
        isLate ? "orchestration: outdated removal of data dropped" : "orchestration: data of the app removed",
      );
    }
  },
};
