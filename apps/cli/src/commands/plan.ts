import { AppState, type Permission, type Problem } from "@appserver/contracts/proto/appserver/v2/common";
import type { PlanStep } from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { JsonObject } from "@bufbuild/protobuf";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";
import { connect } from "../platform.ts";
import { differenceLines } from "./plan-differences.ts";

interface Plan {
  readonly steps: readonly PlanStep[];
  readonly blockers: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly approvalsNeeded: readonly Permission[];
  readonly digest: string;
  readonly differences?: JsonObject | undefined;
}

const installedStates: ReadonlySet<AppState> = new Set([AppState.INSTALLED, AppState.RUNNING, AppState.UNHEALTHY]);

/** Shows what an installation of the app would do, or an upgrade or rollback if the app is installed. */
export async function showPlan(
  options: GlobalOptions,
  name: string,
  { to, withoutDependencies }: { readonly to?: string; readonly withoutDependencies: boolean },
): Promise<void> {
  const { marketplace } = connect(options);
  const { app } = await marketplace.getApp({ name });
  const isInstalled = app !== undefined && installedStates.has(app.state);
  const version = to === undefined ? {} : { version: to };
  const plan: Plan = isInstalled
    ? await marketplace.planUpgrade({ name, ...version })
    : await marketplace.planInstall({ name, withDependencies: !withoutDependencies, ...version });
  if (options.json) printJson(planJson(plan));
  else print(planText(plan));
}

function planJson({ steps, blockers, warnings, approvalsNeeded, digest, differences }: Plan) {
  return {
    steps: steps.map(({ action, appName, version, reason }) => ({ action, appName, version, reason })),
    blockers: blockers.map(problem),
    warnings: warnings.map(problem),
    approvalsNeeded: approvalsNeeded.map(({ scope, resourceType, reason }) => ({ scope, of: resourceType, reason })),
    ...(differences === undefined ? {} : { differences }),
    digest,
  };
}

function problem({ code, message }: Problem) {
  return { code, message };
}

function planText({ steps, blockers, warnings, approvalsNeeded, digest, differences }: Plan): string {
  const parts = [
    section(
      "steps",
      steps.map(({ action, appName, version, reason }) => `${action} ${appName} ${version} (${reason})`),
    ),
    section(
      "blocked by",
      blockers.map(({ message }) => message),
    ),
    section(
      "warnings",
      warnings.map(({ message }) => message),
    ),
    section(
      "needs approval",
      approvalsNeeded.map(({ scope, resourceType, reason }) =>
        [scope, resourceType && `of ${resourceType}`, reason].filter(Boolean).join(" "),
      ),
    ),
    ...differenceSections(differences ?? {}),
    `digest ${digest}`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function differenceSections(differences: JsonObject): readonly string[] {
  return Object.entries(differences).map(([what, value]) => {
    if (what === "irreversibleMigration" && value === true) return "irreversible migration: a rollback will not be possible";
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
    return section(what, differenceLines(value));
  });
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`${title}:`, ...lines.map((line) => `  ${line}`)].join("\n");
}
