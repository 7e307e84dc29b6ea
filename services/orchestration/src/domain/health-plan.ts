import type { DesiredApp } from "./desired-app.ts";
import type { OrchestrationSettings } from "./orchestration-settings.ts";

/** How the health of one app is checked. */
export interface HealthPlan {
  /** Undefined: the app counts as healthy while it runs. */
  readonly path: string | undefined;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly threshold: number;
}

/** Returns the app's health check, with the operator's defaults for absent values (docs/interface/containers.md#health). */
export function healthPlan(
  { healthCheck }: Pick<DesiredApp, "healthCheck">,
  settings: Pick<OrchestrationSettings, "healthCheckIntervalMs" | "healthCheckTimeoutMs" | "healthCheckRetries">,
): HealthPlan {
  return {
    path: healthCheck?.path || undefined,
    intervalMs: (healthCheck?.intervalSeconds ?? 0) * 1_000 || settings.healthCheckIntervalMs,
    timeoutMs: healthCheck?.timeoutMs || settings.healthCheckTimeoutMs,
    threshold: healthCheck?.unhealthyThreshold || settings.healthCheckRetries,
  };
}
