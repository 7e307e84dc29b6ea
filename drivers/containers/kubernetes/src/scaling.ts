import type { ContainerReplicas } from "@appserver/kernel/ports";
import { objectLabel } from "./objects.ts";

/** The most pods of one container: what an app may declare at most. */
export const maxReplicas = 100;
/** Use of the requested processor time, in percent, above which an app that names none gets another instance. */
const defaultCpuPercent = 70;

/** What a Deployment owns beyond its Service and its Secrets. */
export interface Scaling {
  readonly budget: object;
  readonly autoscaler?: object;
}

/**
 * Returns the budget that keeps all instances but one while machines are emptied. It does not block that for a single instance, which may
 * get more later. And the autoscaler, if it changes the number. While the Deployment has 0 instances, the autoscaler rests.
 */
export function scalingOf(name: string, { min, max, cpuPercent = defaultCpuPercent }: ContainerReplicas): Scaling {
  const selector = { matchLabels: { [objectLabel]: name } };
  const budget = { maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow", selector };
  if (max <= min) return { budget };
  const target = { type: "Utilization", averageUtilization: cpuPercent };
  const autoscaler = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: min,
    maxReplicas: max,
    metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
  };
  return { budget, autoscaler };
}
