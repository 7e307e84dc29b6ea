import { AppError, actorOf, auditEntry, type Call, requirePermission } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { requirementsOf } from "../domain/required-permissions.ts";
import { type MarketplaceContext, requireApp } from "./context.ts";

export interface ApproveRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  /** The digest of the reviewed manifest. CONFLICT if the app now has another manifest. */
  readonly manifestDigest?: string | undefined;
}

/**
 * Approves permissions of the app's current manifest that need an approval. If a later manifest requests the scope of another
 * owner, or gives another reason, it needs a new approval.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, CONFLICT, or INVALID_REQUEST for a scope that is not one of these permissions.
 */
export async function approvePermissions(context: MarketplaceContext, request: ApproveRequest, call: Call): Promise<AppRecord> {
  const { name, scopes, manifestDigest } = request;
  await requirePermission(context.permissions, call.caller, "permission:approve");
  const { app, manifest } = await requireApp(context, name);
  if (manifestDigest !== undefined && manifestDigest !== app.manifestDigest) {
    throw new AppError("CONFLICT", `${name} was registered again after its permissions were reviewed; review them again`, {
      details: { app: name, expected: manifestDigest, actual: app.manifestDigest },
    });
  }
  const approvable = requirementsOf(manifest, context.policy.crossAppApproval).filter(({ needsApproval }) => needsApproval);
  const violations = scopes
    .filter((scope) => !approvable.some((requirement) => requirement.scope === scope))
    .map((scope) => ({
      field: "scopes",
      message: `${name} declares no permission ${JSON.stringify(scope)} that needs an approval`,
    }));
  if (violations.length > 0) throw new AppError("INVALID_REQUEST", violations[0]?.message ?? "", { violations });
  const approved = approvable.filter(({ scope }) => scopes.includes(scope));
  const by = { approvedBy: actorOf(call.caller), approvedAt: new Date(context.clock.now()) };
  await context.approvals.approve(
    app.id,
    approved.map(({ scope, owner, digest }) => ({ scope, owner, digest, ...by })),
    auditEntry(call, {
      action: "permission.approve",
      target: `app:${app.name}`,
      details: {
        permissions: approved.map(({ scope, owner }) => ({ scope, owner: owner ?? null })),
        manifestDigest: app.manifestDigest,
      },
    }),
  );
  return app;
}
