import { pick } from "@appserver/options";
import { containersSection, serverSection } from "@appserver/options/sections";

/** The options of listeners that a platform in one process has. */
export const serverSectionOfOneMachine = pick(
  serverSection,
  "grpcPort",
  "http2Enabled",
  "plainPath",
  "headerTimeoutMs",
  "readTimeoutMs",
  "writeTimeoutMs",
  "idleTimeoutMs",
  "shutdownTimeoutMs",
  "drainDelayMs",
  "maxHeaderBytes",
  "maxBodyBytes",
  "maxBufferedBytes",
  "maxConcurrentStreams",
  "maxConnectionAgeMs",
);

/** The options of containers that a platform in one process has. */
export const containerSectionOfOneMachine = {
  ...containersSection,
  options: {
    // The embedded server has 100 connections for all apps.
    databaseConnectionLimit: { ...containersSection.options.databaseConnectionLimit, default: "5" },
    ...pick(
      containersSection,
      "networkPool",
      "defaultImageStage",
      "cpuShares",
      "memoryMb",
      "pids",
      "maxCpuShares",
      "maxMemoryMb",
      "maxPids",
      "maxReplicas",
      "pullTimeoutMs",
      "imageCleanupIntervalMs",
      "startTimeoutMs",
      "stopTimeoutMs",
      "healthCheckIntervalMs",
      "healthCheckTimeoutMs",
      "healthCheckRetries",
      "maxRestarts",
      "reconcileTimeoutMs",
      "databaseSizeLimitBytes",
      "databaseSizeIntervalMs",
      "databaseStatementTimeoutMs",
      "databaseIdleTransactionTimeoutMs",
      "storageUsageIntervalMs",
    ).options,
  },
} as const;
