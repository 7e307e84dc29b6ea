import { containerName, storageBytes, storageVariable } from "@appserver/contracts/names";
import { uuidv7 } from "@appserver/kernel";
import { type Deployment, imageOf } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import type { OrchestrationOptions } from "../domain/orchestration-options.ts";
import { type ContainerSpec, containerLabels } from "../ports.ts";
import type { ContainerConfiguration } from "./container-configuration.ts";

/**
 * Returns the container of a deployment. It runs by digest and its labels name its owner (docs/interface/containers.md#labels).
 */
export function containerSpec(
  deployment: Deployment,
  { upstreamPort, storage, sharesStorage = false }: Pick<DesiredApp, "upstreamPort" | "storage" | "sharesStorage">,
  environment: Readonly<Record<string, string>>,
  network: string,
  configuration: ContainerConfiguration,
  options: OrchestrationOptions,
): ContainerSpec {
  const name = deployment.containerName;
  // Its endpoint contains this name, so the name has to lead to it after the container is renamed.
  const aliases = name === containerName(deployment.appName) ? [] : [name];
  return {
    name,
    aliases,
    image: imageOf(deployment),
    environment,
    labels: {
      ...deploymentLabels(deployment, options.instance),
      [containerLabels.attempt]: uuidv7(),
      [containerLabels.configuration]: configuration.digest,
    },
    network,
    port: upstreamPort,
    endpoint: options.endpoint,
    memoryMb: configuration.limits.memoryMb,
    cpuShares: configuration.limits.cpuShares,
    pidsLimit: configuration.limits.pids,
    user: configuration.user,
    readOnlyRoot: true,
    replicas: configuration.replicas,
    supervision: configuration.supervision,
    storage: storage.map(({ name, mountPath, size }) => ({
      name,
      mountPath,
      variable: storageVariable(name),
      sizeBytes: storageBytes(size),
      isShared: sharesStorage,
    })),
  };
}

function deploymentLabels(
  deployment: Pick<Deployment, "id" | "appId" | "generation">,
  instance: string,
): Readonly<Record<string, string>> {
  return {
    [containerLabels.instance]: instance,
    [containerLabels.appId]: deployment.appId,
    [containerLabels.deploymentId]: deployment.id,
    [containerLabels.generation]: String(deployment.generation),
  };
}
