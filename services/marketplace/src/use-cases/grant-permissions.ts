import { declaredScopes } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppRecord } from "../domain/app.ts";
import { type ApprovedScope, isApproved, type RequiredScope, requirementsOf } from "../domain/required-permissions.ts";
import type { GrantedScopes } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";

/**
 * Writes the permission tuples of the app's manifest: its own scopes, and of the required scopes only the approved ones.
 * Revokes what an earlier manifest was granted and this one does not request. Idempotent.
 */
export async function grantPermissions(context: MarketplaceContext, app: AppRecord, manifest: AppManifest): Promise<void> {
  const before = await context.approvals.grants(app.id);
  const approvals = await approvalsFor(context, app, [manifest]);
  await writeGrants(context, app, before, approvedGrants(context, manifest, approvals));
}

/** Returns the approvals of an app. Reads nothing if the manifests need none. */
async function approvalsFor(
  { approvals, policy }: MarketplaceContext,
  app: AppRecord,
  manifests: readonly AppManifest[],
): Promise<readonly ApprovedScope[]> {
  const requirements = manifests.flatMap((manifest) => requirementsOf(manifest, policy.crossAppApproval));
  return requirements.some(({ needsApproval }) => needsApproval) ? approvals.approvals(app.id) : [];
}

/** Returns what an app gets with these approvals: its own scopes, as its routes name them, and approved scopes of other owners. */
function approvedGrants(
  { policy }: MarketplaceContext,
  manifest: AppManifest,
  approvals: readonly ApprovedScope[],
): GrantedScopes {
  const required = requirementsOf(manifest, policy.crossAppApproval).filter((each) => isApproved(each, approvals));
  return { own: declaredScopes(manifest), required: required.map(({ scope, owner }) => ({ scope, owner })) };
}

async function writeGrants(
  context: MarketplaceContext,
  app: AppRecord,
  before: GrantedScopes | undefined,
  granted: GrantedScopes,
): Promise<void> {
  const next = { own: granted.own, required: uniqueScopes(granted.required) };
  const own = [...new Set([...(before?.own ?? []), ...next.own])];
  const required = uniqueScopes([...(before?.required ?? []), ...next.required]);
  // Recorded first, so that a crash before the tuples are written leaves no unrecorded tuple.
  await context.approvals.recordGrants(app.id, { own, required, inForce: true });
  await context.permissions.replace(app.name, before, next);
  if (own.length > next.own.length || required.length > next.required.length)
    await context.approvals.recordGrants(app.id, { ...next, inForce: true });
}

/**
 * Grants the approved permissions of both releases, because both run during a switch. {@link grantPermissions} later revokes
 * those that only the old release needs. Idempotent.
 */
export async function grantForSwitch(
  context: MarketplaceContext,
  app: AppRecord,
  from: AppManifest,
  to: AppManifest,
): Promise<void> {
  const before = await context.approvals.grants(app.id);
  const approvals = await approvalsFor(context, app, [from, to]);
  const both = [from, to].map((manifest) => approvedGrants(context, manifest, approvals));
  await writeGrants(context, app, before, {
    own: [...new Set(both.flatMap(({ own }) => own))],
    required: both.flatMap(({ required }) => required),
  });
}

/**
 * Revokes these scopes of other owners, except those that the manifests still get with the remaining approvals. Grants nothing.
 * Idempotent.
 */
export async function revokeScopes(
  context: MarketplaceContext,
  app: AppRecord,
  scopes: readonly string[],
  left: { readonly manifests: readonly AppManifest[]; readonly approvals: readonly ApprovedScope[] },
): Promise<void> {
  const granted = await context.approvals.grants(app.id);
  // The removal of all grants was interrupted. What follows would count the rest as granted again.
  if (granted && !granted.inForce) return revokeGrants(context, app, granted);
  if (!granted || granted.required.length === 0) return;
  const kept = left.manifests.flatMap((manifest) => approvedGrants(context, manifest, left.approvals).required);
  const keptKeys = new Set(kept.map(keyOf));
  const required = granted.required.filter((each) => !scopes.includes(each.scope) || keptKeys.has(keyOf(each)));
  await writeGrants(context, app, granted, { own: granted.own, required });
}

/** Grants an installed app the scopes of other owners that the manifests require and it is approved for. Revokes nothing. Idempotent. */
export async function grantScopes(
  context: MarketplaceContext,
  app: AppRecord,
  manifests: readonly AppManifest[],
): Promise<void> {
  const granted = await context.approvals.grants(app.id);
  if (!granted?.inForce) return;
  const approvals = await approvalsFor(context, app, manifests);
  const added = manifests.flatMap((manifest) => approvedGrants(context, manifest, approvals).required);
  if (added.length === 0) return;
  // Also writes what is recorded already: an earlier attempt may have ended before it wrote the tuples.
  await writeGrants(context, app, granted, { own: granted.own, required: [...granted.required, ...added] });
}

/** Revokes all grants of the app. If that fails, a worker repeats it (`workers/revoke-left-grants.ts`). */
export async function revokeGrants(context: MarketplaceContext, app: AppRecord, granted: GrantedScopes): Promise<void> {
  await context.approvals.recordGrants(app.id, { ...granted, inForce: false });
  await context.permissions.replace(app.name, granted, undefined);
  await context.approvals.recordGrants(app.id, { own: [], required: [], inForce: true });
}

function uniqueScopes(scopes: readonly RequiredScope[]): readonly RequiredScope[] {
  return [...new Map(scopes.map((scope) => [keyOf(scope), scope])).values()];
}

function keyOf({ scope, owner }: RequiredScope): string {
  return `${owner ?? ""} ${scope}`;
}
