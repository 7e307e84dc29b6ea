import type { OrchestrationOptions } from "@appserver/orchestration";
import { containerOptions } from "../config/container-options.ts";
import type { DevConfig } from "../config/dev-config.ts";
import { devRegistry } from "./example-apps.ts";

/** Returns the options of the embedded orchestrator. The server runs on the host. */
export function devOrchestration(instance: string, { apps, containers }: DevConfig): OrchestrationOptions {
  return {
    ...containerOptions({ ...containers, sharedRedis: [] }, apps),
    instance,
    network: `appserver-${instance}`,
    registry: devRegistry,
    credentials: undefined,
    endpoint: "publish",
  };
}
