import { absoluteBasePath } from "@appserver/contracts/patterns";
import type { RateLimit as ManifestRateLimit, RouteSpec, WebApi } from "@appserver/contracts/proto/appserver/v2/api";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { oncePerObject } from "@appserver/kernel";

/** Both forms of a limit (docs/interface/manifest.md#rate-limits): `limit` in any `windowSeconds`, `burst` in any second. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly burst: number | undefined;
  /** `user:{user_id}`, `app:{app_name}`, `ip:{remote_addr}`, `global`, or `caller` (the default key). */
  readonly keyPattern: string;
}

export interface ApiRoute {
  /** `<app>#<index in the manifest>` */
  readonly id: string;
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly scopes: readonly string[];
  readonly timeoutMs: number;
  readonly rateLimit: RateLimit | undefined;
  readonly isPublic: boolean;
}

/** A WebApi with its defaults, its routes and limits converted to the manifest form (docs/interface/manifest.md#routes). */
export interface ProxiedApi {
  /** Always absolute: `/api/apps/<app>/…` without a trailing slash. */
  readonly basePath: string;
  readonly upstreamBaseUrl: string;
  /** A path of the upstream, or an absolute URL. */
  readonly openapiUrl: string | undefined;
  readonly stripBasePath: boolean;
  readonly timeoutMs: number;
  readonly forwardHeaders: readonly string[];
  /** Undefined if the manifest does not set it. */
  readonly maxBodyBytes: number | undefined;
  readonly requiredPermissions: readonly string[];
  readonly defaultRateLimit: RateLimit | undefined;
  readonly healthCheck: DeclaredHealthCheck | undefined;
  readonly routes: readonly ApiRoute[];
}

/**
 * The health check as the manifest declares it. The prober fills in missing fields: with the orchestrator's options, or with
 * the defaults below.
 */
export interface DeclaredHealthCheck {
  readonly path: string;
  readonly intervalSeconds: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly unhealthyThreshold: number | undefined;
}

export interface HealthProbe {
  readonly path: string;
  readonly intervalSeconds: number;
  readonly timeoutMs: number;
  readonly unhealthyThreshold: number;
}

const defaults = {
  timeoutMs: 30_000,
  intervalSeconds: 30,
  probeTimeoutMs: 5000,
  threshold: 3,
} as const;

/** Returns the API of a manifest, which must not change afterwards: it is converted once. Undefined for an app without an API. */
export const proxiedApi: (manifest: AppManifest) => ProxiedApi | undefined = oncePerObject(
  ({ name, webApp }: AppManifest) => webApp?.api && converted(name, webApp.api),
);

function converted(appName: string, api: WebApi): ProxiedApi {
  const timeoutMs = api.timeoutMs ?? defaults.timeoutMs;
  const defaultRateLimit = rateLimit(api.defaultRateLimit);
  return {
    basePath: absoluteBasePath(appName, api.basePath),
    upstreamBaseUrl: api.upstreamBaseUrl,
    openapiUrl: api.openapiUrl || undefined,
    stripBasePath: api.stripBasePath ?? true,
    timeoutMs,
    forwardHeaders: [...api.forwardHeaders],
    maxBodyBytes: api.maxBodyBytes === undefined ? undefined : Number(api.maxBodyBytes),
    requiredPermissions: [...api.requiredPermissions],
    defaultRateLimit,
    healthCheck: api.healthCheck && {
      path: api.healthCheck.path,
      intervalSeconds: api.healthCheck.intervalSeconds,
      timeoutMs: api.healthCheck.timeoutMs,
      unhealthyThreshold: api.healthCheck.unhealthyThreshold,
    },
    routes: api.routes.map((route, index) => apiRoute(appName, route, index, timeoutMs, defaultRateLimit)),
  };
}

/** Returns the health check of an external backend, with the defaults of docs/interface/manifest.md#health-check. */
export function externalProbe(check: DeclaredHealthCheck): HealthProbe {
  return {
    path: check.path,
    intervalSeconds: check.intervalSeconds ?? defaults.intervalSeconds,
    timeoutMs: check.timeoutMs ?? defaults.probeTimeoutMs,
    unhealthyThreshold: check.unhealthyThreshold ?? defaults.threshold,
  };
}

/** Returns the route's pattern, from either of its two fields. */
export function patternOf(route: RouteSpec): string {
  return route.pattern === "" ? (route.path ?? "") : route.pattern;
}

function apiRoute(
  appName: string,
  route: RouteSpec,
  index: number,
  timeoutMs: number,
  fallback: RateLimit | undefined,
): ApiRoute {
  return {
    id: `${appName}#${index}`,
    pattern: patternOf(route),
    methods: [...route.methods],
    scopes: route.scopes.length > 0 ? [...route.scopes] : [...route.requiredPermissions],
    timeoutMs: route.timeoutMs ?? timeoutMs,
    rateLimit: rateLimit(route.rateLimit) ?? fallback,
    isPublic: route.isPublic,
  };
}

function rateLimit(limit: ManifestRateLimit | undefined): RateLimit | undefined {
  if (!limit) return undefined;
  const keyPattern = limit.keyPattern === undefined || limit.keyPattern === "" ? "caller" : limit.keyPattern;
  if (limit.requests !== undefined) {
    return { limit: limit.requests, windowSeconds: limit.windowSeconds ?? 60, burst: limit.burst, keyPattern };
  }
  if (limit.rpm !== undefined) return { limit: limit.rpm, windowSeconds: 60, burst: limit.burst, keyPattern };
  if (limit.burst !== undefined) return { limit: limit.burst, windowSeconds: 1, burst: undefined, keyPattern };
  return undefined;
}

/** Returns every scope that the app's own routes require, each once. These become objects of the permission model. */
export function declaredScopes(manifest: AppManifest): readonly string[] {
  const api = proxiedApi(manifest);
  if (!api) return [];
  return [...new Set([...api.requiredPermissions, ...api.routes.flatMap((route) => route.scopes)])];
}
