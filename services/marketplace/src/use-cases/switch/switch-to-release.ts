import { AppError, type Caller, type Initiator, isAppError, outsideKeyedWork, requireBoundTo } from "@appserver/kernel";
import type { LiveApp } from "../../domain/live-app.ts";
import type { CommandOrigin } from "../../ports.ts";
import type { MarketplaceContext } from "../context.ts";
import { describeRunning } from "../describe/describe-release.ts";
import { requireApp } from "../find-app.ts";
import { installStep } from "../install-step.ts";
import { requireApproved } from "../missing-approvals.ts";
import { onCurrentApp } from "../on-current-app.ts";
import type { CommandResult } from "../operation.ts";
import { type PlannedSwitch, planUpgrade, type UpgradeAction, type UpgradeRequest } from "../plan-upgrade.ts";
import { requireSwitchable } from "../require-installed.ts";
import { requireNoBlockers, requireReviewed } from "../reviewed-plan.ts";
import { beginSwitch } from "./begin-switch.ts";
import { dataOfSwitch } from "./data-of-switch.ts";
import { revertSwitch } from "./revert-switch.ts";

export interface VersionRequest extends UpgradeRequest {
  /** Digest of the reviewed plan. CONFLICT if the plan has changed since. */
  readonly planDigest?: string | undefined;
  /** Of a rollback: whether the app gets the data that it had before the upgrade. */
  readonly withData?: boolean | undefined;
}

/** Who or what started a switch. */
export interface SwitchInitiator extends Initiator {
  readonly origin: CommandOrigin;
  /** Undefined: the platform itself. */
  readonly caller?: Caller | undefined;
}

/** Switches an app to another release, or cancels a running switch. Checks no permissions. */
export async function switchTo(
  context: MarketplaceContext,
  request: VersionRequest,
  action: UpgradeAction,
  { origin, caller, ...by }: SwitchInitiator,
): Promise<CommandResult> {
  const { name, version } = request;
  let live = await requireApp(context, name);
  if (action === "rollback" && version === undefined && live.app.target) {
    const cancelled = await cancelSwitch(context, name, by);
    if (cancelled) return cancelled;
    live = await requireApp(context, name);
  }
  const plan = await reviewedPlan(context, requireSwitchable(live), request, action);
  const installs = plan.steps.filter((step) => step.action === "install");
  for (const { appName } of installs) if (caller) requireBoundTo(caller, appName);
  for (const step of installs) await outsideKeyedWork(() => installStep(context, step, by));
  await describeRunning(context, plan.live, plan.to, plan.release.manifestDigest);
  const begin = () =>
    onCurrentApp(async () => {
      // Again, because another command may have changed it before this one had the lock.
      const current = requireSwitchable(await requireApp(context, name));
      requireUnchanged(current, plan);
      await requireApproved(context, current.app, plan.to.manifest);
      const data = await dataOfSwitch(context, current, plan, { action, withData: request.withData ?? false });
      return beginSwitch(context, current, { kind: action, release: plan.release, to: plan.to, ...by, ...data });
    });
  return context.lock.run(name, begin, origin);
}

/**
 * Returns the plan. Throws CONFLICT if it is not the reviewed one, also if it cannot be made any more because another switch has ended
 * since. Throws the first blocker, with all of them in the details.
 */
async function reviewedPlan(
  context: MarketplaceContext,
  live: LiveApp,
  { planDigest, ...request }: VersionRequest,
  action: UpgradeAction,
): Promise<PlannedSwitch> {
  const plan = await planUpgrade(context, live, request, action).catch((error: unknown) => {
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
function cancelSwitch(context: MarketplaceContext, name: string, by: Initiator): Promise<CommandResult | undefined> {
  return context.lock.run(name, () =>
    onCurrentApp(async () => {
      const { app } = await requireApp(context, name);
      if (!app.target) return undefined;
      return revertSwitch(context, app, { code: "CANCELED", message: `cancelled by ${by.actor}` }, by);
    }),
  );
}
