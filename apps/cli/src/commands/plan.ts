import { ask, found } from "../client.ts";
import {
  AppDocument,
  type AppState,
  InstallPlanDocument,
  type InstallPlanQuery,
  type ProblemFragment,
  type StepFragment,
  UpgradePlanDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { imageText } from "../image-text.ts";
import { print, printJson } from "../output.ts";
import { differenceSections, neededText, section } from "./plan-differences.ts";

export type Plan = InstallPlanQuery["installPlan"] & { readonly differences?: unknown };

const installedStates: ReadonlySet<AppState> = new Set<AppState>(["INSTALLED", "RUNNING", "UNHEALTHY"]);

/** Shows what an installation of the app would do, or an upgrade or rollback if the app is installed. */
export async function showPlan(
  options: GlobalOptions,
  name: string,
  { to: version, withoutDependencies }: { readonly to?: string; readonly withoutDependencies: boolean },
): Promise<void> {
  const { state } = found((await ask(options, AppDocument, { name })).app, `app ${name}`);
  const plan: Plan = installedStates.has(state)
    ? (await ask(options, UpgradePlanDocument, { name, version })).upgradePlan
    : (await ask(options, InstallPlanDocument, { name, version, withDependencies: !withoutDependencies })).installPlan;
  if (options.json) printJson(planJson(plan));
  else print(planText(plan));
}

function planJson({ image, steps, blockers, warnings, approvalsNeeded, digest, differences }: Plan) {
  return {
    image: image ? { digest: image.digest ?? null } : null,
    steps: steps.map(({ action, appName, version, image: planned, reason }) => ({
      action,
      appName,
      version,
      image: planned ? { digest: planned.digest ?? null } : null,
      reason,
    })),
    blockers: blockers.map(problem),
    warnings: warnings.map(problem),
    approvalsNeeded: approvalsNeeded.map(({ scope, resourceType, reason }) => ({ scope, of: resourceType, reason })),
    ...(differences === undefined ? {} : { differences }),
    digest,
  };
}

function problem({ code, message }: ProblemFragment) {
  return { code, message };
}

/** Returns a plan as lines for people. */
export function planText({ image, steps, blockers, warnings, approvalsNeeded, digest, differences }: Plan): string {
  const parts = [
    section("steps", steps.map(stepText)),
    // A plan that waits for an approval has no steps, and the approver needs to see the image.
    steps.length === 0 ? (imageText(image) ?? "") : "",
    section(
      "blocked by",
      blockers.map(({ message }) => message),
    ),
    section(
      "warnings",
      warnings.map(({ message }) => message),
    ),
    section("needs approval", approvalsNeeded.map(neededText)),
    ...differenceSections(differences ?? {}),
    `digest ${digest}`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function stepText({ action, appName, version, image, reason }: StepFragment): string {
  return [`${action} ${appName} ${version} (${reason})`, imageText(image)].filter(Boolean).join(", ");
}
