import { isPermission } from "@appserver/contracts/authorization";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppRecord } from "../domain/app.ts";
import { declaredScopes, proxiedApi } from "../domain/proxied-api.ts";
import { isApproved, type RequiredScope, type Requirement, requirementsOf } from "../domain/required-permissions.ts";
import type { GrantedScopes } from "../ports.ts";
import { type MarketplaceContext, manifestOf } from "./context.ts";

/** Returns the permissions that the manifest requires, that need an approval by the operator's rule, and that lack it. */
export async function missingApprovals(
  context: MarketplaceContext,
  app: AppRecord,
  manifest: AppManifest,
): Promise<readonly Requirement[]> {
  const requirements = requirementsOf(manifest, context.policy.crossAppApproval);
  if (!requirements.some(({ needsApproval }) => needsApproval)) return [];
  const approvals = await context.approvals.approvals(app.id);
  return requirements.filter((requirement) => !isApproved(requirement, approvals));
}

/**
 * Returns what the app is granted: its own scopes, as its routes name them, and scopes of other owners. A manifest that an
 * earlier release stored may contain invalid permissions. No caller can hold these.
 */
function grantsOf(app: AppRecord, manifest: AppManifest, required: readonly RequiredScope[]): GrantedScopes {
  const api = manifest.webApp?.api;
  return {
    own: declaredScopes(api && proxiedApi(app.name, api)).filter(isPermission),
    required: required.filter(({ scope }) => isPermission(scope)).map(({ scope, owner }) => ({ scope, owner })),
  };
}

/**
 * Writes the permission tuples of the app's manifest: its own scopes, and of the required scopes only the approved ones.
 * Revokes what an earlier manifest was granted and this one does not request. Idempotent.
 */
export async function grantPermissions(context: MarketplaceContext, app: AppRecord, manifest: AppManifest): Promise<void> {
  const next = await approvedGrants(context, app, manifest);
  await writeGrants(context, app, await context.approvals.grants(app.id), next);
}

async function approvedGrants(context: MarketplaceContext, app: AppRecord, manifest: AppManifest): Promise<GrantedScopes> {
  const missing = new Set((await missingApprovals(context, app, manifest)).map(keyOf));
  const required = requirementsOf(manifest, context.policy.crossAppApproval).filter(
    (requirement) => !missing.has(keyOf(requirement)),
  );
  return grantsOf(app, manifest, required);
}

async function writeGrants(
  context: MarketplaceContext,
  app: AppRecord,
  before: GrantedScopes | undefined,
  next: GrantedScopes,
): Promise<void> {
  // Recorded first, so that a crash before the tuples are written leaves no unrecorded tuple.
  await context.approvals.recordGrants(app.id, {
    own: [...new Set([...(before?.own ?? []), ...next.own])],
    required: [...(before?.required ?? []), ...next.required],
    inForce: true,
  });
  await context.permissions.replace(app.name, before, next);
  await context.approvals.recordGrants(app.id, { ...next, inForce: true });
}

/**
 * Grants what either of two releases was approved for, because both run during a switch. {@link grantPermissions} revokes the
 * rest afterwards. Idempotent.
 */
export async function grantForSwitch(
  context: MarketplaceContext,
  app: AppRecord,
  from: AppManifest,
  to: AppManifest,
): Promise<void> {
  const before = await context.approvals.grants(app.id);
  const both = [await approvedGrants(context, app, from), await approvedGrants(context, app, to)];
  const next = {
    own: [...new Set(both.flatMap(({ own }) => own))],
    required: [...new Map(both.flatMap(({ required }) => required).map((scope) => [keyOf(scope), scope])).values()],
  };
  await writeGrants(context, app, before, next);
}

/** Returns everything that the app's manifest requests. Earlier releases granted all of it at the installation. */
export async function manifestGrants(context: MarketplaceContext, app: AppRecord): Promise<GrantedScopes> {
  const manifest = await manifestOf(context, app);
  return grantsOf(app, manifest, requirementsOf(manifest, "declared"));
}

/** Revokes all grants of the app. If that fails, a worker repeats it (`workers/revoke-left-grants.ts`). */
export async function revokePermissions(context: MarketplaceContext, app: AppRecord, granted: GrantedScopes): Promise<void> {
  await context.approvals.recordGrants(app.id, { ...granted, inForce: false });
  await context.permissions.replace(app.name, granted, undefined);
  await context.approvals.recordGrants(app.id, { own: [], required: [], inForce: true });
}

function keyOf({ scope, owner }: RequiredScope): string {
  return `${owner ?? ""} ${scope}`;
}
