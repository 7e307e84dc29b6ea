import { apiPrefix, rendererOf } from "@appserver/contracts/patterns";
import { type MaybePromise, Refusal } from "@appserver/kernel";
import type { CompiledRoute } from "../../domain/compiled-route.ts";
import type { RequestTarget } from "../../domain/request-target.ts";
import type { ServedApps, ServingApp } from "../../ports.ts";
import type { Exchange } from "./exchange.ts";
import type { FreshApps } from "./fresh-apps.ts";
import type { HeldRequests } from "./held-requests.ts";
import { bodyTooLarge } from "./request-body.ts";
import type { Step } from "./step.ts";
import { unavailable } from "./unavailable.ts";

export interface MatchRouteDeps {
  readonly apps: ServedApps;
  readonly held: HeldRequests;
  readonly fresh: FreshApps;
}

/**
 * Finds the app and the route. The matched path is the one that is forwarded (docs/interface/proxy.md#route-matching). An app that
 * does not serve is read once more before the request is refused.
 */
export function matchRoute({ apps, held, fresh }: MatchRouteDeps): Step {
  const match = (exchange: Exchange, isFresh: boolean): MaybePromise<void> => {
    const target = exchange.parseTarget();
    const renderer = rendererOf(target.path);
    const name = renderer ?? appNameOf(target.path);
    const app = apps.find(name);
    if (!app) throw apps.isLoaded ? unknown() : unloaded();
    exchange.appName = name;
    if (!app.isServing) {
      if (!app.isHeld && isFresh) throw unavailable(app);
      const changed = app.isHeld ? held.wait(exchange, app) : fresh.read(name);
      return changed.then(() => (exchange.isAborted ? undefined : match(exchange, !app.isHeld)));
    }
    const { compiled } = app;
    if (renderer !== undefined) return matchPage(exchange, app, target);
    const below = belowBase(target.path, compiled.basePath);
    // The base itself is matched as its root, and forwarded without adding a slash.
    const matched = below === "" ? "/" : below;
    const routes = matched === undefined ? undefined : compiled.matcher.match(matched);
    if (matched === undefined || !routes) throw noSuchRoute();
    const route = routeFor(routes, exchange);
    const guard = compiled.readings?.strictest(matched, exchange.method, route) ?? route;
    exchange.matchTo({ app, route, guard, path: (compiled.stripBasePath ? below : target.path) + target.query });
    refuseOversized(exchange, app);
    return undefined;
  };
  return (exchange) => match(exchange, false);
}

/** A page that the app renders gets its whole path, so that it cannot be read as the path of a route of the API. */
function matchPage(exchange: Exchange, app: ServingApp, { path, query }: RequestTarget): void {
  const { pages } = app.compiled;
  if (!pages || exchange.isUpgrade) throw noSuchRoute();
  const route = routeFor([pages], exchange);
  exchange.matchTo({ app, route, guard: route, path: path + query });
  refuseOversized(exchange, app);
}

function noSuchRoute(): Refusal {
  return new Refusal("NOT_FOUND", "route_unknown", "The app has no such route.");
}

function appNameOf(path: string): string {
  if (!path.startsWith(apiPrefix)) return "";
  const end = path.indexOf("/", apiPrefix.length);
  return end < 0 ? path.slice(apiPrefix.length) : path.slice(apiPrefix.length, end);
}

/**
 * Returns the path below the base, with its leading slash. Empty for the base itself, undefined if the path is not below it.
 */
function belowBase(path: string, base: string): string | undefined {
  if (!path.startsWith(base)) return undefined;
  const below = path.slice(base.length);
  return below === "" || below.startsWith("/") ? below : undefined;
}

/** Returns the route for the method. Only the most specific pattern is considered, so methods of other patterns are ignored. */
function routeFor(routes: readonly CompiledRoute[], exchange: Exchange): CompiledRoute {
  const route = routes.find(({ methods }) => methods === undefined || methods.has(exchange.method));
  if (route) return route;
  const allowedMethods = [...new Set(routes.flatMap(({ methods }) => [...(methods ?? [])]))].sort();
  throw new Refusal("INVALID_REQUEST", "method_not_allowed", `The route does not allow ${exchange.method}.`, {
    allowedMethods,
    details: { allowed_methods: allowedMethods },
  });
}

function unknown(): Refusal {
  return new Refusal("NOT_FOUND", "app_unknown", "No such app is installed.");
}

function unloaded(): Refusal {
  return new Refusal("SERVICE_UNAVAILABLE", "apps_unloaded", "The installed apps are not known yet.");
}

/** Refuses a body whose declared length is too large, without reading it. */
function refuseOversized(exchange: Exchange, app: ServingApp): void {
  const declared = exchange.request.headers["content-length"];
  if (declared !== undefined && Number(declared) > app.compiled.maxBodyBytes) throw bodyTooLarge(app.compiled.maxBodyBytes);
}
