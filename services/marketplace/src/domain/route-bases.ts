import type { Problem } from "@appserver/kernel";
import type { RegisteredApp } from "./planned-app.ts";

interface Claim {
  readonly name: string;
  readonly path: string;
}

/**
 * The apps that have a path for their pages, or get one with a running upgrade. A path, everything below it and everything that it is
 * below belong to one registered app.
 */
export class RouteBases {
  /** By the path itself. */
  readonly #claims: ReadonlyMap<string, readonly Claim[]>;
  /** By each path above it. */
  readonly #below: ReadonlyMap<string, readonly Claim[]>;

  constructor(apps: Iterable<RegisteredApp>) {
    const claims = [...apps].flatMap(({ name, routeBase, target }) =>
      [routeBase, target?.routeBase].flatMap((path) => (path === undefined ? [] : [{ name, path }])),
    );
    const above = claims.flatMap((claim) => pathsAbove(claim.path).map((path) => ({ path, claim })));
    this.#claims = Map.groupBy(claims, ({ path }) => path);
    const grouped = Map.groupBy(above, ({ path }) => path);
    this.#below = new Map([...grouped].map(([path, found]) => [path, found.map(({ claim }) => claim)]));
  }

  /** Returns the problem if another app has the path that this app would have, or one above or below it. */
  conflict({ name, routeBase }: Pick<RegisteredApp, "name" | "routeBase">): Problem | undefined {
    if (routeBase === undefined) return undefined;
    const claims = [routeBase, ...pathsAbove(routeBase)].flatMap((path) => this.#claims.get(path) ?? []);
    const claim = [...claims, ...(this.#below.get(routeBase) ?? [])].find((other) => other.name !== name);
    if (claim === undefined) return undefined;
    const which = claim.path === routeBase ? "this path" : claim.path;
    return {
      code: "CONFLICT",
      message: `${name} has pages under ${routeBase}, and ${which} belongs to ${claim.name}`,
      details: { app: name, routeBase, owner: claim.name },
    };
  }
}

/** Returns the paths above a path, the nearest first: of `/a/b/c` these are `/a/b` and `/a`. */
export function pathsAbove(path: string): readonly string[] {
  const above: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) above.push(path.slice(0, end));
  return above;
}
