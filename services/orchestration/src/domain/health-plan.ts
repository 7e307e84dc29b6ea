import type { HealthPlan } from "@appserver/contracts/deployments";
import type { DesiredApp } from "./desired-app.ts";
import type { OrchestrationOptions } from "./orchestration-options.ts";

export function isSamePlan(left: HealthPlan, right: HealthPlan): boolean {
  const valuesOf = ({ path, intervalMs, timeoutMs, threshold }: HealthPlan) => [path, intervalMs, timeoutMs, threshold];
  const others = valuesOf(right);
  return valuesOf(left).every((value, index) => value === others[index]);
}

/** Returns the app's health check, with the operator's defaults for absent values (docs/interface/containers.md#health). */
export function healthPlan(
  { healthCheck }: Pick<DesiredApp, "healthCheck">,
  options: Pick<OrchestrationOptions, "healthCheckIntervalMs" | "healthCheckTimeoutMs" | "healthCheckRetries">,
): HealthPlan {
  return {
    path: healthCheck?.path || undefined,
    intervalMs: (healthCheck?.intervalSeconds ?? 0) * 1_000 || options.healthCheckIntervalMs,
    timeoutMs: healthCheck?.timeoutMs || options.healthCheckTimeoutMs,
    threshold: healthCheck?.unhealthyThreshold || options.healthCheckRetries,
  };
}
