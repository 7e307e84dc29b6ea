import type { MarketplaceContext } from "../use-cases/context.ts";
import { revokeGrants } from "../use-cases/grant-permissions.ts";

/** Revokes grants whose removal was interrupted. Returns the number of apps. */
export async function revokeLeftGrants(context: MarketplaceContext): Promise<number> {
  let finished = 0;
  for (const name of await context.approvals.toRevoke()) {
    const { held } = await context.lock.runIfFree(name, async () => {
      const app = await context.store.findByName(name);
      const granted = app && (await context.approvals.grants(app.id));
      if (app && granted && !granted.inForce) await revokeGrants(context, app, granted);
    });
    if (held) finished += 1;
  }
  return finished;
}
