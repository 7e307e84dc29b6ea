import type { LiveApp } from "../domain/live-app.ts";
import { isApproved, type Requirement, requirementsOf } from "../domain/required-permissions.ts";
import type { Approval, ApprovalStore } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";

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
  const approved = await approvalsOf(
    approvals,
    needed.map(({ id }) => id),
  );
  return new Map(
    needed.map(({ id, requirements }) => [
      id,
      requirements.filter((requirement) => !isApproved(requirement, approved.get(id) ?? [])),
    ]),
  );
}

/** A store that reads the approvals of several apps in one statement. Apps without approvals may be missing in the result. */
interface BatchedApprovals extends ApprovalStore {
  approvalsOf?(appIds: readonly string[]): Promise<ReadonlyMap<string, readonly Approval[]>>;
}

async function approvalsOf(
  store: BatchedApprovals,
  appIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Approval[]>> {
  if (store.approvalsOf) return store.approvalsOf(appIds);
  return new Map(await Promise.all(appIds.map(async (id) => [id, await store.approvals(id)] as const)));
}
