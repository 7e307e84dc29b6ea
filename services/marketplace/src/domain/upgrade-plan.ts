import type { Problem } from "@appserver/kernel";
import { isInstalled } from "./app-state.ts";
import { ConstraintCheck, dependentsOn, unsatisfied } from "./dependency-problems.ts";
import {
  approvalRequired,
  computeInstallPlan,
  type InstallPlan,
  type InstallPlanOptions,
  type PlanStep,
} from "./install-plan.ts";
import type { ManifestDifferences } from "./manifest-differences.ts";
import { planDigest } from "./plan-digest.ts";
import type { PlannedApp, RegisteredApp } from "./planned-app.ts";
import { compareReleases, describeRelease, type PlannedRelease, type ReleaseNumber } from "./planned-release.ts";
import { RouteBases } from "./route-bases.ts";
import { upgradeLosses } from "./upgrade-losses.ts";
import { compareVersions } from "./version-constraint.ts";

/** A release, with only its number and its migration. */
export type KnownRelease = ReleaseNumber & Pick<PlannedRelease, "irreversibleMigration">;

export interface UpgradeRequest extends InstallPlanOptions {
  readonly action: "upgrade" | "rollback";
  readonly name: string;
  /** The release that serves now. */
  readonly from: PlannedRelease;
  readonly to: PlannedRelease;
  /** Every registered release of the app, in any order. */
  readonly releases: readonly KnownRelease[];
  /** What `to` changes. */
  readonly differences: ManifestDifferences;
  /** The keys of the settings that have a stored value. */
  readonly storedSettings: readonly string[];
  /** Semantic version of the platform. */
  readonly platformVersion: string;
  /** Limits of `to` above the operator's maximum. */
  readonly excessiveLimits: readonly Problem[];
}

export interface UpgradePlan extends InstallPlan {
  /** Of the steps; see {@link planDigest}. */
  readonly digest: string;
}

/**
 * Plans an upgrade or a rollback of one app over the registered apps. HARD dependencies that the new version adds are installed
 * first. Every blocker is reported; a plan with blockers has no steps and changes nothing.
 *
 * `apps` must have the missing approvals of every app that the new version needs.
 */
export function planUpgrade(request: UpgradeRequest, apps: ReadonlyMap<string, PlannedApp>): UpgradePlan {
  const app = apps.get(request.name);
  const problem = stateProblem(request, app);
  if (problem || !app) return planOf([], problem ? [problem] : [], []);
  const { name, to } = request;
  const upgraded = { ...app, ...releaseFields(to), target: undefined };
  const dependencies = computeInstallPlan(name, new Map(apps).set(name, upgraded), request);
  const dependents = dependentProblems(request, apps.values());
  const conflict = new RouteBases(apps.values()).conflict(upgraded);
  const blockers = [
    ...migrationProblems(request),
    ...platformProblems(request),
    ...dependencies.blockers,
    ...dependents.blockers,
    ...(conflict ? [conflict] : []),
    ...request.excessiveLimits,
    ...(to.approvalsNeeded.length > 0 ? [approvalRequired(name, to.approvalsNeeded)] : []),
  ];
  const warnings = [...dependencies.warnings, ...dependents.warnings, ...upgradeLosses(name, request)];
  return planOf([...dependencies.steps, stepOf(request)], blockers, warnings);
}

function planOf(steps: readonly PlanStep[], blockers: readonly Problem[], warnings: readonly Problem[]): UpgradePlan {
  const done = blockers.length === 0 ? steps : [];
  return { steps: done, blockers, warnings, digest: planDigest(done) };
}

function stepOf({ action, name, from, to }: UpgradeRequest): PlanStep {
  const replaces = { version: from.version, manifestDigest: from.manifestDigest };
  const { version, manifestDigest, image } = to;
  return { action, appName: name, version, manifestDigest, image, reason: "requested", replaces };
}

function releaseFields({ version, manifestDigest, dependencies, routeBase }: PlannedRelease) {
  return { version, manifestDigest, dependencies, routeBase };
}

const verbs = { upgrade: "upgraded", rollback: "rolled back" } as const;

/** Returns the reason why the app cannot change to the release, independent of other apps. */
function stateProblem({ action, name, from, to }: UpgradeRequest, app: RegisteredApp | undefined): Problem | undefined {
  const refused = (message: string, details: object): Problem => ({
    code: "INVALID_STATE",
    message,
    details: { app: name, ...details },
  });
  if (!app || !isInstalled(app.state)) {
    const state = app?.state ?? null;
    return refused(`${name} is ${state ?? "not registered"}; only an installed app can be ${verbs[action]}`, { state });
  }
  const { target } = app;
  if (target) {
    const message = `${name} is already switching to version ${target.version}`;
    return { code: "CONFLICT", message, details: { app: name, state: app.state, target: target.version } };
  }
  const [installed, wanted] = [describeRelease(from), describeRelease(to)];
  const details = { state: app.state, version: from.version, target: to.version };
  const order = compareReleases(to, from);
  if (order === 0) return refused(`${name} is ${app.state} in version ${installed} already`, details);
  if (action === "upgrade" && order < 0)
    return refused(`${name} has version ${installed}, which is newer than ${wanted}; use a rollback`, details);
  if (action === "rollback" && order > 0)
    return refused(`${name} has version ${installed}, which is older than ${wanted}; use an upgrade`, details);
  return undefined;
}

/** A rollback cannot cross an irreversible migration, even one of a skipped version: later versions include its change. */
function migrationProblems({ action, name, from, to, releases }: UpgradeRequest): readonly Problem[] {
  if (action !== "rollback") return [];
  const left = [from, ...releases].filter(
    (release) => release.irreversibleMigration && compareReleases(release, to) > 0 && compareReleases(release, from) <= 0,
  );
  return [...new Set(left.sort(compareReleases).map(({ version }) => version))].map((version) => ({
    code: "INVALID_STATE",
    message: `${name} cannot go back to version ${to.version}: version ${version} has an irreversible migration`,
    details: { app: name, version: from.version, target: to.version, irreversible: version },
  }));
}

function platformProblems({ name, to, platformVersion }: UpgradeRequest): readonly Problem[] {
  const wanted = to.minPlatformVersion;
  if (wanted === undefined || compareVersions(platformVersion, wanted) >= 0) return [];
  const details = { app: name, version: to.version, minPlatformVersion: wanted, platformVersion };
  return [unsatisfied(`${name} ${to.version} needs platform ${wanted} or newer, this is ${platformVersion}`, details)];
}

/**
 * Returns a problem for each installed app that the release does not satisfy: a blocker if the app needs it and is satisfied
 * now, otherwise a warning.
 */
function dependentProblems(
  { name, from, to }: UpgradeRequest,
  apps: Iterable<RegisteredApp>,
): { readonly blockers: readonly Problem[]; readonly warnings: readonly Problem[] } {
  const constraints = new ConstraintCheck();
  const broken = dependentsOn(name, apps)
    .filter(({ dependency }) => !constraints.meets(to.version, dependency.versionConstraint))
    .map(({ app, dependency: { hard, versionConstraint = "" } }) => ({
      blocks: hard && constraints.meets(from.version, versionConstraint),
      problem: unsatisfied(
        `${app.name} ${hard ? "needs" : "may use"} ${name} ${versionConstraint}, which version ${to.version} does not meet`,
        { app: app.name, dependency: name, constraint: versionConstraint, version: to.version },
      ),
    }));
  const problems = (blocks: boolean): readonly Problem[] =>
    broken.filter((dependent) => dependent.blocks === blocks).map(({ problem }) => problem);
  return { blockers: problems(true), warnings: problems(false) };
}
