import { hasExclusiveStorage } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { declaredReplicas } from "../declared-replicas.ts";
import { hasContainer } from "./has-container.ts";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** Checks the number of instances (docs/interface/manifest.md#replicas). */
export function checkReplicas(manifest: AppManifest, violations: Violations): void {
  const { replicas } = manifest;
  const { most } = manifestLimits.replicas;
  const { min = 1, max = min, cpuPercent } = replicas ?? {};
  const isRange =
    violations.check(min >= 1 && min <= most, "replicas.min", () => `must be between 1 and ${most}, got ${min}`) &&
    violations.check(max >= min && max <= most, "replicas.max", () => `must be between min, ${min}, and ${most}, got ${max}`);
  if (cpuPercent !== undefined && isRange) {
    const isPercent = cpuPercent >= 1 && cpuPercent <= 100;
    violations.check(isPercent, "replicas.cpu_percent", () => `must be between 1 and 100, got ${cpuPercent}`);
    violations.check(max > min, "replicas.cpu_percent", () => `needs max above min, got min ${min} and max ${max}`);
  }
  violations.check(
    !hasExclusiveStorage(manifest) || declaredReplicas(manifest).max <= 1,
    "replicas",
    "more than 1 with storage needs upgrade: SIDE_BY_SIDE, which says that several containers may use the storage at the same time",
  );
  if (replicas && !hasContainer(manifest))
    violations.warn("replicas", "has no effect: the platform runs no container for this app");
}
