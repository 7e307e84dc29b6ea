import { quote } from "@appserver/contracts/patterns";
import { AppError, actorOf, type Call, requirePermission } from "@appserver/kernel";
import type { AppRecord, OperationRecord, Release, SwitchKind } from "../domain/app.ts";
import { approvalRequired } from "../domain/install-plan.ts";
import { type LiveApp, type LiveRelease, liveRelease } from "../domain/live-app.ts";
import { compareReleases, isNewer } from "../domain/releases.ts";
import { compareVersions } from "../domain/version-constraint.ts";
import { type MarketplaceContext, requireApp } from "./context.ts";
import { missingApprovals } from "./grant-permissions.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { requireEnabled, requireInstalled, requireNotSwitching } from "./require-installed.ts";
import { beginSwitch, revertSwitch } from "./switch-release.ts";

export interface VersionRequest {
  readonly name: string;
  /** Default of an upgrade: the newest registered version; of a rollback: the version that served before. */
  readonly version?: string | undefined;
}

export interface RunningCommand {
  readonly app: AppRecord;
  readonly operation: OperationRecord;
}

/**
 * Switches an installed app to a newer registered version (docs/interface/states.md#switch). Resolves when the switch has
 * started: the operation tells when it ended. Apps without a container have switched then.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE, APPROVAL_REQUIRED, or CONFLICT if the app is switching already.
 */
export async function upgradeApp(context: MarketplaceContext, request: VersionRequest, call: Call): Promise<RunningCommand> {
  await requirePermission(context.permissions, call.caller, "app:install");
  return switchTo(context, request, "upgrade", actorOf(call.caller));
}

/**
 * Switches an installed app back to an earlier version that is kept. While the app is switching, cancels that instead.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE (also if a version in between migrated data irreversibly), or CONFLICT.
 */
export async function rollbackApp(context: MarketplaceContext, request: VersionRequest, call: Call): Promise<RunningCommand> {
  await requirePermission(context.permissions, call.caller, "app:install");
  return switchTo(context, request, "rollback", actorOf(call.caller));
}

export interface RedeployRequest {
  readonly name: string;
  /** Whether to resolve the image's tag again. Otherwise the same image runs. */
  readonly pull: boolean;
}

/** Starts a new deployment of the version that serves, beside the old one, and switches to it. Throws like {@link upgradeApp}. */
export async function redeployApp(
  context: MarketplaceContext,
  { name, pull }: RedeployRequest,
  { caller }: Call,
): Promise<RunningCommand> {
  await requirePermission(context.permissions, caller, "app:install");
  return context.lock.run(name, () =>
    onCurrentApp(async () => {
      const live = await requireSwitchable(context, name);
      const { app } = live;
      if (!live.placement.needsContainer) {
        throw new AppError("INVALID_STATE", `${name} has no container to deploy again`, { details: { app: name } });
      }
      const current = (await context.store.releases(app.id)).find(
        ({ manifestDigest }) => manifestDigest === app.manifestDigest,
      );
      if (!current) throw new Error(`the release of ${name} that serves is missing`);
      const release = pull ? { ...current, imageDigest: undefined } : current;
      return beginSwitch(context, live, { kind: "redeploy", release, to: live, actor: actorOf(caller) });
    }),
  );
}

export function switchTo(
  context: MarketplaceContext,
  { name, version }: VersionRequest,
  kind: Exclude<SwitchKind, "redeploy">,
  actor: string,
): Promise<RunningCommand> {
  return context.lock.run(name, () =>
    onCurrentApp(async () => {
      const cancels = kind === "rollback" && version === undefined;
      const stored = await requireApp(context, name);
      if (cancels && stored.app.target) return cancelSwitch(context, stored.app, actor);
      const live = await requireSwitchable(context, name);
      const release = await chooseRelease(context, live.app, kind, version);
      const to = await readRelease(context, live.app, release);
      await requireApproved(context, live.app, to);
      return beginSwitch(context, live, { kind, release, to, actor });
    }),
  );
}

function cancelSwitch(context: MarketplaceContext, app: AppRecord, actor: string): Promise<RunningCommand> {
  const message = `cancelled by ${actor}`;
  return revertSwitch(context, app, { code: "CANCELED", message }, actor);
}

/** Throws INVALID_STATE unless the app is installed and enabled, and CONFLICT if it is switching to another release. */
async function requireSwitchable(context: MarketplaceContext, name: string): Promise<LiveApp> {
  const live = await requireApp(context, name);
  const { app } = live;
  requireInstalled(app, "switch to another version");
  requireEnabled(app, "switch to another version");
  requireNotSwitching(app);
  return live;
}

/** Returns the release to switch to. Throws NOT_FOUND or INVALID_STATE. */
async function chooseRelease(
  context: MarketplaceContext,
  app: AppRecord,
  kind: "upgrade" | "rollback",
  version: string | undefined,
): Promise<Release> {
  const releases = await context.store.releases(app.id);
  const isCandidate = (release: Release): boolean => (kind === "upgrade" ? isNewer(release, app) : isNewer(app, release));
  const named = releases
    .filter((release) => version === undefined || release.version === version)
    .sort((a, b) => compareReleases(b, a));
  if (version !== undefined && named.length === 0) {
    throw new AppError("NOT_FOUND", `version ${quote(version)} of ${app.name} is not registered, or no longer kept`, {
      details: { app: app.name, version, kept: releases.map((release) => release.version) },
    });
  }
  const candidates = named.filter(isCandidate);
  const [chosen] = kind === "upgrade" ? candidates : version === undefined ? lastServed(candidates) : candidates;
  if (!chosen) throw nothingToSwitchTo(app, kind, version);
  if (kind === "rollback") await requireReversible(context, app, releases, chosen);
  return chosen;
}

function lastServed(releases: readonly Release[]): readonly Release[] {
  return releases
    .filter(({ servedAt }) => servedAt !== undefined)
    .sort((a, b) => (b.servedAt?.getTime() ?? 0) - (a.servedAt?.getTime() ?? 0));
}

function nothingToSwitchTo(app: AppRecord, kind: "upgrade" | "rollback", version: string | undefined): AppError {
  const details = { app: app.name, version: app.version };
  if (version === undefined) {
    const missing = kind === "upgrade" ? "no newer version" : "no earlier version that served";
    return new AppError("INVALID_STATE", `${app.name} ${app.version} runs, and ${missing} is registered`, { details });
  }
  const relation = compareVersions(version, app.version) === 0 ? "runs already" : `is no ${kind} of ${app.version}`;
  return new AppError("INVALID_STATE", `${app.name} ${version} ${relation}`, { details });
}

/** Throws INVALID_STATE if a version after `chosen`, up to the one that serves, changed data irreversibly. */
async function requireReversible(
  context: MarketplaceContext,
  app: AppRecord,
  releases: readonly Release[],
  chosen: Release,
): Promise<void> {
  for (const release of releases) {
    if (!isNewer(release, chosen) || isNewer(release, app)) continue;
    if (release.servedAt === undefined) continue;
    const manifest = await context.store.manifest(app.id, release.manifestDigest);
    if (!manifest?.irreversibleMigration) continue;
    throw new AppError(
      "INVALID_STATE",
      `${app.name} ${release.version} changed data so that ${chosen.version} cannot run again (irreversible_migration)`,
      { details: { app: app.name, version: chosen.version, irreversible: release.version } },
    );
  }
}

async function readRelease(context: MarketplaceContext, app: AppRecord, release: Release): Promise<LiveRelease> {
  const manifest = await context.store.manifest(app.id, release.manifestDigest);
  if (!manifest) throw new Error(`the manifest of ${app.name} ${release.version} is missing`);
  return liveRelease(manifest);
}

async function requireApproved(context: MarketplaceContext, app: AppRecord, { manifest }: LiveRelease): Promise<void> {
  const missing = await missingApprovals(context, app, manifest);
  if (missing.length === 0) return;
  const { message, details = {} } = approvalRequired(app.name, missing);
  throw new AppError("APPROVAL_REQUIRED", message, { details });
}
