import { containerName } from "@appserver/contracts/names";
import { type ContainerView, containerLabels } from "../../ports.ts";
import { amend, type Repair, type RepairContext } from "../repair-context.ts";

/**
 * Gives the container of the current deployment the name of its app when the previous deployment was removed. The container
 * keeps running at the same endpoint.
 */
export const renameContainer: Repair = {
  name: "rename-container",
  applies: ({ deployment, deployments, container }) =>
    container !== undefined &&
    deployment !== undefined &&
    deployments.retiring === undefined &&
    deployment.containerName !== containerName(deployment.appName),
  apply: async ({ deployment, container }, context) => {
    if (!deployment || !container) return;
    const name = containerName(deployment.appName);
    if (container.name !== name) {
      await removeLeftover(name, container, context);
      await context.runtime.rename(container.name, name);
    }
    await amend(context, deployment, { containerName: name });
    context.logger.info(
      { app: deployment.appName, from: deployment.containerName, to: name },
      "orchestration: container renamed",
    );
  },
};

/** Removes the container with this name if it belongs to the app. No deployment uses it any more. */
async function removeLeftover(name: string, { labels }: ContainerView, { runtime }: RepairContext): Promise<void> {
  const found = await runtime.inspect(name);
  const isOfSameApp = [containerLabels.instance, containerLabels.appId].every(
    (label) => found?.labels[label] === labels[label],
  );
  if (found && isOfSameApp) await runtime.remove(name);
}
