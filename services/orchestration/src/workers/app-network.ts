import { appNetworkName } from "../domain/app-network.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import { type AppNetworkView, containerLabels } from "../ports.ts";
import type { OrchestrationContext } from "./repair-context.ts";

/** Creates the network of a deployment's container if it is missing, and returns its name. All generations of an app share it. */
export async function openNetwork(
  { appId: id, appName: name }: Pick<Deployment, "appId" | "appName">,
  { runtime, options }: OrchestrationContext,
): Promise<string> {
  const { instance, network, networkPool: pool } = options;
  if (pool === undefined || !runtime.networks) {
    await runtime.ensureNetwork(network);
    return network;
  }
  const labels = {
    [containerLabels.instance]: instance,
    [containerLabels.appId]: id,
    [containerLabels.appName]: name,
  };
  return (await runtime.networks.ensure({ name: appNetworkName(instance, { id, name }), labels, pool })).name;
}

/** Returns the networks of apps of this name that no installation needs. */
export async function unusedNetworks(
  appName: string,
  installed: DesiredApp | undefined,
  { runtime, options }: OrchestrationContext,
): Promise<readonly AppNetworkView[]> {
  const labels = { [containerLabels.instance]: options.instance, [containerLabels.appName]: appName };
  const networks = (await runtime.networks?.list(labels)) ?? [];
  return networks.filter((network) => !installed || network.labels[containerLabels.appId] !== installed.id);
}

/** Returns the names of the apps that have a network. */
export async function appsWithNetwork({ runtime, options }: OrchestrationContext): Promise<readonly string[]> {
  const networks = (await runtime.networks?.list({ [containerLabels.instance]: options.instance })) ?? [];
  return networks.flatMap(({ labels }) => labels[containerLabels.appName] ?? []);
}
