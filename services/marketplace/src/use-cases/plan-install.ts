import { AppError, type Problem } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { computeInstallPlan, type InstallPlan, type InstallPlanOptions } from "../domain/install-plan.ts";
import { planDigest } from "../domain/plan-digest.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireKnown } from "./find-app.ts";
import { plannedApps, withApprovals } from "./planned-apps.ts";

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
  const plan = computeInstallPlan(name, await withApprovals(context, [name], registered), { withDependencies });
  const empty = await clonesWithoutData(context, plan.steps);
  if (empty.length > 0) return { app, ...plan, steps: [], blockers: empty, digest: planDigest([]) };
  return { app, ...plan, digest: planDigest(plan.steps) };
}

/** Returns a blocker for each clone that does not have the data of its snapshot. Once installed, it would begin with none. */
async function clonesWithoutData(
  { apps, snapshots }: MarketplaceContext,
  steps: InstallPlan["steps"],
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const { appName } of steps) {
    const app = apps.get(appName)?.app;
    if (!app?.clonedFrom || app.lastGeneration > 0 || (await snapshots.isRestored(app.id))) continue;
    const message = `${appName} does not have the data of its snapshot yet; clone the app again if the restore failed`;
    problems.push({ code: "INVALID_STATE", message, details: { app: appName } });
  }
  return problems;
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
