import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { declaredLimits, excessiveLimits } from "../domain/excessive-limits.ts";
import { appsToInstall, type InstallPlan, type InstallPlanOptions, planInstall as planOver } from "../domain/install-plan.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { planDigest } from "../domain/plan-digest.ts";
import { dependenciesOf, type PlannedApp, type RegisteredApp, routeBaseOf } from "../domain/planned-app.ts";
import { type MarketplaceContext, requireKnown } from "./context.ts";
import { missingApprovalsOf } from "./missing-approvals.ts";

export interface PlanInstallOptions extends InstallPlanOptions {
  /** Default: the version that an installation would use. */
  readonly version?: string | undefined;
}

/**
 * Returns the steps of an installation and what blocks it. Changes nothing. `digest` covers the manifests that the steps would
 * install. Throws NOT_FOUND for an unknown name or an unregistered `version`, and INVALID_STATE for a registered version that
 * an installation would not use.
 */
export async function planInstall(
  context: MarketplaceContext,
  name: string,
  { version, withDependencies }: PlanInstallOptions = {},
): Promise<InstallPlan & { readonly app: AppRecord; readonly digest: string }> {
  const registered = await plannedApps(context);
  const { app } = requireKnown(context.apps.get(name), name);
  if (version !== undefined && version !== app.version) throw otherVersion(app, version);
  const plan = planOver(name, await withApprovals(context, [name], registered), { withDependencies });
  return { app, ...plan, digest: planDigest(plan.steps) };
}

function otherVersion(app: AppRecord, version: string): AppError {
  const details = { app: app.name, version: app.version };
  const shown = JSON.stringify(version.slice(0, 100));
  return version === app.availableVersion
    ? new AppError(
        "INVALID_STATE",
        `version ${shown} of ${app.name} waits for an upgrade; an installation takes ${app.version}`,
        {
          details,
        },
      )
    : new AppError("NOT_FOUND", `version ${shown} of ${app.name} is not registered; ${app.version} is`, { details });
}

/** A registered app in the form that plans use, with its source object. */
interface ReadApp extends RegisteredApp {
  readonly live: LiveApp;
}

/** Returns every registered app in the form that plans use, by name. */
export async function plannedApps({ apps }: MarketplaceContext): Promise<ReadonlyMap<string, ReadApp>> {
  const sorted = [...(await apps.allCurrent())].sort((a, b) => (a.app.name < b.app.name ? -1 : 1));
  return new Map(sorted.map((live) => [live.app.name, readApp(live)]));
}

function readApp(live: LiveApp): ReadApp {
  const { app, manifest } = live;
  const { name, version, manifestDigest, state } = app;
  const target = live.target && { version: live.target.manifest.version, ...declaredOf(live.target.manifest) };
  return { name, version, manifestDigest, state, target, ...declaredOf(manifest), live };
}

function declaredOf(manifest: AppManifest) {
  return { dependencies: dependenciesOf(manifest), routeBase: routeBaseOf(manifest) };
}

/** Adds the missing approvals of the apps that a plan for `roots` may install. Reads the approvals of all of them at once. */
export async function withApprovals(
  context: MarketplaceContext,
  roots: readonly string[],
  apps: ReadonlyMap<string, ReadApp>,
): Promise<ReadonlyMap<string, PlannedApp>> {
  const missing = await missingApprovalsOf(
    context,
    appsToInstall(roots, apps).map(({ live }) => live),
  );
  const { maxLimits } = context.policy;
  const planned = (app: ReadApp): PlannedApp => ({
    ...app,
    approvalsNeeded: missing.get(app.live.app.id) ?? [],
    excessiveLimits: excessiveLimits(app.name, app.version, declaredLimits(app.live.manifest), maxLimits),
  });
  return new Map([...apps].map(([name, app]) => [name, planned(app)]));
}
