import { apiPrefix, rendererOf } from "@appserver/contracts/patterns";
import { type MaybePromise, Rejection } from "@appserver/kernel";
import type { CompiledRoute } from "../../domain/compiled-route.ts";
import type { RequestTarget } from "../../domain/request-target.ts";
import type { ServedApps, ServingApp } from "../../ports.ts";
import type { BufferedRequests } from "./buffered-requests.ts";
import type { FreshApps } from "./fresh-apps.ts";
import type { DirectCall, ProxiedRequest } from "./proxied-request.ts";
import { bodyTooLarge } from "./request-body.ts";
import type { Step } from "./step.ts";
import { unavailable } from "./unavailable.ts";

export interface MatchRouteDeps {
  readonly apps: ServedApps;
  readonly buffered: BufferedRequests;
  readonly fresh: FreshApps;
}

/**
 * Finds the app and the route. The matched path is the one that is forwarded (docs/interface/proxy.md#route-matching). An app that
 * does not serve is read once more before the request is refused.
 */
export function matchRoute({ apps, buffered, fresh }: MatchRouteDeps): Step {
  const match = (proxied: ProxiedRequest, isFresh: boolean): MaybePromise<void> => {
    const target = proxied.parseTarget();
    const renderer = rendererOf(target.path);
    const name = renderer ?? appNameOf(target.path);
    const app = apps.find(name);
    if (!app) throw apps.isLoaded ? unknown() : unloaded();
    proxied.appName = name;
    if (!app.isServing) {
      if (!app.isBuffered && isFresh) throw unavailable(app);
      const changed = app.isBuffered ? buffered.wait(proxied, app) : fresh.read(name);
      return changed.then(() => (proxied.isAborted ? undefined : match(proxied, !app.isBuffered)));
    }
    const { compiled } = app;
    if (renderer !== undefined) return matchPage(proxied, app, target);
    const below = belowBase(target.path, compiled.basePath);
    // The base itself is matched as its root, and forwarded without adding a slash.
    const matched = below === "" ? "/" : below;
    const routes = matched === undefined ? undefined : compiled.matcher.match(matched);
    if (matched === undefined || !routes) throw noSuchRoute();
    const route = routeFor(routes, proxied);
    if (proxied.direct && !isNamed(proxied.direct, name, route)) throw noSuchRoute();
    const guard = compiled.interpretations?.strictest(matched, proxied.method, route) ?? route;
    proxied.matchTo({ app, route, guard, path: (compiled.stripBasePath ? below : target.path) + target.query });
    refuseOversized(proxied, app);
    return undefined;
  };
  return (proxied) => match(proxied, false);
}

/** A page that the app renders gets its whole path, so that it cannot be read as the path of a route of the API. */
function matchPage(proxied: ProxiedRequest, app: ServingApp, { path, query }: RequestTarget): void {
  const { pages } = app.compiled;
  if (!pages || proxied.isUpgrade) throw noSuchRoute();
  const route = routeFor([pages], proxied);
  proxied.matchTo({ app, route, guard: route, path: path + query });
  refuseOversized(proxied, app);
}

/** The arguments of a direct call must not lead to another route than the one that it names. */
function isNamed({ app, pattern }: DirectCall, name: string, route: CompiledRoute): boolean {
  return app === name && pattern === route.pattern;
}

function noSuchRoute(): Rejection {
  return new Rejection("NOT_FOUND", "route_unknown", "The app has no such route.");
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
function routeFor(routes: readonly CompiledRoute[], proxied: ProxiedRequest): CompiledRoute {
  const route = routes.find(({ methods }) => methods === undefined || methods.has(proxied.method));
  if (route) return route;
  const allowedMethods = [...new Set(routes.flatMap(({ methods }) => [...(methods ?? [])]))].sort();
  throw new Rejection("INVALID_REQUEST", "method_not_allowed", `The route does not allow ${proxied.method}.`, {
    allowedMethods,
    details: { allowed_methods: allowedMethods },
  });
}

function unknown(): Rejection {
  return new Rejection("NOT_FOUND", "app_unknown", "No such app is installed.");
}

function unloaded(): Rejection {
  return new Rejection("SERVICE_UNAVAILABLE", "apps_unloaded", "The installed apps are not known yet.");
}

/** Refuses a body whose declared length is too large, without reading it. */
function refuseOversized(proxied: ProxiedRequest, app: ServingApp): void {
  const length = proxied.request.body?.length;
  if (length !== undefined && length > app.compiled.maxBodyBytes) throw bodyTooLarge(app.compiled.maxBodyBytes);
}
