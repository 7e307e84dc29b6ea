import { AppError, actorOf, type Call, isAppError, requirePermission } from "@appserver/kernel";
import type { AppRecord, Release } from "../domain/app.ts";
import { approvalRequired } from "../domain/install-plan.ts";
import type { LiveApp, LiveRelease } from "../domain/live-app.ts";
import type { CommandOrigin } from "../ports.ts";
import { type MarketplaceContext, requireApp } from "./context.ts";
import { installOne } from "./install-app.ts";
import { missingApprovals } from "./missing-approvals.ts";
import { onCurrentApp } from "./on-current-app.ts";
import type { CommandResult } from "./operation.ts";
import { type PlannedSwitch, planUpgrade, type UpgradeAction, type UpgradeRequest } from "./plan-upgrade.ts";
import { requireEnabled, requireInstalled, requireNotSwitching } from "./require-installed.ts";
import { requireNoBlockers, requireReviewed, throwProblem } from "./reviewed-plan.ts";
import { beginSwitch, revertSwitch } from "./switch-release.ts";

export interface VersionRequest extends UpgradeRequest {
  /** Digest of the reviewed plan. CONFLICT if the plan has changed since. */
  readonly planDigest?: string | undefined;
}

/**
 * Switches an installed app to a newer registered version (docs/interface/states.md#switch). Resolves when the switch has
 * started; the operation shows when it has ended. Apps without a container have already switched then.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE, APPROVAL_REQUIRED, or CONFLICT if the app is already switching.
 */
export async function upgradeApp(context: MarketplaceContext, request: VersionRequest, call: Call): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:install");
  return switchTo(context, request, "upgrade", { actor: actorOf(call.caller), origin: "caller" });
}

/**
 * Switches an installed app back to an earlier version that is kept. While the app is switching, cancels the switch instead.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE (also if a version in between migrated data irreversibly), or CONFLICT.
 */
export async function rollbackApp(context: MarketplaceContext, request: VersionRequest, call: Call): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:install");
  return switchTo(context, request, "rollback", { actor: actorOf(call.caller), origin: "caller" });
}

export interface RedeployRequest {
  readonly name: string;
  /** Whether to resolve the image's tag again. Otherwise the same image runs. */
  readonly pull: boolean;
}

/** Starts a new deployment of the version that serves, and switches from the old one to it. Throws like {@link upgradeApp}. */
export async function redeployApp(
  context: MarketplaceContext,
  { name, pull }: RedeployRequest,
  call: Call,
): Promise<CommandResult> {
  const { caller } = call;
  await requirePermission(context.permissions, call, "app:install");
  return context.lock.run(name, () =>
    onCurrentApp(async () => {
      const live = await requireSwitchable(context, name);
      if (!live.placement.needsContainer) {
        throw new AppError("INVALID_STATE", `${name} has no container to deploy again`, { details: { app: name } });
      }
      const current = await servingRelease(context, live);
      const release = pull ? { ...current, imageDigest: undefined } : current;
      return beginSwitch(context, live, { kind: "redeploy", release, to: live, actor: actorOf(caller) });
    }),
  );
}

/** Returns the stored release that serves. */
export async function servingRelease({ store }: MarketplaceContext, { app }: LiveApp): Promise<Release> {
  const current = (await store.releases(app.id)).find(({ manifestDigest }) => manifestDigest === app.manifestDigest);
  if (!current) throw new Error(`the release of ${app.name} that serves is missing`);
  return current;
}

/** Who or what started a command. */
export interface Initiator {
  /** For the audit log. */
  readonly actor: string;
  readonly origin: CommandOrigin;
}

/** Does what {@link upgradeApp} and {@link rollbackApp} do, without a check of permissions. */
export async function switchTo(
  context: MarketplaceContext,
  request: VersionRequest,
  action: UpgradeAction,
  { actor, origin }: Initiator,
): Promise<CommandResult> {
  const { name, version } = request;
  if (action === "rollback" && version === undefined) {
    const cancelled = await cancelSwitch(context, name, actor);
    if (cancelled) return cancelled;
  }
  await requireSwitchable(context, name);
  const plan = await reviewedPlan(context, request, action);
  for (const step of plan.steps) if (step.action === "install") await installOne(context, step, actor);
  const begin = () =>
    onCurrentApp(async () => {
      const live = await requireSwitchable(context, name);
      requireUnchanged(live, plan);
      await requireApproved(context, live.app, plan.to);
      return beginSwitch(context, live, { kind: action, release: plan.release, to: plan.to, actor });
    });
  return context.lock.run(name, begin, origin);
}

/**
 * Returns the plan. Throws CONFLICT if it is not the reviewed one, also if it cannot be made any more because another switch has ended
 * since. Throws the first blocker, with all of them in the details.
 */
async function reviewedPlan(
  context: MarketplaceContext,
  { planDigest, ...request }: VersionRequest,
  action: UpgradeAction,
): Promise<PlannedSwitch> {
  const plan = await planUpgrade(context, request, action).catch((error: unknown) => {
    if (planDigest === undefined || !isAppError(error, "INVALID_STATE")) throw error;
    throw new AppError("CONFLICT", `${error.message}: the reviewed plan is out of date`, {
      details: { app: request.name, expected: planDigest },
    });
  });
  requireReviewed(`the plan to change ${request.name}`, planDigest, plan.digest, request.name);
  requireNoBlockers(plan);
  return plan;
}

/** Throws CONFLICT if the app was switched or replaced after the plan was made. */
function requireUnchanged({ app }: LiveApp, { live }: PlannedSwitch): void {
  if (app.id === live.app.id && app.manifestDigest === live.app.manifestDigest) return;
  throw new AppError("CONFLICT", `${app.name} was changed after its plan was made; plan it again`, {
    details: { app: app.name, planned: live.app.version, present: app.version },
  });
}

/** Ends a running switch. Returns undefined if there is none. */
function cancelSwitch(context: MarketplaceContext, name: string, actor: string): Promise<CommandResult | undefined> {
  return context.lock.run(name, () =>
    onCurrentApp(async () => {
      const { app } = await requireApp(context, name);
      if (!app.target) return undefined;
      return revertSwitch(context, app, { code: "CANCELED", message: `cancelled by ${actor}` }, actor);
    }),
  );
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

async function requireApproved(context: MarketplaceContext, app: AppRecord, { manifest }: LiveRelease): Promise<void> {
  const missing = await missingApprovals(context, app, manifest);
  if (missing.length > 0) throwProblem(approvalRequired(app.name, missing));
}
