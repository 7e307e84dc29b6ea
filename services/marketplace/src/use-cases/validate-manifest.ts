import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { validateManifest as holdAgainstRules, type ValidationResult } from "../domain/manifest/validate-manifest.ts";
import type { MarketplaceContext } from "./context.ts";

/** Every violation and warning of a manifest, those included that only the stored apps can tell. Stores nothing. */
export async function validateManifest(context: MarketplaceContext, manifest: AppManifest): Promise<ValidationResult> {
  const own = holdAgainstRules(manifest, {
    platformVersion: context.policy.platformVersion,
    now: context.clock.now(),
    allowUnsigned: context.policy.allowUnsigned,
  });
  const others = (await context.manifestRules?.violations(manifest)) ?? [];
  const known = new Set(own.violations.map(({ field }) => field));
  const result = { ...own, violations: [...own.violations, ...others.filter(({ field }) => !known.has(field))] };
  const routeBase = manifest.webApp?.ui?.routeBase;
  if (routeBase === undefined || routeBase === "") return result;
  const owner = await context.store.routeBaseOwner(routeBase, manifest.name);
  if (owner === undefined) return result;
  const violation = { field: "web_app.ui.route_base", message: `${JSON.stringify(routeBase)} belongs to ${owner}` };
  return { ...result, violations: [...result.violations, violation] };
}
