import type { MarketplacePolicy } from "@appserver/marketplace";
import type { SectionValues } from "@appserver/options";
import type { appsSection, containersSection, dockerSection } from "@appserver/options/sections";
import type { OrchestrationOptions } from "@appserver/orchestration";

/** The options of the section `docker` that concern each container, in every process that runs containers. */
type ContainerValues = Omit<
  SectionValues<typeof dockerSection>,
  "enabled" | "socketPath" | "networkName" | "registryUrl" | "registryUsername" | "registryPassword"
>;

type AccessValues = Pick<
  SectionValues<typeof containersSection>,
  "isolation" | "sharedRedis" | "databaseSizeIntervalMs" | "storageUsageIntervalMs"
>;

type SwitchValues = Pick<SectionValues<typeof appsSection>, "settleTimeMs" | "drainTimeoutMs">;

type ContainerOptions = Omit<OrchestrationOptions, "instance" | "network" | "registry" | "credentials" | "endpoint">;

type LimitValues = Pick<
  ContainerValues,
  "defaultCpuShares" | "defaultMemoryMb" | "pidsLimit" | "maxCpuShares" | "maxMemoryMb" | "maxPids"
>;

/** Returns the highest limits that an app may declare: never less than what an app gets that declares none. */
export function highestLimits(docker: LimitValues): MarketplacePolicy["maxLimits"] {
  return {
    cpuShares: Math.max(docker.maxCpuShares, docker.defaultCpuShares),
    memoryMb: Math.max(docker.maxMemoryMb, docker.defaultMemoryMb),
    pids: Math.max(docker.maxPids, docker.pidsLimit),
  };
}

export function containerOptions(docker: ContainerValues, apps: SwitchValues, containers: AccessValues): ContainerOptions {
  const { isolation, sharedRedis, databaseSizeIntervalMs, storageUsageIntervalMs } = containers;
  return {
    networkPool: isolation === "app" ? docker.networkPool : undefined,
    sharedRedis,
    databaseSizeIntervalMs,
    storageUsageIntervalMs,
    settleTimeMs: apps.settleTimeMs,
    drainTimeoutMs: apps.drainTimeoutMs,
    defaultImageStage: docker.defaultImageStage,
    cpuShares: docker.defaultCpuShares,
    memoryMb: docker.defaultMemoryMb,
    pidsLimit: docker.pidsLimit,
    maxLimits: highestLimits(docker),
    pullTimeoutMs: docker.pullTimeoutMs,
    imageCleanupIntervalMs: docker.imageCleanupIntervalMs,
    startTimeoutMs: docker.startTimeoutMs,
    stopTimeoutMs: docker.stopTimeoutMs,
    reconcileTimeoutMs: docker.reconcileTimeoutMs,
    healthCheckIntervalMs: docker.healthCheckIntervalMs,
    healthCheckTimeoutMs: docker.healthCheckTimeoutMs,
    healthCheckRetries: docker.healthCheckRetries,
    maxRestarts: docker.maxRestarts,
  };
}
