import type { IsolatedRows } from "@appserver/kernel";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { revokeGrants } from "../use-cases/grant-permissions.ts";
import { isolatedApps } from "../use-cases/isolated-apps.ts";

/** What {@link revokeLeftGrants} uses in all its turns. */
export function leftGrantApps(context: MarketplaceContext): IsolatedRows<string> {
  return isolatedApps(context, "revoking left grants");
}

/** Revokes grants whose removal was interrupted. Returns the number of apps. */
export async function revokeLeftGrants(context: MarketplaceContext, apps = leftGrantApps(context)): Promise<number> {
  const results = await apps.run(await context.approvals.toRevoke(), (name) =>
    context.lock.runIfFree(name, async () => {
      const app = await context.store.findByName(name);
      const granted = app && (await context.approvals.grants(app.id));
      if (app && granted && !granted.inForce) await revokeGrants(context, app, granted);
    }),
  );
  return results.filter(({ held }) => held).length;
}
