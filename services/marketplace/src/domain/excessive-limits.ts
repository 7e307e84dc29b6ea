import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { ReplicaLimit } from "@appserver/contracts/settings";
import type { Problem } from "@appserver/kernel";
import { excessiveReplicas } from "./declared-replicas.ts";

/** The highest limits that an app may declare for its container. */
export interface MaxLimits {
  readonly memoryMb: number;
  readonly cpuShares: number;
  readonly pids: number;
}

/** The limits that a manifest declares. */
export type DeclaredLimits = Readonly<Partial<MaxLimits>>;

/** Each limit with its field of `resources` in the manifest and the option of its maximum. */
export const limitFields = [
  ["memoryMb", "memory_mb", "containers.max_memory_mb"],
  ["cpuShares", "cpu_shares", "containers.max_cpu_shares"],
  ["pids", "pids", "containers.max_pids"],
] as const;

export function declaredLimits({ resources }: AppManifest): DeclaredLimits {
  const { memoryMb, cpuShares, pids } = resources ?? {};
  return {
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(cpuShares === undefined ? {} : { cpuShares }),
    ...(pids === undefined ? {} : { pids }),
  };
}

/** Returns a problem for each limit above the operator's maximum (docs/interface/manifest.md#resources). */
export function excessiveLimits(name: string, version: string, declared: DeclaredLimits, most: MaxLimits): readonly Problem[] {
  return limitFields.flatMap(([key, field, option]): readonly Problem[] => {
    const value = declared[key];
    if (value === undefined || value <= most[key]) return [];
    const message = `${name} ${version} declares resources.${field} ${value}, and this platform allows at most ${most[key]}; an operator can raise ${option}`;
    return [
      {
        code: "INVALID_STATE",
        message,
        details: { app: name, version, field: `resources.${field}`, declared: value, most: most[key] },
      },
    ];
  });
}

/** Returns a problem for each demand of a manifest that the operator does not allow. */
export function excessiveDemands(
  name: string,
  version: string,
  manifest: AppManifest,
  { maxLimits, replicaLimit }: { readonly maxLimits: MaxLimits; readonly replicaLimit: ReplicaLimit },
): readonly Problem[] {
  return [
    ...excessiveLimits(name, version, declaredLimits(manifest), maxLimits),
    ...excessiveReplicas(name, version, manifest, replicaLimit),
  ];
}
