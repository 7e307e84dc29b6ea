import { quote } from "@appserver/contracts/patterns";
import { AppError, type Call } from "@appserver/kernel";
import type { AppRecord, Release, SwitchKind } from "../domain/app.ts";
import { excessiveDemands } from "../domain/excessive-limits.ts";
import type { InstallPlanOptions } from "../domain/install-plan.ts";
import { type LiveApp, type LiveRelease, liveRelease } from "../domain/live-app.ts";
import { type ManifestDifferences, manifestDifferences } from "../domain/manifest-differences.ts";
import { dependenciesOf } from "../domain/planned-app.ts";
import { compareReleases, type PlannedRelease, plannedRelease } from "../domain/planned-release.ts";
import { isNewer } from "../domain/releases.ts";
import type { Requirement } from "../domain/required-permissions.ts";
import { planUpgrade as planOver, type UpgradePlan } from "../domain/upgrade-plan.ts";
import { compareVersions, isVersion } from "../domain/version-constraint.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireApp } from "./find-app.ts";
import { missingApprovals } from "./missing-approvals.ts";
import { plannedApps, withApprovals } from "./planned-apps.ts";
import { requireView } from "./read-apps.ts";

export type UpgradeAction = Exclude<SwitchKind, "redeploy">;

export interface UpgradeRequest extends InstallPlanOptions {
  readonly name: string;
  /** Default of an upgrade: the newest registered version; of a rollback: the version that served before. */
  readonly version?: string | undefined;
}

/** What an upgrade or a rollback would do, and what it changes. */
export interface PlannedSwitch extends UpgradePlan {
  readonly live: LiveApp;
  readonly release: Release;
  readonly to: LiveRelease;
  readonly differences: ManifestDifferences;
  readonly approvalsNeeded: readonly Requirement[];
}

/**
 * Plans the switch of an app to another release. Changes nothing. Throws NOT_FOUND for a version that is not kept, and
 * INVALID_STATE if there is no release to switch to.
 */
export async function planUpgrade(
  context: MarketplaceContext,
  live: LiveApp,
  { name, version, withDependencies }: UpgradeRequest,
  action: UpgradeAction,
): Promise<PlannedSwitch> {
  const { app } = live;
  const releases = await context.store.releases(app.id);
  const release = chooseRelease(app, releases, action, version);
  const to = await readRelease(context, app, release);
  const approvalsNeeded = await missingApprovals(context, app, to.manifest);
  const differences = manifestDifferences(live.manifest, to.manifest, context.policy.crossAppApproval);
  const hard = dependenciesOf(to.manifest).filter((dependency) => dependency.hard);
  const apps = await withApprovals(
    context,
    hard.map(({ appName }) => appName),
    await plannedApps(context),
  );
  const request = {
    action,
    name,
    withDependencies,
    from: plannedRelease(live.manifest, { ...app, approvalsNeeded: [] }),
    to: plannedRelease(to.manifest, { ...release, approvalsNeeded }),
    releases: action === "rollback" ? await migrationsOf(context, app, releases) : [],
    differences,
    storedSettings: await context.settings.storedKeys(app.id),
    platformVersion: context.policy.platformVersion,
    excessiveLimits: excessiveDemands(name, release.version, to.manifest, context.policy),
  };
  return { ...planOver(request, apps), live, release, to, differences, approvalsNeeded };
}

/** Returns the plan of an upgrade for review. Needs `app:view`. Throws like {@link planUpgrade}, and NOT_FOUND for an unknown name. */
export async function readUpgradePlan(
  context: MarketplaceContext,
  request: UpgradeRequest,
  call: Call,
): Promise<PlannedSwitch> {
  await requireView(context, call);
  const live = await requireApp(context, request.name);
  return planUpgrade(context, live, request, actionFor(live, request));
}

/** A version below the one that serves is a rollback. */
function actionFor({ app }: LiveApp, { version }: UpgradeRequest): UpgradeAction {
  return version !== undefined && isVersion(version) && compareVersions(version, app.version) < 0 ? "rollback" : "upgrade";
}

function chooseRelease(
  app: AppRecord,
  releases: readonly Release[],
  action: UpgradeAction,
  version: string | undefined,
): Release {
  const named = releases
    .filter((release) => version === undefined || release.version === version)
    .sort((a, b) => compareReleases(b, a));
  if (version !== undefined && named.length === 0) {
    throw new AppError("NOT_FOUND", `version ${quote(version)} of ${app.name} is not registered, or no longer kept`, {
      details: { app: app.name, version, kept: releases.map((release) => release.version) },
    });
  }
  const candidates = named.filter((release) => (action === "upgrade" ? isNewer(release, app) : isNewer(app, release)));
  const [chosen] = action === "rollback" && version === undefined ? lastServed(candidates) : candidates;
  if (!chosen) throw nothingToSwitchTo(app, action, version);
  return chosen;
}

function lastServed(releases: readonly Release[]): readonly Release[] {
  return releases
    .filter(({ servedAt }) => servedAt !== undefined)
    .sort((a, b) => (b.servedAt?.getTime() ?? 0) - (a.servedAt?.getTime() ?? 0));
}

function nothingToSwitchTo(app: AppRecord, action: UpgradeAction, version: string | undefined): AppError {
  const details = { app: app.name, version: app.version };
  if (version === undefined) {
    const missing = action === "upgrade" ? "no newer version is registered" : "no earlier version that served is kept";
    return new AppError("INVALID_STATE", `${app.name} has version ${app.version}, and ${missing}`, { details });
  }
  const order = compareVersions(version, app.version);
  const relation = order === 0 ? "it has that version already" : order > 0 ? "that is an upgrade" : "that is a rollback";
  return new AppError("INVALID_STATE", `${app.name} has version ${app.version}, asked for ${version}: ${relation}`, {
    details,
  });
}

/** Returns the releases that served, with what their manifests say about migrations. */
async function migrationsOf(
  { store }: MarketplaceContext,
  app: AppRecord,
  releases: readonly Release[],
): Promise<readonly PlannedRelease[]> {
  const read = async (release: Release): Promise<readonly PlannedRelease[]> => {
    const manifest = await store.manifest(app.id, release.manifestDigest);
    return manifest ? [plannedRelease(manifest, { ...release, approvalsNeeded: [] })] : [];
  };
  return (await Promise.all(releases.map(read))).flat();
}

async function readRelease({ store }: MarketplaceContext, app: AppRecord, release: Release): Promise<LiveRelease> {
  const manifest = await store.manifest(app.id, release.manifestDigest);
  if (!manifest) throw new Error(`the manifest of ${app.name} ${release.version} is missing`);
  return liveRelease(manifest);
}
