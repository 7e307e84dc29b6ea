import { quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type FieldViolation, textProblem } from "@appserver/kernel";
import { checkManifest, type ValidationResult } from "../domain/manifest/check-manifest.ts";
import { manifestLimits } from "../domain/manifest/manifest-limits.ts";
import { routeBaseOf } from "../domain/planned-app.ts";
import type { MarketplaceContext } from "./context.ts";

/** Returns every violation and warning of a manifest, including those that depend on the stored apps. Stores nothing. */
export async function validateManifest(context: MarketplaceContext, manifest: AppManifest): Promise<ValidationResult> {
  const own = checkManifest(manifest, {
    platformVersion: context.policy.platformVersion,
    now: context.clock.now(),
    allowUnsigned: context.policy.allowUnsigned,
  });
  if (own.isTooLarge) return own;
  const { participants } = context;
  const others = (await Promise.all(participants.map(async (each) => (await each.checkManifest?.(manifest)) ?? []))).flat();
  const known = new Set(own.violations.map(({ field }) => field));
  const violations = withOthers(
    own.violations,
    others.filter(({ field }) => !known.has(field)),
  );
  // An invalid manifest may have any number of hooks and permissions.
  const subscriptions = violations.length > 0 ? [] : subscriptionWarnings(context, manifest);
  const warnings = [
    ...own.warnings,
    ...participants.flatMap((participant) => participant.manifestWarnings?.(manifest) ?? []),
    ...subscriptions,
  ];
  const result = { ...own, violations, warnings };
  const taken = known.has("web_app.ui.route_base") ? undefined : await takenRouteBase(context, manifest);
  return taken ? { ...result, violations: [...result.violations, taken] } : result;
}

async function takenRouteBase({ store }: MarketplaceContext, manifest: AppManifest): Promise<FieldViolation | undefined> {
  const routeBase = routeBaseOf(manifest);
  if (routeBase === undefined || textProblem(routeBase) !== undefined) return undefined;
  const owner = await store.routeBaseOwner(routeBase, manifest.name);
  if (owner === undefined) return undefined;
  const where = owner.path === routeBase ? "" : owner.path.length > routeBase.length ? "is above, and " : "is below, and ";
  const what = where === "" ? "belongs to" : `${where}${quote(owner.path)} belongs to`;
  return { field: "web_app.ui.route_base", message: `${quote(routeBase)} ${what} ${owner.name}` };
}

/** Lists up to the limit of a manifest and counts the rest. */
function withOthers(own: readonly FieldViolation[], others: readonly FieldViolation[]): readonly FieldViolation[] {
  const listed = others.slice(0, Math.max(0, manifestLimits.violations - own.length));
  const more = others.length - listed.length;
  const rest = more > 0 ? [{ field: "activities", message: `and ${more} more violations` }] : [];
  return [...own, ...listed, ...rest];
}

/**
 * Returns warnings for subscriptions to other apps' hooks that have no effect because the manifest does not request the
 * permission.
 */
function subscriptionWarnings({ policy }: MarketplaceContext, manifest: AppManifest): readonly FieldViolation[] {
  if (policy.crossAppApproval === "declared") return [];
  const owners = manifest.requiredPermissions.flatMap(({ scope, resourceType }) =>
    scope === "hook:subscribe" ? [resourceType] : [],
  );
  const permitted = ["app", manifest.name, ...owners];
  return manifest.hooks.flatMap(({ hookName }, index) => {
    if (permitted.some((owner) => hookName.startsWith(`${owner}.`))) return [];
    const message = `${hookName} is another app's: required_permissions must have hook:subscribe with that app as resource_type`;
    return [{ field: `hooks[${index}].hook_name`, message }];
  });
}
