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
import { imageText } from "../image-text.ts";
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
type AppPlan = Pick<InstallPlanQuery["installPlan"], "image" | "steps" | "blockers" | "warnings" | "approvalsNeeded"> & {
  readonly differences?: unknown;
};

/** Plans what makes a platform what a file says. Changes nothing. */
export async function planPlatform(options: GlobalOptions, input: PlanInput): Promise<PlatformPlan> {
  const all = compare(input.file, input.live, input.find);
  const chosen = all.filter(({ isPrune }) => input.prune || !isPrune);
  const appPlans = await readAppPlans(options, chosen, input.live);
  const steps = chosen.flatMap((step) => withAppPlan(step, appPlans));
  const plans = [...appPlans];
  const blockers = [
    ...blockersOf(input, steps),
    ...plans.flatMap(([, { blockers: found }]) => found.filter(({ code }) => !isResolved(code)).map(({ message }) => message)),
  ];
  const needsApproval = unapproved(input, [
    ...plans.map(([app, { approvalsNeeded }]) => [app, approvalsNeeded] as const),
    ...neededByNew(input, steps),
  ]);
  const warnings = plans.flatMap(([, { warnings: found }]) => found.map(({ message }) => message));
  const left = all.filter((step) => !chosen.includes(step));
  return { steps, left, blockers, warnings, needsApproval, digest: digestOf(steps, blockers, needsApproval) };
}

type Needed = readonly [app: string, permissions: readonly NeededApprovalFragment[]];

/** Returns what releases need that are not registered yet, and what they were not approved for before. */
function neededByNew({ file, live, find }: PlanInput, steps: readonly Step[]): readonly Needed[] {
  const registered = new Set(steps.flatMap(({ change }) => (change.kind === "register" ? [change.app] : [])));
  const entries = file.apps.filter(({ name, state }) => registered.has(name) && state !== "REGISTERED");
  return entries.map((entry) => {
    const held = new Set(live.apps.find(({ name }) => name === entry.name)?.approvals.map(approvalText));
    const needed = find(entry)?.needsApproval ?? [];
    return [entry.name, needed.filter((each) => !held.has(approvalText(approvalOf(each))))];
  });
}

/** Returns what the file does not approve. */
function unapproved({ file }: PlanInput, needed: readonly Needed[]): readonly string[] {
  const approved = new Map(file.apps.map(({ name, approvals }) => [name, new Set(approvals.map(approvalText))]));
  return needed.flatMap(([app, permissions]) =>
    permissions
      .filter((each) => !approved.get(app)?.has(approvalText(approvalOf(each))))
      .map((each) => `${app}: ${neededText(each)}`),
  );
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
  if (change.kind === "install" || change.kind === "upgrade" || change.kind === "rollback") {
    const details = [imageText(plan.image) ?? "", ...differenceSections(plan.differences ?? {})];
    return [{ ...step, details: details.filter(Boolean) }];
  }
  if (change.kind !== "approve") return [step];
  const needed = new Set(plan.approvalsNeeded.map(approvalOf).map(approvalText));
  const approvals = change.approvals.filter((approval) => needed.has(approvalText(approval)));
  return approvals.length === 0 ? [] : [{ ...step, change: { ...change, approvals } satisfies Change }];
}

function approvalOf({ scope, resourceType }: NeededApprovalFragment): Approval {
  return { scope, of: ownerOf(scope, resourceType) };
}
