import { createHash } from "node:crypto";
import { isPlatformPermission } from "@appserver/contracts/authorization";
import { isAppName } from "@appserver/contracts/names";
import { type Permission, PermissionSchema } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { toBinary } from "@bufbuild/protobuf";

/**
 * Which permissions on other apps need an approval (docs/interface/permissions.md#cross-app-approval). `always`: all.
 * `declared`: only those that the requesting app marks with `requires_approval`.
 */
export type CrossAppApproval = "always" | "declared";

/** A scope that an app needs. Its owner is another app (`owner`) or the platform. */
export interface RequiredScope {
  readonly scope: string;
  /** Name of the app that owns the scope. Undefined if the platform owns it. */
  readonly owner: string | undefined;
}

/** A scope that the manifest requires, with its owner. */
export interface Requirement extends RequiredScope {
  /** The values from the manifest, unchanged. */
  readonly resourceType: string;
  readonly reason: string;
  readonly needsApproval: boolean;
  /** SHA-256 of the manifest's Permission entry, hex. An approval is valid for this entry only. */
  readonly digest: string;
}

/** An approved scope. */
export type ApprovedScope = Pick<Requirement, "scope" | "owner" | "digest">;

/**
 * Returns the scopes that the manifest requires. `resource_type` names the app that owns the scope (`com.example.notes`). Any
 * other value means a scope of the platform. Platform scopes always need an approval, whatever the manifest declares (ADR 0005,
 * ADR 0023).
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

/** Returns the approval of exactly this requirement, if it exists. */
export function approvalOf<T extends ApprovedScope>(requirement: Requirement, approvals: readonly T[]): T | undefined {
  return approvals.find(
    ({ scope, owner, digest }) => scope === requirement.scope && owner === requirement.owner && digest === requirement.digest,
  );
}

/** Returns whether the app may hold the scope: it needs no approval, or it is approved. */
export function isApproved(requirement: Requirement, approvals: readonly ApprovedScope[]): boolean {
  return !requirement.needsApproval || approvalOf(requirement, approvals) !== undefined;
}

/** Formats a scope, for example `notes:read of com.example.notes`. */
export function describeScope({ scope, owner }: RequiredScope): string {
  return owner === undefined ? scope : `${scope} of ${owner}`;
}

function ownerOf(permission: Permission): string | undefined {
  const type = permission.resourceType;
  return !isPlatformPermission(permission.scope) && isAppName(type) ? type : undefined;
}

function digestOf(permission: Permission): string {
  return createHash("sha256")
    .update(toBinary(PermissionSchema, permission, { writeUnknownFields: false }))
    .digest("hex");
}
