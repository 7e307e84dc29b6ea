import { rootPermission } from "@appserver/contracts/authorization";
import { quote } from "@appserver/contracts/patterns";
import { AppError, auditEntry, type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import type { OperationRecord } from "../domain/app.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { requirementsOf } from "../domain/required-permissions.ts";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { revokeScopes } from "./grant-permissions.ts";
import { type CommandResult, endedOperation } from "./operation.ts";

export interface RevokeRequest {
  readonly name: string;
  /** The id of the app that is meant. NOT_FOUND if another app has the name now. Default: the app with the name. */
  readonly appId?: string | undefined;
  readonly scopes: readonly string[];
}

/**
 * Withdraws approvals of the app, and what they granted. Every replica denies the permissions within a second. The app keeps
 * running, unless its container runs as root and the permission for that is revoked; its next installation or switch to another
 * release needs the approvals again.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, CONFLICT if another command works on the app, or INVALID_REQUEST for a scope that is
 * neither approved nor in need of an approval.
 */
export async function revokePermissions(
  context: MarketplaceContext,
  request: RevokeRequest,
  call: Call,
): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "permission:approve");
  const earlier = await earlierResult(context, request.name);
  if (earlier) return earlier;
  return context.lock.run(request.name, async () => {
    const live = await requireApp(context, request.name, request.appId);
    const operation = await revoke(context, live, request.scopes, call);
    // The orchestrator also looks by itself, after the interval of the health check.
    if (request.scopes.includes(rootPermission)) await context.deployments.reconcile(live.app.name);
    return { app: live.app, operation };
  });
}

async function revoke(
  context: MarketplaceContext,
  { app, manifest, target }: LiveApp,
  scopes: readonly string[],
  call: Call,
): Promise<OperationRecord> {
  const approvals = await context.approvals.approvals(app.id);
  const manifests = target ? [manifest, target.manifest] : [manifest];
  const requirements = manifests.flatMap((each) => requirementsOf(each, context.policy.crossAppApproval));
  const revocable = [...approvals, ...requirements.filter(({ needsApproval }) => needsApproval)];
  requireRevocable(app.name, scopes, new Set(revocable.map(({ scope }) => scope)));
  // The revocation comes first: if it fails, nothing has changed, and the caller can repeat the command.
  const left = approvals.filter(({ scope }) => !scopes.includes(scope));
  await revokeScopes(context, app, scopes, { manifests, approvals: left });
  const withdrawn = approvals.filter(({ scope }) => scopes.includes(scope));
  const permissions = withdrawn.map(({ scope, owner }) => ({ scope, owner: owner ?? null }));
  const details = { scopes: [...scopes], permissions };
  const audit = auditEntry(call, { action: "permission.revoke", target: `app:${app.name}`, details });
  const operation = endedOperation(context, app, { kind: "revoke", ...initiatorOf(call.caller) });
  await context.approvals.withdraw(app, scopes, { operation, audit });
  return operation;
}

/** Throws INVALID_REQUEST unless each scope is among those that may be revoked, and there is at least one. */
function requireRevocable(name: string, scopes: readonly string[], revocable: ReadonlySet<string>): void {
  const unknown = scopes.filter((scope) => !revocable.has(scope));
  const violations = unknown.map((scope) => ({ field: "scopes", message: `${name} has no approval of ${quote(scope)}` }));
  if (scopes.length === 0) violations.push({ field: "scopes", message: "must name at least one permission" });
  const [first] = violations;
  if (first) throw new AppError("INVALID_REQUEST", first.message, { violations });
}
