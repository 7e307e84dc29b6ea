import { createHash } from "node:crypto";
import { platformPermissions } from "@appserver/contracts/authorization";
import { type Permission, PermissionSchema } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { toBinary } from "@bufbuild/protobuf";
import { isAppName } from "./manifest/check-identity.ts";

/**
 * Which permissions on other apps need an approval (docs/interface/permissions.md#cross-app-approval). `always`: all.
 * `declared`: only those that the requesting app itself marks with `requires_approval`.
 */
export type CrossAppApproval = "always" | "declared";

/** A scope that an app needs: another app's (`owner`), or the platform's. */
export interface RequiredScope {
  readonly scope: string;
  /** Name of the app whose scope it is; undefined for the platform's. */
  readonly owner: string | undefined;
}

/** A scope that the manifest requires, and whose it is. */
export interface Requirement extends RequiredScope {
  /** As the manifest has them. */
  readonly resourceType: string;
  readonly reason: string;
  readonly needsApproval: boolean;
  /** SHA-256 of the manifest's Permission entry, hex: an approval holds for this entry alone. */
  readonly digest: string;
}

/** What was approved. */
export type ApprovedScope = Pick<Requirement, "scope" | "owner" | "digest">;

/**
 * What the manifest requires. `resource_type` names the app whose scope it is (`com.example.notes`); anything else means
 * the platform's own scopes, and those always need an approval, whatever the app says of itself (ADR 0005, ADR 0023).
 */
export function requirementsOf(manifest: AppManifest, crossApp: CrossAppApproval): readonly Requirement[] {
  return manifest.requiredPermissions.map((permission) => {
    const owner = ownerOf(permission);
    const isForeign = owner === undefined || (crossApp === "always" && owner !== manifest.name);
    const { scope, resourceType, reason } = permission;
    const needsApproval = permission.requiresApproval || isForeign;
    return { scope, owner, resourceType, reason, needsApproval, digest: digestOf(permission) };
  });
}

/** The approval of exactly this requirement, if there is one. */
export function approvalOf<T extends ApprovedScope>(requirement: Requirement, approvals: readonly T[]): T | undefined {
  return approvals.find(
    ({ scope, owner, digest }) => scope === requirement.scope && owner === requirement.owner && digest === requirement.digest,
  );
}

/** Whether the app may have it: no approval is needed, or there is one. */
export function isApproved(requirement: Requirement, approvals: readonly ApprovedScope[]): boolean {
  return !requirement.needsApproval || approvalOf(requirement, approvals) !== undefined;
}

/** `notes:read of com.example.notes` */
export function describeScope({ scope, owner }: RequiredScope): string {
  return owner === undefined ? scope : `${scope} of ${owner}`;
}

function ownerOf(permission: Permission): string | undefined {
  const type = permission.resourceType;
  return !Object.hasOwn(platformPermissions, permission.scope) && isAppName(type) ? type : undefined;
}

function digestOf(permission: Permission): string {
  return createHash("sha256")
    .update(toBinary(PermissionSchema, permission, { writeUnknownFields: false }))
    .digest("hex");
}

/** Whose scope a permission is that an app names without saying so (routes, navigation): the platform's, else its own. */
export function scopeOwner(permission: string, appName: string): string | undefined {
  return Object.hasOwn(platformPermissions, permission) ? undefined : appName;
}
