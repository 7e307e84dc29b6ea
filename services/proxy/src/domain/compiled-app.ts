import { scopeObject, scopeOwner } from "@appserver/contracts/authorization";
import { type AppRoute, servedRoutes, unlimitedRoute } from "@appserver/contracts/manifest";
import { absoluteBasePath, apiPath, normalisePath, RouteMatcher } from "@appserver/contracts/patterns";
import type { CompiledRoute, RequiredScope } from "./compiled-route.ts";
import { type ForwardRules, forwardRules } from "./header-rules.ts";
import { compileLimit } from "./limits.ts";
import { PathInterpretations } from "./path-interpretations.ts";
import type { ProxiedApp } from "./proxied-app.ts";

/** An app with everything computed that does not depend on a request. */
export interface CompiledApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Absolute, without a trailing slash. */
  readonly basePath: string;
  readonly stripBasePath: boolean;
  readonly sessionCookieName: string;
  readonly forwardable: ForwardRules;
  /** Whether the manifest requests the permission `page:origin`. Each request checks whether the app holds it. */
  readonly asksForOrigin: boolean;
  /** Whether the manifest requests the permission `people:read`. Each request of a user checks whether the app holds it. */
  readonly asksForPeople: boolean;
  readonly maxBodyBytes: number;
  readonly matcher: RouteMatcher<CompiledRoute>;
  /** The route of the pages that the app renders itself. */
  readonly pages: CompiledRoute | undefined;
  /** Set if the routes have different requirements. */
  readonly interpretations: PathInterpretations | undefined;
}

/** What the operator has configured for all apps. */
export interface ProxyRules {
  readonly sessionCookieName: string;
  /** Whether listed headers are forwarded unchanged, including the session. */
  readonly forwardSession: boolean;
  /** Maximum size of request bodies, for apps whose manifests set none (docs/interface/limits.md#bodies). */
  readonly maxBodyBytes: number;
}

/** Throws RangeError for an invalid pattern, path or scope. Registration should have refused such a manifest. */
export function compileApp(app: ProxiedApp, { sessionCookieName, forwardSession, maxBodyBytes }: ProxyRules): CompiledApp {
  const { api, rendersPages } = app;
  const methods = new MethodSets();
  const routes = api ? servedRoutes(api).map((route) => compileRoute(app.name, route, methods)) : [];
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    basePath: api ? absoluteBasePath(app.name, normalisePath(api.basePath)) : apiPath(app.name),
    stripBasePath: api?.stripBasePath ?? false,
    sessionCookieName,
    forwardable: forwardRules(api?.forwardHeaders ?? [], sessionCookieName, forwardSession),
    asksForOrigin: app.asksForOrigin ?? false,
    asksForPeople: app.asksForPeople ?? false,
    maxBodyBytes: api ? (api.maxBodyBytes ?? maxBodyBytes) : 0,
    matcher: new RouteMatcher(routes),
    interpretations: PathInterpretations.of(routes),
    pages: rendersPages ? compileRoute(app.name, pageRoute(app), methods) : undefined,
  };
}

/** Pages require what the API requires of its routes by default. Their forms cannot post: a page in a sandbox sends no session. */
function pageRoute({ name, api }: ProxiedApp): AppRoute {
  return { ...(api?.everything ?? unlimitedRoute(name)), id: `${name}#page`, methods: ["GET"] };
}

function compileRoute(
  appName: string,
  { id, pattern, methods, isPublic, scopes, timeoutMs, rateLimit }: AppRoute,
  sets: MethodSets,
): CompiledRoute {
  return {
    id,
    pattern,
    methods: sets.of(methods),
    isPublic,
    scopes: scopes.map((permission) => requiredScope(appName, permission)),
    timeoutMs,
    limit: compileLimit(rateLimit),
  };
}

/** Returns the scope of a route. It belongs to the app, unless it is a platform permission. Throws RangeError if it is malformed. */
function requiredScope(appName: string, permission: string): RequiredScope {
  const owner = scopeOwner(permission, appName);
  scopeObject(permission, owner);
  return { permission, owner };
}

/** The methods of an app's routes. Equal ones share a set: it would be most of a route's memory. */
class MethodSets {
  readonly #byMethods = new Map<string, ReadonlySet<string> | undefined>();

  /** Returns undefined if any method is allowed. */
  of(methods: readonly string[]): ReadonlySet<string> | undefined {
    const key = methods.join(" ");
    if (!this.#byMethods.has(key)) this.#byMethods.set(key, compileMethods(methods));
    return this.#byMethods.get(key);
  }
}

function compileMethods(methods: readonly string[]): ReadonlySet<string> | undefined {
  const names = new Set(methods.map((method) => method.toUpperCase()));
  if (names.has("*") || names.has("ANY")) return undefined;
  // A HEAD is a GET without the content (RFC 9110 §9.3.2).
  if (names.has("GET")) names.add("HEAD");
  return names;
}
