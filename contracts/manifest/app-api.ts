import type { HealthCheck, RateLimit as ManifestRateLimit, RouteSpec } from "../generated/proto/appserver/v2/api_pb.js";
import type { AppManifest } from "../generated/proto/appserver/v2/manifest_pb.js";
import { absoluteBasePath } from "../patterns/api-path.ts";
import { isRateLimitKey, type RateLimitKey } from "./rate-limit-keys.ts";

/** The API of an app with every default filled in (docs/interface/manifest.md#web-api). */
export interface AppApi {
  /** Always absolute: `/api/apps/<app>/…` without a trailing slash. */
  readonly basePath: string;
  readonly upstreamBaseUrl: string;
  /** A path of the upstream, or an absolute URL. */
  readonly openapiUrl: string | undefined;
  readonly stripBasePath: boolean;
  /** Names of request headers to forward in addition to those that are always forwarded. */
  readonly forwardHeaders: readonly string[];
  /** Undefined if the manifest does not set it: an option of the operator applies. */
  readonly maxBodyBytes: number | undefined;
  readonly healthCheck: DeclaredHealthCheck | undefined;
  /** The declared routes. If there are none, {@link everything} is served. */
  readonly routes: readonly AppRoute[];
  /** Everything below the base, with what the API declares for routes that declare nothing themselves. */
  readonly everything: AppRoute;
}

export interface AppRoute {
  /** Identifies the route in counters and in the log: `<app>#<index in the manifest>` (docs/interface/proxy.md#route-matching). */
  readonly id: string;
  readonly pattern: string;
  readonly methods: readonly string[];
  /** Those of the route, else those of the API. */
  readonly scopes: readonly string[];
  readonly timeoutMs: number;
  readonly rateLimit: RateLimit | undefined;
  readonly isPublic: boolean;
}

/** Both forms of a limit (docs/interface/manifest.md#rate-limits): `limit` in any `windowSeconds`, `burst` in any second. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly burst: number | undefined;
  /** What is counted. `caller` if the manifest does not say. */
  readonly keyPattern: RateLimitKey | "caller";
}

/** The health check as the manifest declares it. The prober fills in what it omits. */
export type DeclaredHealthCheck = Pick<HealthCheck, "path" | "intervalSeconds" | "timeoutMs" | "unhealthyThreshold">;

const defaultTimeoutMs = 30_000;

/** Returns the API of a manifest. Undefined for an app without an API. */
export function appApi({ name, webApp }: AppManifest): AppApi | undefined {
  const api = webApp?.api;
  if (!api) return undefined;
  const everything: AppRoute = {
    ...unlimitedRoute(name),
    scopes: api.requiredPermissions,
    timeoutMs: api.timeoutMs ?? defaultTimeoutMs,
    rateLimit: rateLimitOf(api.defaultRateLimit),
  };
  return {
    basePath: absoluteBasePath(name, api.basePath),
    upstreamBaseUrl: api.upstreamBaseUrl,
    openapiUrl: api.openapiUrl || undefined,
    stripBasePath: api.stripBasePath ?? true,
    forwardHeaders: api.forwardHeaders,
    maxBodyBytes: api.maxBodyBytes === undefined ? undefined : Number(api.maxBodyBytes),
    healthCheck: api.healthCheck && declaredCheck(api.healthCheck),
    routes: api.routes.map((route, index) => appRoute(`${name}#${index}`, route, everything)),
    everything,
  };
}

/** Returns the route of an app that declares nothing: every path with every method, for every caller with a session. */
export function unlimitedRoute(appName: string): AppRoute {
  const id = `${appName}#0`;
  return { id, pattern: "/**", methods: ["*"], scopes: [], timeoutMs: defaultTimeoutMs, rateLimit: undefined, isPublic: false };
}

/** Returns the routes that an API serves. */
export function servedRoutes({ routes, everything }: Pick<AppApi, "routes" | "everything">): readonly AppRoute[] {
  return routes.length > 0 ? routes : [everything];
}

/** Returns the pattern of a route, from either of its two fields. */
export function patternOf(route: RouteSpec): string {
  return route.pattern === "" ? (route.path ?? "") : route.pattern;
}

/** Returns every scope that the app's own routes require, each once. These become objects of the permission model. */
export function declaredScopes(manifest: AppManifest): readonly string[] {
  const api = appApi(manifest);
  return api ? [...new Set([api.everything, ...api.routes].flatMap(({ scopes }) => scopes))] : [];
}

function declaredCheck({ path, intervalSeconds, timeoutMs, unhealthyThreshold }: HealthCheck): DeclaredHealthCheck {
  return { path, intervalSeconds, timeoutMs, unhealthyThreshold };
}

function appRoute(id: string, route: RouteSpec, defaults: AppRoute): AppRoute {
  const scopes = [route.scopes, route.requiredPermissions, defaults.scopes].find(({ length }) => length > 0) ?? [];
  return {
    id,
    pattern: patternOf(route),
    methods: route.methods,
    scopes,
    timeoutMs: route.timeoutMs ?? defaults.timeoutMs,
    rateLimit: rateLimitOf(route.rateLimit) ?? defaults.rateLimit,
    isPublic: route.isPublic,
  };
}

function rateLimitOf(declared: ManifestRateLimit | undefined): RateLimit | undefined {
  if (!declared) return undefined;
  const { requests, rpm, burst, windowSeconds = 60, keyPattern: key = "" } = declared;
  const keyPattern = isRateLimitKey(key) ? key : "caller";
  if (requests !== undefined) return { limit: requests, windowSeconds, burst, keyPattern };
  if (rpm !== undefined) return { limit: rpm, windowSeconds: 60, burst, keyPattern };
  return burst === undefined ? undefined : { limit: burst, windowSeconds: 1, burst: undefined, keyPattern };
}
