import { scopeObject, scopeOwner } from "@appserver/contracts/authorization";
import { absoluteBasePath, normalisePath } from "@appserver/contracts/patterns";
import type { CompiledRoute, RequiredScope } from "./compiled-route.ts";
import { type ForwardRules, forwardRules } from "./header-rules.ts";
import { compileLimit } from "./limits.ts";
import { PathReadings } from "./path-readings.ts";
import type { ProxiedApp, ProxiedRoute } from "./proxied-app.ts";
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
  const { api } = app;
  const everything: ProxiedRoute = { id: `${app.name}#0`, pattern: "/**", methods: ["*"], scopes: [], isPublic: false };
  const routes = (api.routes.length > 0 ? api.routes : [everything]).map((route) => compileRoute(app, route));
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    basePath: absoluteBasePath(app.name, normalisePath(api.basePath)),
    stripBasePath: api.stripBasePath,
    sessionCookieName,
    forwardable: forwardRules(api.forwardHeaders, sessionCookieName, forwardSession),
    asksForOrigin: app.asksForOrigin ?? false,
    maxBodyBytes: api.maxBodyBytes,
    matcher: new RouteMatcher(routes),
    readings: PathReadings.of(routes),
  };
}

function compileRoute(app: ProxiedApp, route: ProxiedRoute): CompiledRoute {
  const { api } = app;
  const scopes = route.scopes.length > 0 ? route.scopes : api.requiredPermissions;
  return {
    id: route.id,
    pattern: route.pattern,
    methods: compileMethods(route.methods),
    isPublic: route.isPublic,
    scopes: scopes.map((permission) => requiredScope(app.name, permission)),
    timeoutMs: route.timeoutMs ?? api.timeoutMs ?? defaultTimeoutMs,
    limit: compileLimit(route.rateLimit ?? api.defaultRateLimit),
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
