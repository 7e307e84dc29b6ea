import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { imageOf } from "../domain/app-image.ts";
import { excessiveDemands } from "../domain/excessive-limits.ts";
import { appsToInstall } from "../domain/install-plan.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { dependenciesOf, type PlannedApp, type RegisteredApp, routeBaseOf } from "../domain/planned-app.ts";
import type { MarketplaceContext } from "./context.ts";
import { missingApprovalsOf } from "./missing-approvals.ts";

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
  const planned = (app: ReadApp): PlannedApp => ({
    ...app,
    image: imageOf(app.live.manifest),
    approvalsNeeded: missing.get(app.live.app.id) ?? [],
    excessiveLimits: excessiveDemands(app.name, app.version, app.live.manifest, context.policy),
  });
  return new Map([...apps].map(([name, app]) => [name, planned(app)]));
}
