import { platformPermissions } from "@appserver/contracts/authorization";
import type { Permission } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { isAppName } from "./manifest/check-identity.ts";

/** A scope that the manifest requires, and whose it is. */
export interface Requirement {
  readonly scope: string;
  /** Name of the app whose scope it is; undefined for the platform's. */
  readonly owner: string | undefined;
  readonly needsApproval: boolean;
}

/**
 * What the manifest requires. `resource_type` names the app whose scope it is (`com.example.notes`); anything else means
 * the platform's own scopes, and those always need an approval, whatever the app says of itself (ADR 0005).
 */
export function requirementsOf(manifest: AppManifest): readonly Requirement[] {
  return manifest.requiredPermissions.map((permission) => {
    const owner = ownerOf(permission);
    return { scope: permission.scope, owner, needsApproval: permission.requiresApproval || owner === undefined };
  });
}

function ownerOf(permission: Permission): string | undefined {
  const type = permission.resourceType;
  return !Object.hasOwn(platformPermissions, permission.scope) && type.includes(".") && isAppName(type) ? type : undefined;
}

/** Whose scope a permission is that an app names without saying so (routes, navigation): the platform's, else its own. */
export function scopeOwner(permission: string, appName: string): string | undefined {
  return Object.hasOwn(platformPermissions, permission) ? undefined : appName;
}
