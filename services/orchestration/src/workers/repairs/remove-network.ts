import type { Repair } from "../repair-context.ts";

/** Removes the networks of an app that was uninstalled, as soon as nothing of it runs (docs/interface/containers.md#network). */
export const removeNetwork: Repair = {
  name: "remove-network",
  applies: ({ unusedNetworks }) => unusedNetworks.length > 0,
  apply: async ({ appName, unusedNetworks }, { runtime, logger }) => {
    for (const network of unusedNetworks) {
      await runtime.networks?.remove(network);
      logger.info({ app: appName, network: network.name }, "orchestration: network of the app removed");
    }
  },
};
