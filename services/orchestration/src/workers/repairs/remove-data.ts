import type { Repair } from "../repair-context.ts";

/** Deletes the data of an app that was uninstalled with `purge_data` or deleted (docs/interface/containers.md#isolation). */
export const removeData: Repair = {
  name: "remove-data",
  applies: ({ dataRemovals }) => dataRemovals.length > 0,
  apply: async ({ dataRemovals }, context) => {
    for (const owner of dataRemovals) {
      await context.databases?.remove(owner);
      await context.dataRemovals.done(owner);
      context.logger.info({ app: owner.appName, id: owner.appId }, "orchestration: data of the app removed");
    }
  },
};
