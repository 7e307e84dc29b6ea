import type { Problem } from "@appserver/kernel";
import { isInstalled } from "./app-state.ts";
import type { Dependency, RegisteredApp } from "./planned-app.ts";
import { satisfies } from "./version-constraint.ts";

/** Compares versions with constraints, for one plan. Each pair is compared once, since a comparison parses both. */
export class ConstraintCheck {
  readonly #known = new Map<string, boolean>();

  /** Returns the version of `app` that does not meet the constraint: its own, or the one that it is being upgraded to. */
  unmet(app: RegisteredApp, constraint: string | undefined): string | undefined {
    const versions = app.target ? [app.version, app.target.version] : [app.version];
    return versions.find((version) => !this.meets(version, constraint));
  }

  meets(version: string, constraint: string | undefined): boolean {
    if (constraint === undefined) return true;
    const key = `${version} ${constraint}`;
    const known = this.#known.get(key) ?? satisfies(version, constraint);
    this.#known.set(key, known);
    return known;
  }
}

/** A dependency that an app declares. */
export interface DeclaredDependency {
  readonly app: Pick<RegisteredApp, "name">;
  readonly dependency: Dependency;
}

/** Returns the problem if the dependency is not registered in a version that the app can use. */
export function dependencyProblem(
  { app, dependency }: DeclaredDependency,
  target: RegisteredApp | undefined,
  constraints: ConstraintCheck,
): Problem | undefined {
  const { appName, hard, versionConstraint } = dependency;
  const details = { app: app.name, dependency: appName, constraint: versionConstraint ?? null };
  const needs = `${app.name} ${hard ? "needs" : "may use"} ${appName}`;
  if (!target) return unsatisfied(`${needs}, which is not registered`, details);
  const version = constraints.unmet(target, versionConstraint);
  if (version === undefined) return undefined;
  return unsatisfied(`${needs} ${versionConstraint ?? ""}, but version ${version} is registered`, { ...details, version });
}

/** Returns the problem for a HARD dependency that is not installed and that the plan may not install. */
export function notInstalled({ app, dependency }: DeclaredDependency, target: RegisteredApp): Problem {
  const { appName, versionConstraint } = dependency;
  return unsatisfied(`${app.name} needs ${appName}, which is ${target.state}, and this plan installs no dependencies`, {
    app: app.name,
    dependency: appName,
    constraint: versionConstraint ?? null,
    state: target.state,
  });
}

/** Returns the warning for a SOFT dependency that is registered but not installed. */
export function worksBetterWith({ app, dependency }: DeclaredDependency, target: RegisteredApp): Problem {
  const { appName } = dependency;
  return unsatisfied(`${app.name} works better with ${appName}, which is ${target.state}`, {
    app: app.name,
    dependency: appName,
    state: target.state,
  });
}

export function unsatisfied(message: string, details: Readonly<Record<string, unknown>>): Problem {
  return { code: "DEPENDENCY_UNSATISFIED", message, details };
}

/** Returns the dependencies of the app as it is installed, and of the release that it is being upgraded to. */
function currentDependencies({ dependencies, target }: RegisteredApp): readonly Dependency[] {
  const isSame = (a: Dependency, b: Dependency): boolean =>
    a.appName === b.appName && a.hard === b.hard && a.versionConstraint === b.versionConstraint;
  const added = target?.dependencies.filter((next) => !dependencies.some((dependency) => isSame(next, dependency)));
  return added ? [...dependencies, ...added] : dependencies;
}

/** Returns the installed and installing apps that depend on `name`, each with its dependency, in the order of `apps`. */
export function dependentsOn(name: string, apps: Iterable<RegisteredApp>): readonly DeclaredDependency[] {
  return [...apps]
    .filter((app) => app.name !== name && (isInstalled(app.state) || app.state === "INSTALLING"))
    .flatMap((app) =>
      currentDependencies(app)
        .filter((dependency) => dependency.appName === name)
        .map((dependency) => ({ app, dependency })),
    );
}
