import type { Call } from "@appserver/kernel";
import { type AppImage, imageOf } from "../domain/app-image.ts";
import type { Requirement } from "../domain/required-permissions.ts";
import type { MarketplaceContext } from "./context.ts";
import { manifestOf } from "./find-app.ts";
import { missingApprovals } from "./missing-approvals.ts";
import { type PlanInstallOptions, planInstall } from "./plan-install.ts";
import { requireView } from "./read-apps.ts";

export interface PlanRequest extends PlanInstallOptions {
  readonly name: string;
}

export interface ReviewedPlan extends Awaited<ReturnType<typeof planInstall>> {
  /** The image of the app itself. */
  readonly image: AppImage | undefined;
  /** The permissions of the app itself that need an approval and lack it. */
  readonly approvalsNeeded: readonly Requirement[];
}

/** Returns the plan of an installation for review. Needs `app:view`. Throws the same errors as {@link planInstall}. */
export async function readInstallPlan(
  context: MarketplaceContext,
  { name, ...options }: PlanRequest,
  call: Call,
): Promise<ReviewedPlan> {
  await requireView(context, call);
  const plan = await planInstall(context, name, options);
  const manifest = await manifestOf(context, plan.app);
  return { ...plan, image: imageOf(manifest), approvalsNeeded: await missingApprovals(context, plan.app, manifest) };
}
