import type { PeriodicTask } from "@appserver/kernel";
import type { OrchestrationContext } from "./repair-context.ts";

/** Maximum time until a server that has started reaches the apps. */
const intervalMs = 2_000;

/** Connects servers that run in containers to the networks of apps (docs/interface/containers.md#network). */
export function gatewayLinks({ runtime, engine, options, logger }: OrchestrationContext): readonly PeriodicTask[] {
  const connect = async (): Promise<void> => {
    try {
      const connected = await runtime.networks?.connectGateways(options.instance);
      if (connected) logger.info({ connected }, "orchestration: gateways connected to the networks of apps");
    } catch (error) {
      // The reconcilers report it.
      if (!engine.note(error)) throw error;
    }
  };
  const isUsed = runtime.networks !== undefined && options.networkPool !== undefined;
  return isUsed ? [{ name: "gateway links", intervalMs, run: connect }] : [];
}
