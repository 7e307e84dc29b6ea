import { createHash } from "node:crypto";
import { ask } from "../client.ts";
import { differenceSections, neededText } from "../commands/plan-differences.ts";
import {
  InstallPlanDocument,
  type InstallPlanQuery,
  type NeededApprovalFragment,
  UpgradePlanDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { blockersOf } from "./blockers.ts";
import { canonicalJson } from "./canonical.ts";
import { compare } from "./compare.ts";
import { isRegistered } from "./compare-app.ts";
import { ownerOf } from "./grant-form.ts";
import type { PlanInput } from "./plan-input.ts";
import { type Approval, approvalText } from "./platform-state.ts";
import type { LivePlatform } from "./read-platform.ts";
import type { Change, Step } from "./step.ts";

/** What `apply` would do. */
export interface PlatformPlan {
  readonly steps: readonly Step[];
  /** Steps that only `--prune` does. */
  readonly left: readonly Step[];
  /** Why it cannot be done. */
  readonly blockers: readonly string[];
  readonly warnings: readonly string[];
  /** Permissions that apps need, and that neither the platform nor the file approves. */
  readonly needsApproval: readonly string[];
  /** Of all that it would do, and of what it would do it to. */
  readonly digest: string;
}

/** What the platform says of one app. */
type AppPlan = Pick<InstallPlanQuery["installPlan"], "steps" | "blockers" | "warnings" | "approvalsNeeded"> & {
  readonly differences?: unknown;
};

/** Plans what makes a platform what a file says. Changes nothing. */
export async function planPlatform(options: GlobalOptions, input: PlanInput): Promise<PlatformPlan> {
  const all = compare(input.file, input.live, input.find);
  const chosen = all.filter(({ isPrune }) => input.prune || !isPrune);
  const appPlans = await readAppPlans(options, chosen, input.live);
  const steps = chosen.flatMap((step) => withAppPlan(step, appPlans));
  const approved = new Map(input.file.apps.map(({ name, approvals }) => [name, new Set(approvals.map(approvalText))]));
  const plans = [...appPlans];
  const blockers = [
    ...blockersOf(input, steps),
    ...plans.flatMap(([, { blockers: found }]) => found.filter(({ code }) => !isResolved(code)).map(({ message }) => message)),
  ];
  const needsApproval = plans.flatMap(([app, { approvalsNeeded }]) =>
    approvalsNeeded
      .filter((needed) => !approved.get(app)?.has(approvalText(approvalOf(needed))))
      .map((needed) => `${app}: ${neededText(needed)}`),
  );
  const warnings = plans.flatMap(([, { warnings: found }]) => found.map(({ message }) => message));
  const left = all.filter((step) => !chosen.includes(step));
  return { steps, left, blockers, warnings, needsApproval, digest: digestOf(steps, blockers, needsApproval) };
}

function digestOf(steps: readonly Step[], ...rest: readonly (readonly string[])[]): string {
  const changes = steps.map(({ change }) => change);
  return createHash("sha256")
    .update(canonicalJson([changes, ...rest]))
    .digest("hex");
}

/** The plan of a platform approves permissions and installs dependencies before. What it lacks of them is reported by itself. */
function isResolved(code: string): boolean {
  return code === "APPROVAL_REQUIRED" || code === "DEPENDENCY_UNSATISFIED";
}

/** Reads the plans of installations and switches to releases that are registered. Others are judged when they are. */
async function readAppPlans(
  options: GlobalOptions,
  steps: readonly Step[],
  { apps }: LivePlatform,
): Promise<ReadonlyMap<string, AppPlan>> {
  const plans = new Map<string, AppPlan>();
  for (const { change } of steps) {
    if (change.kind !== "install" && change.kind !== "upgrade" && change.kind !== "rollback") continue;
    const { app: name, version, manifest } = change;
    const live = apps.find((app) => app.name === name);
    if (!isRegistered({ manifest }, live)) continue;
    if (change.kind !== "install") plans.set(name, (await ask(options, UpgradePlanDocument, { name, version })).upgradePlan);
    else if (live?.manifest === manifest)
      plans.set(name, (await ask(options, InstallPlanDocument, { name, withDependencies: false })).installPlan);
  }
  return plans;
}

/** Leaves out approvals that are there already, and adds what a release changes. */
function withAppPlan(step: Step, appPlans: ReadonlyMap<string, AppPlan>): readonly Step[] {
  const { change } = step;
  const plan = "app" in change ? appPlans.get(change.app) : undefined;
  if (!plan) return [step];
  if (change.kind === "upgrade" || change.kind === "rollback")
    return [{ ...step, details: differenceSections(plan.differences ?? {}).filter(Boolean) }];
  if (change.kind !== "approve") return [step];
  const needed = new Set(plan.approvalsNeeded.map(approvalOf).map(approvalText));
  const approvals = change.approvals.filter((approval) => needed.has(approvalText(approval)));
  return approvals.length === 0 ? [] : [{ ...step, change: { ...change, approvals } satisfies Change }];
}

function approvalOf({ scope, resourceType }: NeededApprovalFragment): Approval {
  return { scope, of: ownerOf(scope, resourceType) };
}
