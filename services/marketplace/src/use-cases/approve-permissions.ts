import { AppError, actorOf, type Caller, requirePermission } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { requirementsOf } from "../domain/required-permissions.ts";
import { type MarketplaceContext, requireApp } from "./context.ts";
import { manifestOf } from "./install-app.ts";

/** Approves scopes that the manifest declares with `requires_approval`. INVALID_REQUEST names any other. */
export async function approvePermissions(
  context: MarketplaceContext,
  name: string,
  scopes: readonly string[],
  caller: Caller,
): Promise<AppRecord> {
  const app = await requireApp(context, name);
  await requirePermission(context.permissions, caller, "permission:approve");
  const manifest = await manifestOf(context, app);
  const approvable = new Set(
    requirementsOf(manifest)
      .filter((requirement) => requirement.needsApproval)
      .map((requirement) => requirement.scope),
  );
  const violations = scopes
    .filter((scope) => !approvable.has(scope))
    .map((scope) => ({
      field: "scopes",
      message: `${name} declares no permission ${JSON.stringify(scope)} that needs an approval`,
    }));
  if (violations.length > 0) throw new AppError("INVALID_REQUEST", violations[0]?.message ?? "", { violations });
  await context.store.approve(app.id, scopes, actorOf(caller), new Date(context.clock.now()));
  return app;
}
