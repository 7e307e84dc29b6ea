import type { MarketplacePolicy } from "@appserver/marketplace";
import type { SectionValues } from "@appserver/options";
import type { appsSection, containersSection } from "@appserver/options/sections";
import type { OrchestrationOptions } from "@appserver/orchestration";

/** The options that concern each container, in every process that runs containers. */
type ContainerValues = Omit<
  SectionValues<typeof containersSection>,
  | "driver"
  | "networkName"
  | "registryUrl"
  | "registryUsername"
  | "registryPassword"
  | "endpoint"
  | "databaseAdminUrl"
  | "databaseSharedServer"
  | "databaseConnectionLimit"
  | "databaseSizeLimitBytes"
  | "databaseStatementTimeoutMs"
  | "databaseIdleTransactionTimeoutMs"
>;

type SwitchValues = Pick<SectionValues<typeof appsSection>, "settleTimeMs" | "drainTimeoutMs" | "keepSnapshots">;

type ContainerOptions = Omit<OrchestrationOptions, "instance" | "network" | "registry" | "credentials" | "endpoint">;

type LimitValues = Pick<ContainerValues, "cpuShares" | "memoryMb" | "pids" | "maxCpuShares" | "maxMemoryMb" | "maxPids">;

/** Returns the highest limits that an app may declare: never less than what an app gets that declares none. */
export function highestLimits(containers: LimitValues): MarketplacePolicy["maxLimits"] {
  return {
    cpuShares: Math.max(containers.maxCpuShares, containers.cpuShares),
    memoryMb: Math.max(containers.maxMemoryMb, containers.memoryMb),
    pids: Math.max(containers.maxPids, containers.pids),
  };
}

export function containerOptions(containers: ContainerValues, apps: SwitchValues): ContainerOptions {
  return {
    networkPool: containers.isolation === "app" ? containers.networkPool : undefined,
    sharedRedis: containers.sharedRedis,
    databaseSizeIntervalMs: containers.databaseSizeIntervalMs,
    storageUsageIntervalMs: containers.storageUsageIntervalMs,
    snapshotsKept: apps.keepSnapshots,
    settleTimeMs: apps.settleTimeMs,
    drainTimeoutMs: apps.drainTimeoutMs,
    defaultImageStage: containers.defaultImageStage,
    cpuShares: containers.cpuShares,
    memoryMb: containers.memoryMb,
    pidsLimit: containers.pids,
    maxLimits: highestLimits(containers),
    maxReplicas: containers.maxReplicas,
    pullTimeoutMs: containers.pullTimeoutMs,
    imageCleanupIntervalMs: containers.imageCleanupIntervalMs,
    startTimeoutMs: containers.startTimeoutMs,
    stopTimeoutMs: containers.stopTimeoutMs,
    reconcileTimeoutMs: containers.reconcileTimeoutMs,
    healthCheckIntervalMs: containers.healthCheckIntervalMs,
    healthCheckTimeoutMs: containers.healthCheckTimeoutMs,
    healthCheckRetries: containers.healthCheckRetries,
    maxRestarts: containers.maxRestarts,
  };
}
