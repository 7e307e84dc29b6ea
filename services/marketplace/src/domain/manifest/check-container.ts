import { rootPermission } from "@appserver/contracts/authorization";
import { containerUserForm, isContainerUser, isRootUser } from "@appserver/contracts/names";
import { quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** Checks the user and the limits of the container (docs/interface/manifest.md#user, docs/interface/manifest.md#resources). */
export function checkContainer({ user, resources, requiredPermissions }: AppManifest, violations: Violations): void {
  if (
    user !== undefined &&
    violations.check(isContainerUser(user), "user", () => `must be ${containerUserForm}, got ${quote(user)}`)
  )
    violations.check(
      !isRootUser(user) || requiredPermissions.some(({ scope }) => scope === rootPermission),
      "user",
      `root, its id and its group need the permission ${rootPermission} in required_permissions`,
    );
  const { memoryMb, cpuShares, pids } = manifestLimits.resources;
  checkLimit(resources?.memoryMb, "resources.memory_mb", memoryMb, violations);
  checkLimit(resources?.cpuShares, "resources.cpu_shares", cpuShares, violations);
  checkLimit(resources?.pids, "resources.pids", pids, violations);
}

function checkLimit(
  value: number | undefined,
  field: string,
  { least, most }: { readonly least: number; readonly most: number },
  violations: Violations,
): void {
  const holds = value === undefined || (value >= least && value <= most);
  violations.check(holds, field, () => `must be between ${least} and ${most}, got ${value}`);
}
