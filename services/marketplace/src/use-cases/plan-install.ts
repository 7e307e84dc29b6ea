import { createHash } from "node:crypto";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { AppError } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { type InstallPlan, type PlannedApp, type PlanStep, planInstall as planOver } from "../domain/install-plan.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { type MarketplaceContext, requireKnown } from "./context.ts";
import { missingApprovals } from "./grant-permissions.ts";

/**
 * Returns the steps of an installation and what blocks it. Changes nothing. `digest` covers the manifests that the steps would
 * install. Throws NOT_FOUND for an unknown name or an unregistered `version`, and INVALID_STATE for a registered version that
 * an installation would not use.
 */
export async function planInstall(
  context: MarketplaceContext,
  name: string,
  version?: string,
): Promise<InstallPlan & { readonly app: AppRecord; readonly digest: string }> {
  const planned = await plannedApps(context);
  const { app } = requireKnown(context.apps.get(name), name);
  if (version !== undefined && version !== app.version) throw otherVersion(app, version);
  const plan = planOver(name, planned);
  return { app, ...plan, digest: digestOf(plan.steps) };
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

/** Returns every registered app in the form that plans use, by name. */
export async function plannedApps(context: MarketplaceContext): Promise<ReadonlyMap<string, PlannedApp>> {
  const apps = [...(await context.apps.allCurrent())].sort((a, b) => (a.app.name < b.app.name ? -1 : 1));
  const planned = new Map<string, PlannedApp>();
  for (const live of apps) planned.set(live.app.name, await plannedApp(context, live));
  return planned;
}

async function plannedApp(context: MarketplaceContext, { app, manifest }: LiveApp): Promise<PlannedApp> {
  return {
    name: app.name,
    version: app.version,
    manifestDigest: app.manifestDigest,
    state: app.state,
    dependencies: manifest.dependencies.map((dependency) => ({
      appName: dependency.appName,
      hard: dependency.kind === DependencyKind.HARD,
      versionConstraint: dependency.versionConstraint,
    })),
    approvalsNeeded: await missingApprovals(context, app, manifest),
  };
}

/** hex */
function digestOf(steps: readonly PlanStep[]): string {
  const content = steps.map(({ appName, version, manifestDigest }) => [appName, version, manifestDigest]);
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
