import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { defaultReplicas, type ReplicaLimit } from "@appserver/contracts/settings";
import type { Problem } from "@appserver/kernel";
import { hasContainer } from "./manifest/has-container.ts";

/** How many instances of an app run. The number is `min` unless the container engine changes it by itself. */
export interface ReplicaRange {
  readonly min: number;
  readonly max: number;
  readonly cpuPercent: number | undefined;
}

/** Returns the number of instances that a manifest declares (docs/interface/manifest.md#replicas). */
export function declaredReplicas({ replicas, settings }: Pick<AppManifest, "replicas" | "settings">): ReplicaRange {
  const fixed = defaultReplicas(settings?.definitions ?? []);
  if (fixed !== undefined) return fixedReplicas(fixed);
  const min = replicas?.min ?? 1;
  return { min, max: replicas?.max ?? min, cpuPercent: replicas?.cpuPercent };
}

export function fixedReplicas(count: number): ReplicaRange {
  return { min: count, max: count, cpuPercent: undefined };
}

/** Returns the problem if a manifest declares more instances than the platform runs. */
export function excessiveReplicas(
  name: string,
  version: string,
  manifest: AppManifest,
  limit: ReplicaLimit,
): readonly Problem[] {
  const { max } = declaredReplicas(manifest);
  const { most, because } = limit;
  if (max <= most || !hasContainer(manifest)) return [];
  const message = `${name} ${version} declares ${max} replicas, and this platform allows at most ${most}; ${because}`;
  return [{ code: "INVALID_STATE", message, details: { app: name, version, field: "replicas", declared: max, most } }];
}
