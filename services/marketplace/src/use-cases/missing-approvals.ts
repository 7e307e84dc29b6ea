import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppRecord } from "../domain/app.ts";
import { approvalRequired } from "../domain/install-plan.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { isApproved, type Requirement, requirementsOf } from "../domain/required-permissions.ts";
import type { MarketplaceContext } from "./context.ts";
import { throwProblem } from "./reviewed-plan.ts";

/**
 * Returns, by app id, the permissions that each manifest requires, that need an approval by the operator's rule, and that lack
 * it. Reads the approvals of all apps at once. Reads nothing if no app needs one.
 */
export async function missingApprovalsOf(
  { approvals, policy }: Pick<MarketplaceContext, "approvals" | "policy">,
  apps: readonly Pick<LiveApp, "app" | "manifest">[],
): Promise<ReadonlyMap<string, readonly Requirement[]>> {
  const needed = apps
    .map(({ app, manifest }) => ({ id: app.id, requirements: requirementsOf(manifest, policy.crossAppApproval) }))
    .filter(({ requirements }) => requirements.some(({ needsApproval }) => needsApproval));
  if (needed.length === 0) return new Map();
  const approved = await approvals.approvalsOf(needed.map(({ id }) => id));
  return new Map(
    needed.map(({ id, requirements }) => [
      id,
      requirements.filter((requirement) => !isApproved(requirement, approved.get(id) ?? [])),
    ]),
  );
}

/** Throws APPROVAL_REQUIRED if the app lacks an approval that the manifest needs. */
export async function requireApproved(context: MarketplaceContext, app: AppRecord, manifest: AppManifest): Promise<void> {
  const missing = await missingApprovals(context, app, manifest);
  if (missing.length > 0) throwProblem(approvalRequired(app.name, missing));
}

/** Returns them for one app and manifest. */
export async function missingApprovals(
  context: Pick<MarketplaceContext, "approvals" | "policy">,
  app: AppRecord,
  manifest: AppManifest,
): Promise<readonly Requirement[]> {
  return (await missingApprovalsOf(context, [{ app, manifest }])).get(app.id) ?? [];
}
