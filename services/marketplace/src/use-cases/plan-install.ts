import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppRecord } from "../domain/app.ts";
import { type InstallPlan, type PlannedApp, planInstall as planOver } from "../domain/install-plan.ts";
import { requirementsOf } from "../domain/required-permissions.ts";
import { type MarketplaceContext, requireApp } from "./context.ts";

/** What installing the app would do, and what stands against it. Changes nothing. NOT_FOUND for an unknown name. */
export async function planInstall(
  context: MarketplaceContext,
  name: string,
): Promise<InstallPlan & { readonly app: AppRecord }> {
  const app = await requireApp(context, name);
  return { app, ...planOver(name, await plannedApps(context)) };
}

/** Every registered app as plans see it, by name. */
export async function plannedApps(context: MarketplaceContext): Promise<ReadonlyMap<string, PlannedApp>> {
  const [{ items: apps }, manifests] = await Promise.all([
    context.store.list({ limit: Number.MAX_SAFE_INTEGER }),
    context.store.manifests(),
  ]);
  const planned = new Map<string, PlannedApp>();
  for (const app of apps) {
    const manifest = manifests.get(app.id);
    if (manifest) planned.set(app.name, await plannedApp(context, app, manifest));
  }
  return planned;
}

async function plannedApp(context: MarketplaceContext, app: AppRecord, manifest: AppManifest): Promise<PlannedApp> {
  return {
    name: app.name,
    version: app.version,
    state: app.state,
    dependencies: manifest.dependencies.map((dependency) => ({
      appName: dependency.appName,
      hard: dependency.kind === DependencyKind.HARD,
      versionConstraint: dependency.versionConstraint,
    })),
    approvalsNeeded: await missingApprovals(context, app, manifest),
  };
}

async function missingApprovals(
  context: MarketplaceContext,
  app: AppRecord,
  manifest: AppManifest,
): Promise<readonly string[]> {
  const wanted = requirementsOf(manifest)
    .filter((requirement) => requirement.needsApproval)
    .map((requirement) => requirement.scope);
  if (wanted.length === 0) return [];
  const approved = new Set((await context.store.approvals(app.id)).map((approval) => approval.scope));
  return wanted.filter((scope) => !approved.has(scope));
}
