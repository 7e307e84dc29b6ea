import type { Problem } from "./app.ts";
import type { RegisteredApp } from "./planned-app.ts";

/** The apps that have a path for their pages, or get one with a running upgrade. A path belongs to one registered app. */
export class RouteBases {
  readonly #claims: ReadonlyMap<string, readonly string[]>;

  constructor(apps: Iterable<RegisteredApp>) {
    const claims = [...apps].flatMap(({ name, routeBase, target }) =>
      [routeBase, target?.routeBase].flatMap((path) => (path === undefined ? [] : [{ name, path }])),
    );
    const byPath = Map.groupBy(claims, ({ path }) => path);
    this.#claims = new Map([...byPath].map(([path, ofPath]) => [path, ofPath.map(({ name }) => name)]));
  }

  /** Returns the problem if another app has the path that this app would have. */
  conflict({ name, routeBase }: Pick<RegisteredApp, "name" | "routeBase">): Problem | undefined {
    const owner = routeBase === undefined ? undefined : this.#claims.get(routeBase)?.find((other) => other !== name);
    if (owner === undefined) return undefined;
    return {
      code: "CONFLICT",
      message: `${name} has pages under ${routeBase}, and this path belongs to ${owner}`,
      details: { app: name, routeBase, owner },
    };
  }
}
