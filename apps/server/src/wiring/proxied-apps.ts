import { originPermission } from "@appserver/contracts/authorization";
import type { ForwardKeys } from "@appserver/hooks";
import { holdsRequests, isKnown, type LiveApp, type LiveApps, routedGeneration } from "@appserver/marketplace";
import { disabledReason, type ProxiedApp, type ProxiedApps, type ProxiedRateLimit } from "@appserver/proxy";

type ManifestRateLimit = NonNullable<LiveApp["api"]>["defaultRateLimit"];

/** Values for apps whose manifests do not set them. */
export interface RouteDefaults {
  /** Maximum size of request bodies (APPSERVER_MAX_BODY_BYTES). */
  readonly maxBodyBytes: number;
}

/** What happens to requests that this server cannot sign, although it shares a secret with the backend. They are never forwarded. */
const unsigned = {
  awaited: { unavailable: "starting", isHeld: true },
  unreadable: { unavailable: "secret_unreadable", retryAfterSeconds: 60 },
} as const;

/** Returns the apps that the proxy serves: those with an API. */
export function proxiedApps(apps: LiveApps, defaults: RouteDefaults, forwardKeys: ForwardKeys): ProxiedApps {
  const form = (live: LiveApp): ProxiedApp | undefined => {
    const proxied = isKnown(live.app) ? toProxied(live, defaults) : undefined;
    if (!proxied) return undefined;
    const key = forwardKeys.of(proxied.name);
    if (key === "none") return proxied;
    if (typeof key !== "string") return { ...proxied, forwardKey: key };
    return proxied.availability === "serving" ? { ...proxied, availability: unsigned[key] } : proxied;
  };
  return {
    get: (name) => {
      const live = apps.get(name);
      return live && form(live);
    },
    all: () => apps.all().flatMap((live) => form(live) ?? []),
  };
}

function toProxied(live: LiveApp, defaults: RouteDefaults): ProxiedApp | undefined {
  const { app, api, manifest, placement } = live;
  if (!api) return undefined;
  const managed = placement.api === "container";
  const url = managed ? app.endpoint && withPathOf(app.endpoint, api.upstreamBaseUrl) : api.upstreamBaseUrl;
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    generation: routedGeneration(app),
    manifestDigest: app.manifestDigest,
    availability: availabilityOf(live, url !== undefined),
    asksForOrigin: manifest.requiredPermissions.some(({ scope }) => scope === originPermission),
    upstream: { url: url ?? api.upstreamBaseUrl, managed },
    api: {
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
    },
  };
}

function availabilityOf({ app, placement }: LiveApp, reachable: boolean): ProxiedApp["availability"] {
  if (!app.enabled) return { unavailable: disabledReason };
  const isReplaced = holdsRequests(app) && placement.api === "container";
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
