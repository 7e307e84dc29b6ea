import { scopeObject, scopeOwner } from "@appserver/contracts/authorization";
import { absoluteBasePath, apiPath, normalisePath } from "@appserver/contracts/patterns";
import type { CompiledRoute, RequiredScope } from "./compiled-route.ts";
import { type ForwardRules, forwardRules } from "./header-rules.ts";
import { compileLimit } from "./limits.ts";
import { PathReadings } from "./path-readings.ts";
import type { ProxiedApi, ProxiedApp, ProxiedPages, ProxiedRateLimit, ProxiedRoute } from "./proxied-app.ts";
import { RouteMatcher } from "./route-matcher.ts";

const defaultTimeoutMs = 30_000;

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
  readonly maxBodyBytes: number;
  readonly matcher: RouteMatcher<CompiledRoute>;
  /** The route of the pages that the app renders itself. */
  readonly pages: CompiledRoute | undefined;
  /** Set if the routes have different requirements. */
  readonly readings: PathReadings | undefined;
}

/** The operator's rules for callers' credentials. */
export interface SessionRules {
  readonly sessionCookieName: string;
  /** Whether listed headers are forwarded unchanged, including the session. */
  readonly forwardSession: boolean;
}

/** Throws RangeError for an invalid pattern, path or scope. Registration should have refused such a manifest. */
export function compileApp(app: ProxiedApp, { sessionCookieName, forwardSession }: SessionRules): CompiledApp {
  const { api, pages } = app;
  const routes = api ? routesOf(api, app.name) : [];
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    basePath: api ? absoluteBasePath(app.name, normalisePath(api.basePath)) : apiPath(app.name),
    stripBasePath: api?.stripBasePath ?? false,
    sessionCookieName,
    forwardable: forwardRules(api?.forwardHeaders ?? [], sessionCookieName, forwardSession),
    asksForOrigin: app.asksForOrigin ?? false,
    maxBodyBytes: api?.maxBodyBytes ?? 0,
    matcher: new RouteMatcher(routes),
    readings: PathReadings.of(routes),
    pages: pages && compileRoute(app.name, pageRoute(app.name, pages), pages),
  };
}

/** An API without routes has everything below its base. */
function routesOf(api: ProxiedApi, appName: string): readonly CompiledRoute[] {
  const everything: ProxiedRoute = { id: `${appName}#0`, pattern: "/**", methods: ["*"], scopes: [], isPublic: false };
  const defaults = { ...api, rateLimit: api.defaultRateLimit };
  return (api.routes.length > 0 ? api.routes : [everything]).map((route) => compileRoute(appName, route, defaults));
}

/** Forms of a page cannot post: a page in a sandbox sends no session with them. */
function pageRoute(appName: string, { requiredPermissions }: ProxiedPages): ProxiedRoute {
  return { id: `${appName}#page`, pattern: "/**", methods: ["GET"], scopes: requiredPermissions, isPublic: false };
}

/** What a route has unless it declares something else. */
interface RouteDefaults {
  readonly requiredPermissions: readonly string[];
  readonly timeoutMs?: number;
  readonly rateLimit?: ProxiedRateLimit | undefined;
}

function compileRoute(appName: string, route: ProxiedRoute, defaults: RouteDefaults): CompiledRoute {
  const scopes = route.scopes.length > 0 ? route.scopes : defaults.requiredPermissions;
  return {
    id: route.id,
    pattern: route.pattern,
    methods: compileMethods(route.methods),
    isPublic: route.isPublic,
    scopes: scopes.map((permission) => requiredScope(appName, permission)),
    timeoutMs: route.timeoutMs ?? defaults.timeoutMs ?? defaultTimeoutMs,
    limit: compileLimit(route.rateLimit ?? defaults.rateLimit),
  };
}

/** Returns the scope of a route. It belongs to the app, unless it is a platform permission. Throws RangeError if it is malformed. */
function requiredScope(appName: string, permission: string): RequiredScope {
  const owner = scopeOwner(permission, appName);
  scopeObject(permission, owner);
  return { permission, owner };
}

function compileMethods(methods: readonly string[]): ReadonlySet<string> | undefined {
  const names = new Set(methods.map((method) => method.toUpperCase()));
  if (names.has("*") || names.has("ANY")) return undefined;
  // A HEAD is a GET without the content (RFC 9110 §9.3.2).
  if (names.has("GET")) names.add("HEAD");
  return names;
}
