import { originPermission } from "@appserver/contracts/authorization";
import type { ForwardKeys } from "@appserver/hooks";
import { holdsRequests, isKnown, type LiveApp, type LiveApps, routedGeneration } from "@appserver/marketplace";
import {
  disabledReason,
  type ProxiedApi,
  type ProxiedApp,
  type ProxiedApps,
  type ProxiedPages,
  type ProxiedRateLimit,
} from "@appserver/proxy";

type LiveApi = NonNullable<LiveApp["api"]>;
type ManifestRateLimit = LiveApi["defaultRateLimit"];

/** Values for apps whose manifests do not set them. */
export interface RouteDefaults {
  /** Maximum size of request bodies (APPSERVER_MAX_BODY_BYTES). */
  readonly maxBodyBytes: number;
}

/** What happens to requests that this server cannot sign. They are never forwarded. */
const unsigned = {
  awaited: { unavailable: "starting", isHeld: true },
  unreadable: { unavailable: "secret_unreadable", retryAfterSeconds: 60 },
} as const;

/** Returns the apps that the proxy serves: those with an API, and those that render their pages. */
export function proxiedApps(apps: LiveApps, defaults: RouteDefaults, forwardKeys: ForwardKeys): ProxiedApps {
  const form = (live: LiveApp): ProxiedApp | undefined => {
    const proxied = isKnown(live.app) ? toProxied(live, defaults) : undefined;
    if (proxied?.availability !== "serving") return proxied;
    const key = forwardKeys.of(proxied.name);
    return typeof key === "string" ? { ...proxied, availability: unsigned[key] } : { ...proxied, forwardKey: key };
  };
  return {
    get: (name) => {
      const live = apps.get(name);
      return live && form(live);
    },
    all: () => apps.all().flatMap((live) => form(live) ?? []),
    refresh: (name) => apps.refresh(name),
  };
}

function toProxied(live: LiveApp, defaults: RouteDefaults): ProxiedApp | undefined {
  const { app, api, manifest, placement } = live;
  if (!api && !placement.rendersPages) return undefined;
  const managed = placement.api !== "external";
  const base = api?.upstreamBaseUrl ?? "http://app/";
  const url = managed ? app.endpoint && withPathOf(app.endpoint, base) : base;
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    generation: routedGeneration(app),
    manifestDigest: app.manifestDigest,
    availability: availabilityOf(live, url !== undefined),
    asksForOrigin: manifest.requiredPermissions.some(({ scope }) => scope === originPermission),
    upstream: { url: url ?? base, managed },
    ...(api ? { api: toProxiedApi(api, defaults) } : {}),
    ...(placement.rendersPages ? { pages: toProxiedPages(api) } : {}),
  };
}

function toProxiedApi(api: LiveApi, defaults: RouteDefaults): ProxiedApi {
  return {
    basePath: api.basePath,
    stripBasePath: api.stripBasePath,
    timeoutMs: api.timeoutMs,
    forwardHeaders: api.forwardHeaders,
    maxBodyBytes: api.maxBodyBytes ?? defaults.maxBodyBytes,
    requiredPermissions: api.requiredPermissions,
    ...rateLimit("defaultRateLimit", api.defaultRateLimit),
    routes: api.routes.map((route) => ({
      id: route.id,
      pattern: route.pattern,
      methods: route.methods,
      scopes: route.scopes,
      timeoutMs: route.timeoutMs,
      isPublic: route.isPublic,
      ...rateLimit("rateLimit", route.rateLimit),
    })),
  };
}

/** Pages have what the API declares for routes that declare nothing themselves. */
function toProxiedPages(api: LiveApi | undefined): ProxiedPages {
  if (!api) return { requiredPermissions: [] };
  const { requiredPermissions, timeoutMs, defaultRateLimit } = api;
  return { requiredPermissions, timeoutMs, ...rateLimit("rateLimit", defaultRateLimit) };
}

function availabilityOf({ app, placement }: LiveApp, reachable: boolean): ProxiedApp["availability"] {
  if (!app.enabled) return { unavailable: disabledReason };
  const isReplaced = holdsRequests(app) && placement.api !== "external";
  if (isReplaced) return { unavailable: "upgrading", isHeld: true };
  if (app.state === "RUNNING" && reachable) return "serving";
  return { unavailable: app.state === "RUNNING" ? "starting" : app.state.toLowerCase() };
}

/** Returns the container's address with the path of the manifest's base URL. */
function withPathOf(endpoint: string, upstreamBaseUrl: string): string {
  return new URL(new URL(upstreamBaseUrl).pathname, endpoint).href;
}

function rateLimit<K extends string>(key: K, limit: ManifestRateLimit): { readonly [P in K]?: ProxiedRateLimit } {
  if (!limit) return {};
  const converted: ProxiedRateLimit = {
    limit: limit.limit,
    windowSeconds: limit.windowSeconds,
    ...(limit.burst === undefined ? {} : { burst: limit.burst }),
    ...(limit.keyPattern === "caller" ? {} : { keyPattern: limit.keyPattern }),
  };
  return { [key]: converted } as { readonly [P in K]?: ProxiedRateLimit };
}
