import { type Activity, activityMigrations, createActivity } from "@appserver/activity";
import { serverQueuePrefix } from "@appserver/contracts/events";
import { createHooks, type Hooks, type HooksPolicy, hooksMigrations } from "@appserver/hooks";
import { BufferBudget, type Clock, LiveConnections, type Logger, readPermissionChanges, SqlAuditLog } from "@appserver/kernel";
import type {
  AuditLog,
  Authorization,
  Broker,
  Cache,
  Database,
  IdentityProvider,
  Leases,
  Metrics,
  Migration,
  Outbox,
  Tracer,
} from "@appserver/kernel/ports";
import {
  createMarketplace,
  type Marketplace,
  type MarketplaceDependencies,
  type MarketplacePolicy,
  marketplaceMigrations,
} from "@appserver/marketplace";
import { createDeployments, orchestrationMigrations } from "@appserver/orchestration";
import {
  type AddressRules,
  type AppProxy,
  type CallerAuthenticator,
  createCallerAuthenticator,
  createPermissionChecker,
  createProxy,
  type Endpoint,
  originRights,
  type PermissionChecker,
  UpstreamConnections,
  UpstreamPoster,
  UpstreamProber,
} from "@appserver/proxy";
import {
  createImageStages,
  createSettings,
  type EncryptionKeys,
  type SettingsService,
  settingsMigrations,
} from "@appserver/settings";
import { assetUrl, createUi, type Ui, type UiDependencies } from "@appserver/ui";
import type { FrontDoor } from "./compose-front-door.ts";
import type { EventFanout } from "./listeners/events/index.ts";
import type { GrpcListenerOptions } from "./listeners/grpc/index.ts";
import { activityApps } from "./wiring/activity-apps.ts";
import { AnnouncedAuthorization } from "./wiring/announced-authorization.ts";
import { CatalogueAppKeys } from "./wiring/app-keys.ts";
import { appNews, newsTypes } from "./wiring/app-news.ts";
import { assetStore } from "./wiring/asset-store.ts";
import type { AccessMode } from "./wiring/caller-access.ts";
import { corruptAssets } from "./wiring/corrupt-assets.ts";
import { hooksApps } from "./wiring/hooks-apps.ts";
import { hooksNews, hooksNewsTypes } from "./wiring/hooks-news.ts";
import { creationHook } from "./wiring/hooks-service.ts";
import { PermissionChangesWatch } from "./wiring/permission-changes-watch.ts";
import { type RouteDefaults, routeSource } from "./wiring/route-source.ts";
import { settingsApps } from "./wiring/settings-apps.ts";
import { settingsNews, settingsNewsTypes } from "./wiring/settings-news.ts";
import { upstreamWarnings } from "./wiring/upstream-warnings.ts";

/** One driver of each family, started; whose they are makes no difference to the services. */
export interface Drivers {
  readonly database: Database;
  readonly broker: Broker;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly cache: Cache;
  readonly authorization: Authorization;
  readonly identity: IdentityProvider;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

export interface ServerOptions {
  /** Names this installation: in container labels and event sources. */
  readonly instance: string;
  /** Open already; requests are let in when everything behind it runs. */
  readonly frontDoor: FrontDoor;
  readonly grpc: Pick<
    GrpcListenerOptions,
    "host" | "port" | "allowedHosts" | "tls" | "reflection" | "limits" | "shutdownTimeoutMs"
  >;
  /** Who may come without credentials to GraphQL and gRPC. */
  readonly access: AccessMode;
  /** Whether everybody may ask GraphQL for its schema. Administrators always may. */
  readonly introspection: boolean;
  /** At least 16 bytes: authenticates what replicas share in the cache. */
  readonly macKey: Uint8Array;
  /** Where it departs from the defaults. */
  readonly hooksPolicy?: Partial<HooksPolicy>;
  /** Runs of one app's activities that may wait. */
  readonly maxQueuedRunsPerApp?: number;
  /** Keys of settings at rest. */
  readonly settingsKeys: EncryptionKeys;
  readonly policy: MarketplacePolicy;
  /** Where apps' upstreams may be, and what the platform depends on, where they may not. Its own ports are added. */
  readonly upstreams: AddressRules & { readonly endpoints: readonly Endpoint[] };
  /** How long a session check is cached. Default 0: every request checks (docs/interface/permissions.md#sessions). */
  readonly sessionCacheTtlMs?: number;
  /** Origins beside the platform's own whose pages may use a session's cookie to change things. */
  readonly allowedOrigins?: readonly string[];
  /** Listed headers pass to apps whole, with the caller's session in them. Default false. */
  readonly forwardSession?: boolean;
  readonly routeDefaults?: RouteDefaults;
  readonly graphqlMaxBodyBytes?: number;
  readonly assets?: Pick<UiDependencies, "cacheBytes" | "cacheTtlMs" | "unversionedCache">;
  /** Of everything that listeners buffer. Default: 256 MiB. */
  readonly budget?: BufferBudget;
  /** Told when another process changed permissions, before they are asked for again. */
  readonly onPermissionsChanged?: () => void;
  /** Prefix of the server's durable queues. Default `appserver.subscriber.` (docs/interface/events.md#broker-layout). */
  readonly queuePrefix?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The tables of every service, in the order they are made. Drivers bring their own. */
export const serviceMigrations: readonly Migration[] = [
  ...marketplaceMigrations,
  ...orchestrationMigrations,
  ...settingsMigrations,
  ...activityMigrations,
  ...hooksMigrations,
];

/** The services of the application server, made and not started. */
export interface Services {
  readonly marketplace: Marketplace;
  readonly settings: SettingsService;
  readonly hooks: Hooks;
  readonly activity: Activity;
  readonly ui: Ui;
  readonly proxy: AppProxy;
  readonly keys: CatalogueAppKeys;
  readonly authenticator: CallerAuthenticator;
  readonly permissions: PermissionChecker;
  readonly permissionChanges: PermissionChangesWatch;
  /** WebSockets and streams of every listener, to be checked again while they are open. */
  readonly connections: LiveConnections;
  readonly audit: AuditLog;
  readonly authorization: Authorization;
  readonly budget: BufferBudget;
  /** Posts hooks to apps; it goes when they have stopped. */
  readonly poster: UpstreamPoster;
}

/** What a service gets whichever it is. */
type Shared = Omit<Drivers, "authorization"> &
  Pick<ServerOptions, "clock" | "logger"> & {
    readonly authorization: Authorization;
    readonly audit: AuditLog;
    readonly budget: BufferBudget;
    readonly source: string;
  };

/** News of every replica that subscriptions tell of. */
export const fanoutTypes: readonly string[] = [...new Set([...newsTypes, ...settingsNewsTypes, ...hooksNewsTypes])];

/** Services over drivers. They need each other in circles: each asks another only when something happens. */
export function createServices(
  drivers: Drivers,
  options: ServerOptions,
  fanout: EventFanout,
  ownPorts: () => readonly number[],
): Services {
  const { clock, logger } = options;
  const { database, outbox } = drivers;
  const source = `/appserver/${options.instance}`;
  const authorization = new AnnouncedAuthorization({ authorization: drivers.authorization, database, outbox, clock, source });
  const audit = new SqlAuditLog({ database, clock });
  const { budget = new BufferBudget() } = options;
  const shared: Shared = { ...drivers, authorization, audit, budget, clock, logger, source };
  const settings: SettingsService = createSettings({
    database,
    outbox,
    authorization,
    clock,
    source,
    audit,
    keys: options.settingsKeys,
    apps: settingsApps(() => marketplace.store),
    news: settingsNews(fanout),
  });
  const subscribers = hooksApps(() => marketplace.catalogue);
  const upstreamConnections = openUpstreamConnections(options, ownPorts);
  const poster = new UpstreamPoster(upstreamConnections);
  const hooks: Hooks = createHooks({
    ...loggedAs(shared, "hooks"),
    audit,
    metrics: drivers.metrics,
    apps: subscribers,
    news: hooksNews(fanout),
    transport: poster,
    platformKeys: [options.macKey],
    ...(options.hooksPolicy ? { policy: options.hooksPolicy } : {}),
  });
  const marketplace: Marketplace = marketplaceOf(shared, options, {
    healthProber: new UpstreamProber(upstreamConnections),
    news: appNews(fanout),
    data: appData(settings, (appName) => activity.purge(appName)),
    manifestRules: {
      violations: (manifest) => activity.manifestViolations(manifest),
      warnings: upstreamWarnings(options.upstreams),
    },
    creationHook: creationHook(hooks, subscribers),
    breakerState: (appName) => entrance.proxy.breakerState(appName) ?? "CLOSED",
  });
  const activity: Activity = createActivity({
    ...loggedAs(shared, "activity"),
    audit,
    metrics: drivers.metrics,
    apps: activityApps(marketplace.catalogue),
    ...(options.maxQueuedRunsPerApp !== undefined && { maxQueuedRunsPerApp: options.maxQueuedRunsPerApp }),
  });
  const entrance = entranceOf(shared, options, marketplace, upstreamConnections);
  return { marketplace, settings, hooks, activity, poster, audit, authorization, budget, ...entrance };
}

/** The platform's ports are its own on every address of this machine. */
function openUpstreamConnections(options: ServerOptions, ownPorts: () => readonly number[]): UpstreamConnections {
  const { upstreams, clock, logger } = options;
  const own = (): readonly Endpoint[] => ownPorts().map((port) => ({ host: "127.0.0.1", port }));
  return new UpstreamConnections({ ...upstreams, endpoints: () => [...upstreams.endpoints, ...own()], clock, logger });
}

function loggedAs(shared: Shared, service: string) {
  const { database, outbox, broker, authorization, clock, source } = shared;
  return { database, outbox, broker, authorization, clock, source, logger: shared.logger.child({ component: service }) };
}

function marketplaceOf(
  shared: Shared,
  options: ServerOptions,
  parts: Pick<MarketplaceDependencies, "healthProber" | "news" | "data" | "manifestRules" | "creationHook" | "breakerState">,
): Marketplace {
  const { database, clock } = shared;
  const deployments = createDeployments({ database, clock });
  return createMarketplace({
    ...loggedAs(shared, "marketplace"),
    ...parts,
    audit: shared.audit,
    leases: shared.leases,
    queuePrefix: options.queuePrefix ?? serverQueuePrefix,
    deployments: { find: (appId) => deployments.getDeployment(appId) },
    imageStages: createImageStages(database),
    assetUrl,
    policy: options.policy,
  });
}

/** What the settings and the activities keep of an app. */
function appData(
  settings: SettingsService,
  purgeActivities: (appName: string) => Promise<void>,
): MarketplaceDependencies["data"] {
  return {
    prepare: (app) => settings.prepare(app.id),
    purge: async (app, actor = "system") => {
      await purgeActivities(app.name);
      await settings.purge(app.id, actor);
    },
    conditions: async ({ id }) =>
      (await settings.conditions(id)).map(({ since, ...condition }) => ({
        ...condition,
        lastTransitionTime: since.toISOString(),
      })),
  };
}

type Entrance = Pick<Services, "keys" | "authenticator" | "permissions" | "permissionChanges" | "connections" | "ui" | "proxy">;

/** Who calls, what they may, and what they are served. */
function entranceOf(
  shared: Shared,
  options: ServerOptions,
  marketplace: Marketplace,
  upstreamConnections: UpstreamConnections,
): Entrance {
  const { authorization, cache, identity, metrics, tracer, clock, logger } = shared;
  const keys = new CatalogueAppKeys(marketplace.catalogue, clock);
  const { sessionCacheTtlMs = 0, allowedOrigins = [], macKey } = options;
  const authenticator = createCallerAuthenticator({
    identity,
    apps: keys,
    cache,
    clock,
    metrics,
    sessionCacheTtlMs,
    allowedOrigins,
  });
  const permissionChanges = new PermissionChangesWatch({ read: () => readPermissionChanges(shared.database), clock, logger });
  const permissions = createPermissionChecker({
    authorization,
    cache,
    changes: permissionChanges,
    clock,
    logger,
    macKey,
    metrics,
  });
  const connections = new LiveConnections({ clock, logger });
  const ui = createUi({
    ...options.assets,
    ...corruptAssets(shared),
    store: assetStore(marketplace.store),
    rights: originRights(permissions, logger),
    clock,
    logger,
  });
  const proxy = createProxy({
    routes: routeSource(marketplace.catalogue, options.routeDefaults),
    authenticator,
    permissions,
    connections,
    cache,
    clock,
    logger: logger.child({ component: "proxy" }),
    metrics,
    tracer,
    budget: shared.budget,
    sessionCookieName: identity.sessionCookieName,
    forwardSession: options.forwardSession,
    upstreamConnections,
  });
  return { keys, authenticator, permissions, permissionChanges, connections, ui, proxy };
}
