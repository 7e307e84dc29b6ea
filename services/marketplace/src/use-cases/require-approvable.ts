import { AppError, actorOf, type Call } from "@appserver/kernel";
import { describeScope, type RequiredScope } from "../domain/required-permissions.ts";
import type { MarketplaceContext } from "./context.ts";

/**
 * Throws PERMISSION_DENIED unless the approver holds each of these scopes, or `access:manage`. Otherwise an app of the approver's
 * own could use for the approver what it was approved for (docs/interface/permissions.md#approvals, ADR 0074).
 */
export async function requireApprovable(
  { permissions }: MarketplaceContext,
  { caller }: Call,
  scopes: readonly RequiredScope[],
): Promise<void> {
  const asked = scopes.map(({ scope, owner }) => ({ permission: scope, owner }));
  const [managesAccess, ...held] = await permissions.allowedEach(caller, [{ permission: "access:manage" }, ...asked]);
  const missing = scopes.filter((_, index) => !held[index]);
  const [first] = missing;
  if (managesAccess || !first) return;
  throw new AppError(
    "PERMISSION_DENIED",
    `${actorOf(caller)} may not approve ${missing.map(describeScope).join(", ")}: an approver must hold what is approved, or access:manage`,
    { details: { permission: first.scope } },
  );
}
