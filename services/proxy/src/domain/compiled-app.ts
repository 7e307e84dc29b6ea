import { createHash } from "node:crypto";
import { platformPermissions, scopeObject } from "@appserver/contracts/authorization";
import { normalisePath } from "@appserver/contracts/patterns";
import type { CompiledRoute } from "./compiled-route.ts";
import { type ForwardRules, forwardRules } from "./header-rules.ts";
import { compileLimit } from "./limits.ts";
import { PathReadings } from "./path-readings.ts";
import type { ProxiedApp, ProxiedRoute } from "./proxied-app.ts";
import { RouteMatcher } from "./route-matcher.ts";

/** Public prefix of every app's API (docs/interface/proxy.md#paths). */
export const appsPrefix = "/api/apps/";
const defaultTimeoutMs = 30_000;
const defaultMaxBodyBytes = 10 * 1024 * 1024;

/** An app with everything decided that a request does not change. */
export interface CompiledApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Absolute, without a slash at the end. */
  readonly basePath: string;
  readonly stripBasePath: boolean;
  readonly sessionCookieName: string;
  readonly forwardable: ForwardRules;
  /** The manifest wants the permission `page:origin`; whether the app holds it is asked at each request. */
  readonly asksForOrigin: boolean;
  readonly maxBodyBytes: number;
  readonly matcher: RouteMatcher<CompiledRoute>;
  /** Where the routes ask for different things. */
  readonly readings: PathReadings | undefined;
}

/** What the operator decided about callers' credentials. */
export interface SessionRules {
  readonly sessionCookieName: string;
  /** Listed headers pass whole, with the session in them. Default false. */
  readonly forwardSession?: boolean | undefined;
}

/** Throws RangeError for a pattern, path or scope that no manifest should have passed with. */
export function compileApp(app: ProxiedApp, { sessionCookieName, forwardSession = false }: SessionRules): CompiledApp {
  const { api } = app;
  const everything: ProxiedRoute = { id: `${app.name}#all`, pattern: "/**", methods: ["*"], scopes: [], isPublic: false };
  const routes = (api.routes.length > 0 ? api.routes : [everything]).map((route) => compileRoute(app, route));
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    basePath: absoluteBase(app.name, api.basePath),
    stripBasePath: api.stripBasePath,
    sessionCookieName,
    forwardable: forwardRules(api.forwardHeaders, sessionCookieName, forwardSession),
    asksForOrigin: app.asksForOrigin ?? false,
    maxBodyBytes: api.maxBodyBytes ?? defaultMaxBodyBytes,
    matcher: new RouteMatcher(routes),
    readings: PathReadings.of(routes),
  };
}

function compileRoute(app: ProxiedApp, route: ProxiedRoute): CompiledRoute {
  const { api } = app;
  const scopes = route.scopes.length > 0 ? route.scopes : api.requiredPermissions;
  return {
    id: route.id ?? routeId(app.name, route),
    pattern: route.pattern,
    methods: compileMethods(route.methods),
    isPublic: route.isPublic,
    scopes,
    scopeObjects: scopes.map((scope) => scopeObjectFor(app.name, scope)),
    timeoutMs: route.timeoutMs ?? api.timeoutMs ?? defaultTimeoutMs,
    limit: compileLimit(route.rateLimit ?? api.defaultRateLimit),
  };
}

/** What an app's route asks for is the app's own scope, unless it is a permission of the platform. */
export function scopeObjectFor(appName: string, scope: string): string {
  return Object.hasOwn(platformPermissions, scope) ? scopeObject(scope) : scopeObject(scope, appName);
}

/** `base_path` may begin with the app's public prefix, or be relative to it. */
export function absoluteBase(appName: string, basePath: string): string {
  const prefix = appsPrefix + appName;
  const path = normalisePath(basePath).replace(/\/+$/, "");
  return path === prefix || path.startsWith(`${prefix}/`) ? path : prefix + path;
}

/** Keeps counters and dashboards steady when a new version of the manifest reorders its routes. */
function routeId(appName: string, route: ProxiedRoute): string {
  const identity = `${[...route.methods].sort().join(",")} ${route.pattern}`;
  return `${appName}#${createHash("sha256").update(identity).digest("hex").slice(0, 8)}`;
}

function compileMethods(methods: readonly string[]): ReadonlySet<string> | undefined {
  const names = new Set(methods.map((method) => method.toUpperCase()));
  if (names.has("*") || names.has("ANY")) return undefined;
  // A HEAD is a GET without the content (RFC 9110 §9.3.2).
  if (names.has("GET")) names.add("HEAD");
  return names;
}
