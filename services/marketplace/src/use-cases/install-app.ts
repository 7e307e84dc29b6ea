import {
  AppError,
  type Call,
  initiatorOf,
  outsideKeyedWork,
  type Problem,
  requireBoundTo,
  requirePermission,
} from "@appserver/kernel";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { installStep } from "./install-step.ts";
import type { CommandResult } from "./operation.ts";
import { planInstall } from "./plan-install.ts";
import { requireNoBlockers, requireReviewed } from "./reviewed-plan.ts";

export interface InstalledWithWarnings extends CommandResult {
  readonly warnings: readonly Problem[];
}

export interface InstallRequest {
  readonly name: string;
  /** Digest of the reviewed plan. CONFLICT if the plan has changed since. */
  readonly planDigest?: string | undefined;
  /** Whether missing HARD dependencies are installed, too. Otherwise each is a blocker. Default true. */
  readonly withDependencies?: boolean | undefined;
}

/**
 * Installs the app and, before it, the HARD dependencies that are not yet installed. Resolves at INSTALLED, with
 * `app.installed` committed in the same transaction (docs/interface/states.md#installation). Containers start afterwards.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE, APPROVAL_REQUIRED or DEPENDENCY_UNSATISFIED with all blockers in the
 * details. Throws CONFLICT if another command works on the app, or if an app of the plan was registered again since.
 */
export async function installApp(
  context: MarketplaceContext,
  request: InstallRequest,
  call: Call,
): Promise<InstalledWithWarnings> {
  const { name, planDigest, withDependencies } = request;
  const { caller } = call;
  await requirePermission(context.permissions, call, "app:install");
  const earlier = await earlierResult(context, name);
  if (earlier) return { ...earlier, warnings: [] };
  const plan = await planInstall(context, name, { withDependencies });
  requireReviewed(`the plan to install ${name}`, planDigest, plan.digest, name);
  requireNoBlockers(plan);
  for (const { appName } of plan.steps) requireBoundTo(caller, appName);
  let installed: CommandResult | undefined;
  for (const step of plan.steps) {
    const install = () => installStep(context, step, initiatorOf(caller));
    // A repeated request with a key installs only the dependencies that are not yet installed.
    installed = step.appName === name ? await install() : await outsideKeyedWork(install);
  }
  if (installed) return { ...installed, warnings: plan.warnings };
  throw new AppError("INVALID_STATE", `${name} is ${plan.app.state} already`, {
    details: { app: name, from: plan.app.state, to: "INSTALLING" },
  });
}
