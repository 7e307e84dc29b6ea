import type { KeyObject } from "node:crypto";
import type { AppKey } from "../../ports.ts";

/**
 * Returns the keys that sign for an app at this time (epoch ms): that of its certificate, and those of its running deployments
 * (docs/interface/signatures.md#keys).
 */
export function validKeys(
  { key, validFrom = 0, validTo = forever, workloadKeys = [] }: AppKey,
  now: number,
): readonly KeyObject[] {
  const own = now >= validFrom && now <= validTo ? [key] : [];
  return [...own, ...workloadKeys.filter((workload) => now <= workload.validTo).map((workload) => workload.key)];
}

const forever = Number.POSITIVE_INFINITY;
