import { MatchBudget, MatchBudgetError, matchLimits, RouteMatcher } from "@appserver/contracts/patterns";
import { Rejection } from "@appserver/kernel";
import type { CompiledRoute, Guard, RequiredScope } from "./compiled-route.ts";

/** A path parameter (`/admin;v=1`). Servlet containers remove it before they look up a page. */
const parameters = /(?:;|%3B)[^/]*/gi;
const emptySegments = /\/{2,}/g;
const trailingSlash = /(?<=.)\/$/;

const isUnusual = /;|%3B|\/\/|.\/$/i;
/** Paths that every server reads in the same way, apart from regex routes. */
const isPlain = /^(?:\/[^/;%A-Z]+)+$/;

/** How other servers normalise a path before they use it. */
const normalForms: readonly ((path: string) => string)[] = [
  (path) => path.replace(parameters, ""),
  (path) => path.replace(emptySegments, "/"),
  (path) => path.replace(trailingSlash, ""),
];

/** Returns the path itself and every combination of normal forms, without changing the letter case. */
function interpretationsOf(path: string): readonly string[] {
  if (!isUnusual.test(path)) return [path];
  if (path.length > matchLimits.pathLength) throw ambiguous("too many paths to check");
  const interpretations = new Set([path]);
  for (const normalise of normalForms)
    for (const interpretation of [...interpretations]) interpretations.add(normalise(interpretation) || "/");
  return [...interpretations];
}

/**
 * Computes the requirements of a request under every interpretation that an app's server may have of its path. Example: with `/**`
 * public and `/admin` protected, many servers return the protected page for `//admin`, `/admin;x`, `/admin/` and `/ADMIN`.
 * Letter case matters only in regex routes.
 */
export class PathInterpretations {
  readonly #matcher: RouteMatcher<CompiledRoute>;

  private constructor(routes: readonly CompiledRoute[]) {
    this.#matcher = new RouteMatcher(routes, { ignoresCase: true });
  }

  /** Returns undefined if all routes have the same requirements, so that no interpretation is stricter than another. */
  static of(routes: readonly CompiledRoute[]): PathInterpretations | undefined {
    return new Set(routes.map(guardKey)).size < 2 ? undefined : new PathInterpretations(routes);
  }

  /**
   * Returns the route's own guard, or its union with the guards of other interpretations. Throws Rejection if an interpretation allows other
   * methods only, or if computing the interpretations takes too long.
   */
  strictest(path: string, method: string, route: CompiledRoute): Guard {
    if (isPlain.test(path) && this.#isOnly(route, path, method)) return route;
    const guards = new Map<string, Guard>([[guardKey(route), route]]);
    for (const other of this.#routesOf(path)) {
      const allowed = other.filter(({ methods }) => methods === undefined || methods.has(method));
      if (allowed.length === 0) throw ambiguous("a path of a route that does not allow this method");
      for (const guard of allowed) guards.set(guardKey(guard), guard);
    }
    return guards.size === 1 ? route : unionOf([...guards.values()]);
  }

  /** Returns whether the path as it is leads to this route and no other one. */
  #isOnly(route: CompiledRoute, path: string, method: string): boolean {
    const budget = new MatchBudget(matchLimits.steps);
    const routes = withinBudget(() => this.#matcher.match(path, budget)) ?? [];
    return (
      routes.every((each) => each === route || (each.methods !== undefined && !each.methods.has(method))) &&
      routes.includes(route)
    );
  }

  /** Returns the routes of each interpretation. An interpretation without a route adds no requirement: the manifest exposes no such path. */
  #routesOf(path: string): readonly (readonly CompiledRoute[])[] {
    const budget = new MatchBudget(matchLimits.steps);
    const interpretations = new Set(
      interpretationsOf(path).flatMap((interpretation) => [interpretation, interpretation.toLowerCase()]),
    );
    return withinBudget(() =>
      [...interpretations]
        .map((interpretation) => this.#matcher.match(interpretation, budget) ?? [])
        .filter(({ length }) => length > 0),
    );
  }
}

/** Throws Rejection if `match` uses up its budget. */
function withinBudget<T>(match: () => T): T {
  try {
    return match();
  } catch (error) {
    if (error instanceof MatchBudgetError) throw ambiguous("too many paths to check");
    throw error;
  }
}

function unionOf(guards: readonly Guard[]): Guard {
  const closed = guards.filter(({ isPublic }) => !isPublic);
  const scopes = new Map(closed.flatMap((guard) => guard.scopes.map((scope) => [scopeKey(scope), scope])));
  return { isPublic: false, scopes: [...scopes.values()] };
}

function guardKey({ isPublic, scopes }: Guard): string {
  return isPublic ? "public" : scopes.map(scopeKey).sort().join(" ");
}

function scopeKey({ permission, owner = "" }: RequiredScope): string {
  return `${owner}/${permission}`;
}

function ambiguous(interpretation: string): Rejection {
  return new Rejection(
    "INVALID_REQUEST",
    "target_invalid",
    `The request target is not valid: servers may read it as ${interpretation}.`,
  );
}
