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

/** One started driver of each family. Services do not depend on which driver it is. */
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
  /** Id of this installation in container labels and event sources. */
  readonly instance: string;
  /** Already open. It serves requests once all components behind it run. */
  readonly frontDoor: FrontDoor;
  readonly grpc: Pick<
    GrpcListenerOptions,
    "host" | "port" | "allowedHosts" | "tls" | "reflection" | "limits" | "shutdownTimeoutMs"
  >;
  /** Access to GraphQL and gRPC for callers without credentials. */
  readonly access: AccessMode;
  /** Whether every caller may introspect the GraphQL schema. Administrators always may. */
  readonly introspection: boolean;
  /** At least 16 bytes. Authenticates the data that replicas share in the cache. */
  readonly macKey: Uint8Array;
  /** Values that differ from the defaults. */
  readonly hooksPolicy?: Partial<HooksPolicy>;
  /** Maximum number of queued activity runs of one app. */
  readonly maxQueuedRunsPerApp?: number;
  /** Keys for the encryption of stored settings. */
  readonly settingsKeys: EncryptionKeys;
  readonly policy: MarketplacePolicy;
  /**
   * Address rules for apps' upstreams, and the endpoints of the platform's dependencies, which upstreams may not use. The
   * platform's own ports are added.
   */
  readonly upstreams: AddressRules & { readonly endpoints: readonly Endpoint[] };
  /** Time to cache a session check. Default 0: every request checks (docs/interface/permissions.md#sessions). */
  readonly sessionCacheTtlMs?: number;
  /** Origins, in addition to the platform's own, whose pages may use a session cookie for changes. */
  readonly allowedOrigins?: readonly string[];
  /** Whether headers that a manifest lists are forwarded unchanged, including a session in them. Default false. */
  readonly forwardSession?: boolean;
  readonly routeDefaults?: RouteDefaults;
  readonly graphqlMaxBodyBytes?: number;
  readonly assets?: Pick<UiDependencies, "cacheBytes" | "cacheTtlMs" | "unversionedCache">;
  /** Budget of all data that listeners buffer. Default: 256 MiB. */
  readonly budget?: BufferBudget;
  /** Called when another process changed permissions, before they are checked again. */
  readonly onPermissionsChanged?: () => void;
  /** Prefix of the server's durable queues. Default `appserver.subscriber.` (docs/interface/events.md#broker-layout). */
  readonly queuePrefix?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The tables of every service, in order of creation. Drivers bring their own migrations. */
export const serviceMigrations: readonly Migration[] = [
  ...marketplaceMigrations,
  ...orchestrationMigrations,
  ...settingsMigrations,
  ...activityMigrations,
  ...hooksMigrations,
];

/** The services of the application server, created but not started. */
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
  /** WebSockets and streams of every listener. Their callers are checked again while they are open. */
  readonly connections: LiveConnections;
  readonly audit: AuditLog;
  readonly authorization: Authorization;
  readonly budget: BufferBudget;
  /** Posts hooks to apps. It is closed after the hooks have stopped. */
  readonly poster: UpstreamPoster;
}

/** Dependencies of every service. */
type Shared = Omit<Drivers, "authorization"> &
  Pick<ServerOptions, "clock" | "logger"> & {
    readonly authorization: Authorization;
    readonly audit: AuditLog;
    readonly budget: BufferBudget;
    readonly source: string;
  };

/** Types of events that subscriptions of any replica receive. */
export const fanoutTypes: readonly string[] = [...new Set([...newsTypes, ...settingsNewsTypes, ...hooksNewsTypes])];

/** Creates the services on the given drivers. They depend on each other in cycles, so each looks up another only on use. */
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

/** Protects the platform's own ports on every address of this machine. */
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

/** Returns how the settings and the activities prepare and delete the data of an app. */
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

/** Creates the components for callers: authentication, permissions, UI and proxy. */
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
