import type { Problem } from "./app.ts";
import { type AppState, canTransition, isInstalled } from "./app-state.ts";
import { describeScope, type RequiredScope } from "./required-permissions.ts";
import { satisfies } from "./version-constraint.ts";

/** The properties of one app that the plan uses. */
export interface PlannedApp {
  readonly name: string;
  readonly version: string;
  readonly manifestDigest: string;
  readonly state: AppState;
  readonly dependencies: readonly Dependency[];
  /** Permissions of the manifest that need an approval and lack it. */
  readonly approvalsNeeded: readonly RequiredScope[];
}

export interface Dependency {
  readonly appName: string;
  readonly hard: boolean;
  readonly versionConstraint: string | undefined;
}

export interface PlanStep {
  readonly action: "install";
  readonly appName: string;
  readonly version: string;
  /** The digest of the planned manifest. The installation of another manifest is refused. */
  readonly manifestDigest: string;
  readonly reason: string;
}

export interface InstallPlan {
  /** Sorted so that dependencies come first. Empty if there are blockers. */
  readonly steps: readonly PlanStep[];
  readonly blockers: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Plans the installation of `root` over the registered apps. HARD dependencies are installed first, in order. SOFT dependencies
 * only yield warnings. Cycles of HARD dependencies are reported. A plan with blockers changes nothing.
 */
export function planInstall(root: string, apps: ReadonlyMap<string, PlannedApp>): InstallPlan {
  const plan = new Planner(apps);
  plan.visit(root, "requested", []);
  return { steps: plan.blockers.length === 0 ? plan.steps : [], blockers: plan.blockers, warnings: plan.warnings };
}

class Planner {
  readonly steps: PlanStep[] = [];
  readonly blockers: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #apps: ReadonlyMap<string, PlannedApp>;
  readonly #done = new Set<string>();

  constructor(apps: ReadonlyMap<string, PlannedApp>) {
    this.#apps = apps;
  }

  visit(name: string, reason: string, path: readonly string[]): void {
    if (path.includes(name)) {
      const cycle = [...path.slice(path.indexOf(name)), name];
      this.#block("DEPENDENCY_UNSATISFIED", `HARD dependencies form a cycle: ${cycle.join(" → ")}`, { cycle });
      return;
    }
    const app = this.#apps.get(name);
    if (!app || this.#done.has(name)) return;
    this.#done.add(name);
    for (const dependency of app.dependencies) this.#visitDependency(app, dependency, [...path, name]);
    if (isInstalled(app.state)) return;
    if (!canTransition(app.state, "install")) {
      this.#block("INVALID_STATE", `${name} is ${app.state} and cannot be installed now`, { app: name, state: app.state });
      return;
    }
    if (app.approvalsNeeded.length > 0) this.blockers.push(approvalRequired(name, app.approvalsNeeded));
    const { version, manifestDigest } = app;
    this.steps.push({ action: "install", appName: name, version, manifestDigest, reason });
  }

  #visitDependency(app: PlannedApp, dependency: Dependency, path: readonly string[]): void {
    const target = this.#apps.get(dependency.appName);
    const problem = dependencyProblem(app, dependency, target);
    if (dependency.hard) {
      if (problem) this.blockers.push(problem);
      else this.visit(dependency.appName, `HARD dependency of ${app.name}`, path);
      return;
    }
    if (problem) this.warnings.push(problem);
    else if (target && !isInstalled(target.state)) {
      this.warnings.push({
        code: "DEPENDENCY_UNSATISFIED",
        message: `${app.name} works better with ${dependency.appName}, which is ${target.state}`,
        details: { app: app.name, dependency: dependency.appName, state: target.state },
      });
    }
  }

  #block(code: string, message: string, details: Readonly<Record<string, unknown>>): void {
    this.blockers.push({ code, message, details });
  }
}

/** Returns the problem for an app whose manifest requires permissions that were not approved. */
export function approvalRequired(name: string, missing: readonly RequiredScope[]): Problem {
  return {
    code: "APPROVAL_REQUIRED",
    message: `${name} needs an approval of ${missing.map(describeScope).join(", ")}`,
    details: {
      app: name,
      scopes: missing.map(({ scope }) => scope),
      permissions: missing.map(({ scope, owner }) => ({ scope, owner: owner ?? null })),
    },
  };
}

function dependencyProblem(app: PlannedApp, dependency: Dependency, target: PlannedApp | undefined): Problem | undefined {
  const details = { app: app.name, dependency: dependency.appName, constraint: dependency.versionConstraint ?? null };
  const needs = dependency.hard ? "needs" : "may use";
  if (!target) {
    return {
      code: "DEPENDENCY_UNSATISFIED",
      message: `${app.name} ${needs} ${dependency.appName}, which is not registered`,
      details,
    };
  }
  if (!satisfies(target.version, dependency.versionConstraint)) {
    return {
      code: "DEPENDENCY_UNSATISFIED",
      message: `${app.name} ${needs} ${dependency.appName} ${dependency.versionConstraint ?? ""}, but version ${target.version} is registered`,
      details: { ...details, version: target.version },
    };
  }
  return undefined;
}

/** Returns the names of installed apps that HARD-depend on `name`. While there are any, `name` cannot be uninstalled. */
export function hardDependents(name: string, apps: Iterable<PlannedApp>): readonly string[] {
  return [...apps]
    .filter((app) => app.name !== name && (isInstalled(app.state) || app.state === "INSTALLING"))
    .filter((app) => app.dependencies.some((dependency) => dependency.hard && dependency.appName === name))
    .map((app) => app.name)
    .sort();
}
