import type { DesiredApp, DesiredRelease } from "../src/domain/desired-app.ts";
import type { OrchestrationOptions } from "../src/domain/orchestration-options.ts";

export const options: OrchestrationOptions = {
  instance: "test",
  network: "net",
  networkPool: undefined,
  registry: "registry.test",
  credentials: undefined,
  defaultImageStage: "latest",
  endpoint: "network",
  sharedRedis: [],
  databaseSizeIntervalMs: 10_000,
  storageUsageIntervalMs: 900_000,
  snapshotsKept: 5,
  cpuShares: 1024,
  memoryMb: 512,
  pidsLimit: 256,
  maxReplicas: 10,
  maxLimits: { memoryMb: 4_096, cpuShares: 4_096, pids: 1_024 },
  pullTimeoutMs: 600_000,
  imageCleanupIntervalMs: 3_600_000,
  startTimeoutMs: 120_000,
  stopTimeoutMs: 10_000,
  reconcileTimeoutMs: 120_000,
  healthCheckIntervalMs: 30_000,
  healthCheckTimeoutMs: 5_000,
  healthCheckRetries: 3,
  maxRestarts: 3,
  settleTimeMs: 0,
  drainTimeoutMs: 30_000,
};

export const platform = { APPSERVER_DB_HOST: "db", APPSERVER_GRAPHQL_HTTP: "http://platform/graphql" };

export function desiredApp(changes: Partial<DesiredApp> = {}): DesiredApp {
  return {
    id: "0193b8f0-0000-7000-8000-000000000001",
    name: "com.example.notes",
    enabled: true,
    version: "1.0.0",
    manifestDigest: "digest-1",
    imageDigest: undefined,
    imageOwner: changes.name ?? "com.example.notes",
    generation: 1,
    needsContainer: true,
    upstreamPort: 3000,
    healthCheck: { path: "/healthz", intervalSeconds: 30, timeoutMs: 5_000, unhealthyThreshold: 3 },
    dependencies: [],
    storage: [],
    environment: {},
    settingVariables: [],
    limits: {},
    replicas: { min: 1, max: 1 },
    next: undefined,
    ...changes,
  };
}

/** The release that follows {@link desiredApp}. */
export function desiredRelease(changes: Partial<DesiredRelease> = {}): DesiredRelease {
  const { id: _id, name: _name, enabled: _enabled, next: _next, ...release } = desiredApp();
  return {
    ...release,
    version: "2.0.0",
    manifestDigest: "digest-2",
    generation: 2,
    operationId: "0193b8f0-0000-7000-8000-0000000000a1",
    strategy: "side_by_side",
    ...changes,
  };
}
