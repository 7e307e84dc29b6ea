import type { AppSnapshot } from "@appserver/contracts/deployments";
import type { Call } from "@appserver/kernel";
import type { MarketplaceContext } from "../context.ts";
import { requireApp } from "../find-app.ts";
import { requireView } from "../read-apps.ts";

/** Returns the snapshots of an app, newest first. Needs `app:view`. Throws NOT_FOUND. */
export async function listSnapshots(
  context: MarketplaceContext,
  { name }: { readonly name: string },
  call: Call,
): Promise<readonly AppSnapshot[]> {
  await requireView(context, call);
  const { app } = await requireApp(context, name);
  return context.snapshots.list(app.id);
}
