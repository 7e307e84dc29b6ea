import { type AppRoute, appApi, servedRoutes } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { changeBetween, compareTexts, type ListDifferences, listDifferences } from "./list-differences.ts";

/** A route as callers see it, its methods and scopes sorted. */
export type RouteSummary = Omit<AppRoute, "id">;

/** Returns the routes of an app. An API without routes serves every path (docs/interface/manifest.md#web-api). */
export function routesOf(manifest: AppManifest): readonly RouteSummary[] {
  const api = appApi(manifest);
  const routes = api ? servedRoutes(api) : [];
  return routes.map(({ id: _, methods, scopes, ...route }) => ({
    ...route,
    methods: sortedSet(methods),
    scopes: sortedSet(scopes),
  }));
}

/**
 * Compares routes by pattern and methods. A removed route and an added one with the same pattern are one changed route, whose
 * methods differ.
 */
export function routeDifferences(from: readonly RouteSummary[], to: readonly RouteSummary[]): ListDifferences<RouteSummary> {
  const exact = listDifferences(from, to, ({ pattern, methods }) => `${pattern} ${methods.join(",")}`);
  const added = [...exact.added];
  const changed = [...exact.changed];
  const removed = exact.removed.filter((route) => {
    const index = added.findIndex(({ pattern }) => pattern === route.pattern);
    const [successor] = index < 0 ? [] : added.splice(index, 1);
    if (successor) changed.push(...changeBetween(route, successor));
    return !successor;
  });
  return { added, removed, changed: changed.sort((a, b) => compareTexts(a.from.pattern, b.from.pattern)) };
}

function sortedSet(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort(compareTexts);
}
