import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { changeBetween, compareTexts, type ListDifferences, listDifferences } from "./list-differences.ts";
import { type ApiRoute, proxiedApi, type RateLimit } from "./proxied-api.ts";

/** A route as callers see it, with the defaults of its API. */
export interface RouteSummary {
  readonly pattern: string;
  /** Sorted. `*` means every method. */
  readonly methods: readonly string[];
  /** The scopes that a caller needs, sorted. */
  readonly scopes: readonly string[];
  readonly isPublic: boolean;
  readonly timeoutMs: number;
  readonly rateLimit: RateLimit | undefined;
}

/** Returns the routes of an app. An API without routes serves every path (docs/interface/manifest.md#web-api). */
export function routesOf(manifest: AppManifest): readonly RouteSummary[] {
  const api = proxiedApi(manifest);
  if (!api) return [];
  const { timeoutMs, defaultRateLimit: rateLimit } = api;
  const everything = { pattern: "/**", methods: ["*"], scopes: [], isPublic: false, timeoutMs, rateLimit };
  return (api.routes.length > 0 ? api.routes : [everything]).map((route) => summaryOf(route, api.requiredPermissions));
}

function summaryOf(route: Omit<ApiRoute, "id">, apiScopes: readonly string[]): RouteSummary {
  const { pattern, isPublic, timeoutMs, rateLimit } = route;
  const scopes = route.scopes.length > 0 ? route.scopes : apiScopes;
  return { pattern, methods: sortedSet(route.methods), scopes: sortedSet(scopes), isPublic, timeoutMs, rateLimit };
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
