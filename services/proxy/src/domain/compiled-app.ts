import { createHash } from "node:crypto";
import { platformPermissions, scopeObject } from "@appserver/contracts/authorization";
import { forwardableHeaders } from "./header-rules.ts";
import { type CompiledLimit, compileLimit } from "./limits.ts";
import type { ProxiedApp, ProxiedRoute } from "./proxied-app.ts";
import { normalisePath } from "./request-target.ts";
import { RouteMatcher } from "./route-matcher.ts";

/** Public prefix of every app's API (specification §4.1). */
export const appsPrefix = "/api/apps/";
const defaultTimeoutMs = 30_000;
const defaultMaxBodyBytes = 10 * 1024 * 1024;

export interface CompiledRoute {
  readonly id: string;
  readonly pattern: string;
  /** Undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly isPublic: boolean;
  /** Scope objects that the caller must hold, all of them. */
  readonly scopeObjects: readonly string[];
  readonly scopes: readonly string[];
  readonly timeoutMs: number;
  readonly limit: CompiledLimit | undefined;
}

/** An app with everything decided that a request does not change. */
export interface CompiledApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Absolute, without a slash at the end. */
  readonly basePath: string;
  readonly stripBasePath: boolean;
  readonly forwardable: ReadonlySet<string>;
  readonly maxBodyBytes: number;
  readonly matcher: RouteMatcher<CompiledRoute>;
}

/** Throws RangeError, or a Refusal, for a pattern, path or scope that no manifest should have passed with. */
export function compileApp(app: ProxiedApp): CompiledApp {
  const { api } = app;
  const everything: ProxiedRoute = { id: `${app.name}#all`, pattern: "/**", methods: ["*"], scopes: [], isPublic: false };
  const routes = api.routes.length > 0 ? api.routes : [everything];
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    basePath: absoluteBase(app.name, api.basePath),
    stripBasePath: api.stripBasePath,
    forwardable: forwardableHeaders(api.forwardHeaders),
    maxBodyBytes: api.maxBodyBytes ?? defaultMaxBodyBytes,
    matcher: new RouteMatcher(routes.map((route) => compileRoute(app, route))),
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
