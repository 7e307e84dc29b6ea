import { type Call, requirePermission } from "@appserver/kernel";
import type { AppRecord, OperationRecord } from "../domain/app.ts";
import { isApproved, type Requirement, requirementsOf } from "../domain/required-permissions.ts";
import type { Approval } from "../ports.ts";
import { approvePermissions, reviewedManifests } from "./approve-permissions.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireApp, unknownAppId } from "./find-app.ts";
import { requireView } from "./read-apps.ts";
import { revokePermissions } from "./revoke-permissions.ts";

/** A permission that lacks its approval. */
export interface NeededApproval extends Requirement {
  /** The release that requires it. */
  readonly version: string;
  readonly manifestDigest: string;
}

/** The approvals of an app. */
export interface AppApprovals {
  /** The command that changed them. */
  readonly operation?: OperationRecord;
  readonly app: AppRecord;
  /** What the release that serves lacks, and the newer one that is registered. */
  readonly needed: readonly NeededApproval[];
  readonly granted: readonly Approval[];
}

export interface ScopesOfApp {
  readonly appId: string;
  readonly scopes: readonly string[];
}

/** Returns the approvals of an app by its id. Needs `app:view`. Throws PERMISSION_DENIED, NOT_FOUND. */
export async function readApprovals(context: MarketplaceContext, appId: string, call: Call): Promise<AppApprovals> {
  await requireView(context, call);
  return approvalsOf(context, appId, await nameOf(context, appId));
}

/** Does what {@link approvePermissions} does, and returns the approvals. */
export async function approveScopes(
  context: MarketplaceContext,
  { appId, ...request }: ScopesOfApp & { readonly manifestDigest?: string | undefined },
  call: Call,
): Promise<AppApprovals> {
  await requirePermission(context.permissions, call, "permission:approve");
  const name = await nameOf(context, appId);
  const { operation } = await approvePermissions(context, { name, appId, ...request }, call);
  return { ...(await approvalsOf(context, appId, name)), operation };
}

/** Does what {@link revokePermissions} does, and returns the approvals. */
export async function revokeScopesOf(
  context: MarketplaceContext,
  { appId, scopes }: ScopesOfApp,
  call: Call,
): Promise<AppApprovals> {
  await requirePermission(context.permissions, call, "permission:approve");
  const name = await nameOf(context, appId);
  const { operation } = await revokePermissions(context, { name, appId, scopes }, call);
  return { ...(await approvalsOf(context, appId, name)), operation };
}

async function approvalsOf(context: MarketplaceContext, appId: string, name: string): Promise<AppApprovals> {
  const live = await requireApp(context, name, appId);
  const [granted, manifests] = await Promise.all([
    context.approvals.approvals(live.app.id),
    reviewedManifests(context, live, undefined),
  ]);
  const needed = manifests.flatMap(({ digest: manifestDigest, manifest }) =>
    requirementsOf(manifest, context.policy.crossAppApproval)
      .filter((requirement) => !isApproved(requirement, granted))
      .map((requirement) => ({ ...requirement, version: manifest.version, manifestDigest })),
  );
  return { app: live.app, needed, granted };
}

async function nameOf({ store }: MarketplaceContext, appId: string): Promise<string> {
  const app = await store.findById(appId);
  if (!app) throw unknownAppId(appId);
  return app.name;
}
