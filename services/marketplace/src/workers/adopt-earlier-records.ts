import type { AppRecord } from "../domain/app.ts";
import { isInstalled } from "../domain/app-state.ts";
import { type RequiredScope, requirementsOf } from "../domain/required-permissions.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { manifestOf } from "../use-cases/context.ts";
import { manifestGrants } from "../use-cases/grant-permissions.ts";

/**
 * Converts the approvals that earlier releases stored. Those have no owner and no digest of the request, so they are kept only
 * for the installed manifest. Idempotent and safe on several replicas at once.
 */
export async function adoptEarlierApprovals(context: MarketplaceContext): Promise<void> {
  for (const [appId, earlier] of await context.approvals.earlierApprovals()) {
    const app = await context.store.findById(appId);
    const keeps = app !== undefined && (isInstalled(app.state) || app.state === "INSTALLING");
    const requirements = keeps ? requirementsOf(await manifestOf(context, app), context.policy.crossAppApproval) : [];
    const approvals = requirements.flatMap(({ scope, owner, digest }) => {
      const approval = earlier.find((candidate) => candidate.scope === scope);
      return approval ? [{ ...approval, owner, digest }] : [];
    });
    await context.approvals.replaceEarlierApprovals(appId, approvals);
  }
}

/**
 * Records the grants of apps that an earlier release installed without recording them. Installed apps keep all grants and their
 * subscriptions to other apps' hooks. An app whose only installation failed loses its grants.
 */
export async function adoptEarlierGrants(context: MarketplaceContext): Promise<void> {
  for (const name of await context.approvals.unrecorded()) {
    await context.lock.runIfFree(name, async () => {
      const app = await context.store.findByName(name);
      if (app && !(await context.approvals.grants(app.id))) await adoptGrants(context, app);
    });
  }
}

async function adoptGrants(context: MarketplaceContext, app: AppRecord): Promise<void> {
  const { own, required } = await manifestGrants(context, app);
  if (isInstalled(app.state)) {
    const granted = { own, required: [...required, ...(await subscriptionsOf(context, app))] };
    await context.permissions.replace(app.name, granted, granted);
    return context.approvals.recordGrants(app.id, { ...granted, inForce: true });
  }
  // The manifest of a failed app may differ from the one that was granted, so no tuples are written from it.
  return context.approvals.recordGrants(app.id, { own, required, inForce: app.installedAt !== undefined });
}

/** Returns the owners of the hooks that the manifest subscribes to, each with `hook:subscribe`. */
async function subscriptionsOf(context: MarketplaceContext, app: AppRecord): Promise<readonly RequiredScope[]> {
  const manifest = await manifestOf(context, app);
  if (manifest.hooks.length === 0) return [];
  const { items } = await context.store.list({ limit: Number.MAX_SAFE_INTEGER });
  const owners = manifest.hooks.map(({ hookName }) => {
    const names = items.map(({ name }) => name).filter((name) => hookName.startsWith(`${name}.`));
    return names.sort((a, b) => b.length - a.length)[0];
  });
  const others = new Set(owners.filter((owner) => owner !== undefined && owner !== app.name));
  return [...others].map((owner) => ({ scope: "hook:subscribe", owner }));
}
