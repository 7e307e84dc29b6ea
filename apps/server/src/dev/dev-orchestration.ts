import type { OrchestrationSettings } from "@appserver/orchestration";
import type { DevConfig } from "../config/dev-config.ts";
import { devRegistry } from "./example-apps.ts";

/** The specification's defaults (§8) for the orchestrator of `appserver dev`; the server runs on the host. */
export function devOrchestration(instance: string, containers: DevConfig["containers"]): OrchestrationSettings {
  return {
    instance,
    network: `appserver-${instance}`,
    registry: devRegistry,
    credentials: undefined,
    defaultImageStage: "latest",
    endpoint: "publish",
    upstreams: containers === "docker" ? "network" : "endpoint",
    cpuShares: 1024,
    memoryMb: 512,
    pidsLimit: 256,
    pullTimeoutMs: 600_000,
    startTimeoutMs: 120_000,
    stopTimeoutMs: 10_000,
    reconcileTimeoutMs: 120_000,
    healthCheckIntervalMs: 30_000,
    healthCheckTimeoutMs: 5_000,
    healthCheckRetries: 3,
    maxRestarts: 3,
  };
}
