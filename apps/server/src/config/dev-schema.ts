import { defineSchema, pick, type Schema } from "@appserver/options";
import {
  activitySection,
  appsSection,
  assetsSection,
  authSection,
  cacheSection,
  containersSection,
  databaseSection,
  devSection,
  dockerSection,
  graphqlSection,
  hooksSection,
  metricsSection,
  permissionsSection,
  poolIssues,
  proxySection,
  queuePrefixIssues,
  rabbitmqSection,
  serverSection,
  telemetrySection,
} from "@appserver/options/sections";

/**
 * The options that `appserver dev` reads. It listens on 127.0.0.1 and embeds its dependencies, so their addresses and
 * credentials are not among them.
 */
export const devSections = {
  server: pick(
    serverSection,
    "httpPort",
    "grpcPort",
    "http2Enabled",
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
  ),
  graphql: pick(graphqlSection, "maxBodyBytes"),
  database: pick(databaseSection, "maxOpenConnections", "maxIdleConnections", "connectionLifetimeMs", "statementTimeoutMs"),
  cache: pick(cacheSection, "ttlMs", "maxSizeBytes"),
  rabbitmq: pick(rabbitmqSection, "maxRetries", "prefetchCount", "serverQueuePrefix", "orchestratorQueuePrefix"),
  auth: pick(authSection, "sessionCacheTtlMs"),
  apps: {
    ...appsSection,
    options: { ...appsSection.options, settleTimeMs: { ...appsSection.options.settleTimeMs, default: "3s" } },
  },
  assets: pick(assetsSection, "unversionedCache"),
  proxy: proxySection,
  hooks: hooksSection,
  activity: activitySection,
  permissions: permissionsSection,
  telemetry: pick(telemetrySection, "logLevel"),
  metrics: metricsSection,
  containers: {
    ...containersSection,
    options: {
      isolation: containersSection.options.isolation,
      // The embedded server has 100 connections for the platform and all apps.
      databaseConnectionLimit: { ...containersSection.options.databaseConnectionLimit, default: "5" },
      databaseStatementTimeoutMs: containersSection.options.databaseStatementTimeoutMs,
      storageUsageIntervalMs: containersSection.options.storageUsageIntervalMs,
    },
  },
  docker: pick(
    dockerSection,
    "socketPath",
    "networkPool",
    "defaultImageStage",
    "defaultCpuShares",
    "defaultMemoryMb",
    "pidsLimit",
    "maxCpuShares",
    "maxMemoryMb",
    "maxPids",
    "pullTimeoutMs",
    "imageCleanupIntervalMs",
    "startTimeoutMs",
    "stopTimeoutMs",
    "healthCheckIntervalMs",
    "healthCheckTimeoutMs",
    "healthCheckRetries",
    "maxRestarts",
    "reconcileTimeoutMs",
  ),
  dev: devSection,
} as const;

export const devSchema: Schema<typeof devSections> = defineSchema({
  process: "dev",
  sections: devSections,
  rules: (found) => [...poolIssues(found.database), ...queuePrefixIssues(found.rabbitmq)],
});
