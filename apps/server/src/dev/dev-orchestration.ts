import type { OrchestrationOptions } from "@appserver/orchestration";
import { readOrchestratorConfig } from "@appserver/orchestrator/config";
import type { DevConfig } from "../config/dev-config.ts";
import { devRegistry } from "./example-apps.ts";

/** Returns the defaults of `appserver orchestrate`, changed for `appserver dev`, where the server runs on the host. */
export function devOrchestration(instance: string, containers: DevConfig["containers"]): OrchestrationOptions {
  return {
    ...readOrchestratorConfig({}).options,
    instance,
    network: `appserver-${instance}`,
    registry: devRegistry,
    endpoint: "publish",
    upstreams: containers === "docker" ? "network" : "endpoint",
  };
}
