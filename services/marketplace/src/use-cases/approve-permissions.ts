import { rootPermission } from "@appserver/contracts/authorization";
import { AppError, actorOf, auditEntry, type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import type { OperationRecord } from "../domain/app.ts";
import { permissionApproved } from "../domain/app-events.ts";
import { shouldRun } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { type Requirement, requirementsOf } from "../domain/required-permissions.ts";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { grantScopes } from "./grant-permissions.ts";
import { type CommandResult, newOperation, runRequest } from "./operation.ts";
import { requireApprovable } from "./require-approvable.ts";

export interface ApproveRequest {
  readonly name: string;
  /** The id of the app that is meant. NOT_FOUND if another app has the name now. Default: the app with the name. */
  readonly appId?: string | undefined;
  readonly scopes: readonly string[];
  /**
   * The digest of the reviewed manifest: of the release that serves or of the available one. CONFLICT if it is neither any more.
   * Default: both.
   */
  readonly manifestDigest?: string | undefined;
}

/**
 * Approves permissions that need an approval, of the app's manifest or of the version that an upgrade would install. If a later
 * manifest requests the scope of another owner, or gives another reason, it needs a new approval. If the app is installed, it is
 * granted at once what the release that serves requires, and during a switch also what the target requires.
 *
 * Throws PERMISSION_DENIED (also for a scope that the caller does not hold, unless the caller has `access:manage`), NOT_FOUND, CONFLICT (also if another command works on the app), or INVALID_REQUEST for a scope that
 * is not one of these permissions.
 */
export async function approvePermissions(
  context: MarketplaceContext,
  request: ApproveRequest,
  call: Call,
): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "permission:approve");
  const earlier = await earlierResult(context, request.name);
  if (earlier) return earlier;
  return context.lock.run(request.name, async () => {
    const live = await requireApp(context, request.name, request.appId);
    const command = { kind: "approve", ...initiatorOf(call.caller), stage: "grant" } as const;
    const operation = newOperation(context, live.app, command);
    await approve(context, live, request, operation, call);
    // A container that was stopped without the approval begins again.
    if (request.scopes.includes(rootPermission)) await context.deployments.reconcile(live.app.name);
    return { app: live.app, operation: await grantApproved(context, live, operation) };
  });
}

async function approve(
  context: MarketplaceContext,
  live: LiveApp,
  { name, scopes, manifestDigest }: ApproveRequest,
  operation: OperationRecord,
  call: Call,
): Promise<void> {
  const { app } = live;
  const reviewed = await reviewedManifests(context, live, manifestDigest);
  if (reviewed.length === 0) {
    throw new AppError("CONFLICT", `${name} was registered again after its permissions were reviewed; review them again`, {
      details: { app: name, expected: manifestDigest, actual: app.availableDigest ?? app.manifestDigest },
    });
  }
  const approvable = uniqueRequirements(
    reviewed.flatMap(({ manifest }) => requirementsOf(manifest, context.policy.crossAppApproval)),
  ).filter(({ needsApproval }) => needsApproval);
  const violations = scopes
    .filter((scope) => !approvable.some((requirement) => requirement.scope === scope))
    .map((scope) => ({
      field: "scopes",
      message: `${name} declares no permission ${JSON.stringify(scope)} that needs an approval`,
    }));
  if (violations.length > 0) throw new AppError("INVALID_REQUEST", violations[0]?.message ?? "", { violations });
  const approved = approvable.filter(({ scope }) => scopes.includes(scope));
  await requireApprovable(context, call, approved);
  const by = { approvedBy: actorOf(call.caller), approvedAt: operation.startedAt };
  await context.approvals.approve(
    app,
    approved.map(({ scope, owner, digest }) => ({ scope, owner, digest, ...by })),
    {
      operation,
      audit: auditEntry(call, {
        action: "permission.approve",
        target: `app:${app.name}`,
        details: {
          permissions: approved.map(({ scope, owner }) => ({ scope, owner: owner ?? null })),
          manifestDigests: reviewed.map(({ digest }) => digest),
        },
      }),
    },
    (added) => permissionApproved(app, added, by.approvedAt, by.approvedBy),
  );
}

/** Grants an installed app what it is approved for, and ends the operation. The approval is stored already. Idempotent. */
export async function grantApproved(
  context: MarketplaceContext,
  { app, manifest, target }: LiveApp,
  operation: OperationRecord,
): Promise<OperationRecord> {
  const manifests = target ? [manifest, target.manifest] : [manifest];
  return runRequest(context, operation, async () => {
    if (shouldRun(app)) await grantScopes(context, app, manifests);
  });
}

/**
 * Returns the manifests whose permissions an administrator may approve now: that of the app, that of a newer release, and, if its
 * digest was reviewed, that of a release that served and may be switched back to.
 */
export async function reviewedManifests(context: MarketplaceContext, { app, manifest }: LiveApp, reviewed: string | undefined) {
  const others = (await context.store.releases(app.id)).filter(
    (release) =>
      release.manifestDigest === app.availableDigest || (release.manifestDigest === reviewed && release.servedAt !== undefined),
  );
  const read = async ({ manifestDigest: digest }: (typeof others)[number]) => {
    const found = await context.store.manifest(app.id, digest);
    return found ? [{ digest, manifest: found }] : [];
  };
  const found = [{ digest: app.manifestDigest, manifest }, ...(await Promise.all(others.map(read))).flat()];
  return found.filter(({ digest }) => reviewed === undefined || digest === reviewed);
}

function uniqueRequirements(requirements: readonly Requirement[]): readonly Requirement[] {
  return [...new Map(requirements.map((each) => [`${each.owner} ${each.scope} ${each.digest}`, each])).values()];
}
