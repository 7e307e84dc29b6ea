import type { Problem } from "@appserver/kernel";
import type { AppImage } from "./app-image.ts";
import { canTransition, isInstalled } from "./app-state.ts";
import {
  ConstraintCheck,
  dependencyProblem,
  dependentsOn,
  notInstalled,
  unsatisfied,
  worksBetterWith,
} from "./dependency-problems.ts";
import type { Dependency, PlannedApp, RegisteredApp } from "./planned-app.ts";
import { describeScope, type RequiredScope } from "./required-permissions.ts";
import { RouteBases } from "./route-bases.ts";
import { shortenedList } from "./shortened-list.ts";

export interface PlanStep {
  readonly action: "install" | "upgrade" | "rollback";
  readonly appName: string;
  readonly version: string;
  /** The digest of the planned manifest. The installation of another manifest is refused. */
  readonly manifestDigest: string;
  /** The image that the step runs. Undefined: the platform runs no container of the app. */
  readonly image: AppImage | undefined;
  readonly reason: string;
  /** What an upgrade or a rollback replaces. */
  readonly replaces?: { readonly version: string; readonly manifestDigest: string };
}

export interface InstallPlan {
  /** Sorted so that dependencies come first. Empty if there are blockers. */
  readonly steps: readonly PlanStep[];
  readonly blockers: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export interface InstallPlanOptions {
  /** Whether the plan installs missing HARD dependencies. If false, each of them is a blocker. Default true. */
  readonly withDependencies?: boolean | undefined;
}

/** Maximum number of cycles that a plan reports. */
const maxCycles = 20;

/**
 * Plans the installation of `root` over the registered apps. HARD dependencies are installed first, in order. SOFT dependencies
 * only yield warnings. Cycles of HARD dependencies are reported. A plan with blockers changes nothing.
 *
 * Looks at each app and each dependency once, without recursion, so that no graph is too deep.
 */
export function computeInstallPlan(
  root: string,
  apps: ReadonlyMap<string, PlannedApp>,
  { withDependencies = true }: InstallPlanOptions = {},
): InstallPlan {
  const plan = new Planner(apps, withDependencies);
  plan.visit(root);
  return { steps: plan.blockers.length === 0 ? plan.steps : [], blockers: plan.blockers, warnings: plan.warnings };
}

/** An app on the path from the root. */
interface Visit {
  readonly app: PlannedApp;
  readonly reason: string;
  /** The dependencies that were not yet followed. */
  readonly rest: Iterator<Dependency>;
}

class Planner {
  readonly steps: PlanStep[] = [];
  readonly blockers: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #apps: ReadonlyMap<string, PlannedApp>;
  readonly #withDependencies: boolean;
  readonly #constraints = new ConstraintCheck();
  readonly #routeBases: RouteBases;
  /** The apps from the root to the current one. */
  readonly #path: Visit[] = [];
  /** Their names, in the same order. */
  readonly #onPath = new Set<string>();
  readonly #done = new Set<string>();
  /** The apps of the reported cycles. A cycle that adds no app to them is not reported. */
  readonly #inCycles = new Set<string>();
  #cycles = 0;

  constructor(apps: ReadonlyMap<string, PlannedApp>, withDependencies: boolean) {
    this.#apps = apps;
    this.#withDependencies = withDependencies;
    this.#routeBases = new RouteBases(apps.values());
  }

  /** Visits the apps depth-first, each after its dependencies. */
  visit(root: string): void {
    this.#enter(root, "requested");
    for (let current = this.#path.at(-1); current; current = this.#path.at(-1)) {
      const { done, value: dependency } = current.rest.next();
      if (done) this.#leave(current);
      else this.#follow(current.app, dependency);
    }
  }

  #enter(name: string, reason: string): void {
    const app = this.#apps.get(name);
    if (!app || this.#done.has(name)) return;
    this.#done.add(name);
    this.#onPath.add(name);
    this.#path.push({ app, reason, rest: app.dependencies[Symbol.iterator]() });
  }

  #follow(app: PlannedApp, dependency: Dependency): void {
    const target = this.#apps.get(dependency.appName);
    const problem = dependencyProblem({ app, dependency }, target, this.#constraints);
    if (problem) (dependency.hard ? this.blockers : this.warnings).push(problem);
    if (problem || !target) return;
    if (dependency.hard) this.#require(app, dependency, target);
    else if (!isInstalled(target.state)) this.warnings.push(worksBetterWith({ app, dependency }, target));
  }

  #require(app: PlannedApp, dependency: Dependency, target: PlannedApp): void {
    if (this.#onPath.has(target.name)) this.#reportCycle(target.name, app.name);
    else if (!this.#withDependencies && !isInstalled(target.state))
      this.blockers.push(notInstalled({ app, dependency }, target));
    else this.#enter(target.name, `HARD dependency of ${app.name}`);
  }

  #leave({ app, reason }: Visit): void {
    const { name, state, version, manifestDigest, image, approvalsNeeded, excessiveLimits = [] } = app;
    this.#path.pop();
    this.#onPath.delete(name);
    if (isInstalled(state)) return;
    if (!canTransition(state, "install")) {
      const details = { app: name, state };
      this.blockers.push({ code: "INVALID_STATE", message: `${name} is ${state} and cannot be installed now`, details });
      return;
    }
    const conflict = this.#routeBases.conflict(app);
    if (conflict) this.blockers.push(conflict);
    this.blockers.push(...excessiveLimits);
    if (approvalsNeeded.length > 0) this.blockers.push(approvalRequired(name, approvalsNeeded));
    this.steps.push({ action: "install", appName: name, version, manifestDigest, image, reason });
  }

  /** Reports the cycle that the dependency of `last` on `first` closes. */
  #reportCycle(first: string, last: string): void {
    if (this.#cycles === maxCycles || (this.#inCycles.has(first) && this.#inCycles.has(last))) return;
    const path = [...this.#onPath];
    const cycle = [...path.slice(path.indexOf(first)), first];
    for (const name of cycle) this.#inCycles.add(name);
    this.#cycles += 1;
    this.blockers.push(unsatisfied(`HARD dependencies form a cycle: ${shortenedList(cycle, " → ")}`, { cycle }));
  }
}

/**
 * Returns the apps whose installation a plan for `roots` may need: these apps and their HARD dependencies that are not
 * installed, over any number of levels.
 */
export function appsToInstall<T extends RegisteredApp>(roots: readonly string[], apps: ReadonlyMap<string, T>): readonly T[] {
  const reached = new Set(roots);
  // A name that is added during the iteration is visited by it.
  for (const name of reached)
    for (const { appName, hard } of apps.get(name)?.dependencies ?? []) if (hard) reached.add(appName);
  return [...reached].flatMap((name) => apps.get(name) ?? []).filter(({ state }) => !isInstalled(state));
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

/** Returns the names of installed apps that HARD-depend on `name`. While there are any, `name` cannot be uninstalled. */
export function hardDependents(name: string, apps: Iterable<RegisteredApp>): readonly string[] {
  const dependents = dependentsOn(name, apps).filter(({ dependency }) => dependency.hard);
  return [...new Set(dependents.map(({ app }) => app.name))].sort();
}
