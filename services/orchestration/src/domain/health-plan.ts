import type { DesiredApp } from "./desired-app.ts";
import type { OrchestrationSettings } from "./orchestration-settings.ts";

/** How one app is watched. */
export interface HealthPlan {
  /** Absent: to be running is enough. */
  readonly path: string | undefined;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly threshold: number;
}

/** The app's own health check, the operator's defaults where it does not say (specification §2.3, §8). */
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
