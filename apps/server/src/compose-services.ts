import { activityMigrations, createActivity } from "@appserver/activity";
import { serverQueuePrefix } from "@appserver/contracts/events";
import { readSchema } from "@appserver/contracts/graphql";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { createHooks, type Hooks, type HooksPolicy, hooksMigrations } from "@appserver/hooks";
import { type Clock, type Lifecycle, type Logger, OutboxRelay, SqlAuditLog } from "@appserver/kernel";
import type {
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
import { createMarketplace, type Marketplace, type MarketplacePolicy, marketplaceMigrations } from "@appserver/marketplace";
import { createDeployments, orchestrationMigrations } from "@appserver/orchestration";
import {
  AddressPolicy,
  type AddressRules,
  type AppProxy,
  createCallerAuthenticator,
  createPermissionChecker,
  createProxy,
  UpstreamPoster,
  UpstreamProber,
} from "@appserver/proxy";
import { createImageStages, createSettings, type EncryptionKeys, settingsMigrations } from "@appserver/settings";
import { assetUrl, createUi, type UiDependencies } from "@appserver/ui";
import type { FrontDoor } from "./compose-front-door.ts";
import { EventFanout } from "./listeners/events/index.ts";
import { createGraphqlListener, type ServiceResolvers } from "./listeners/graphql/index.ts";
import { createGrpcListener, type GrpcListener, type GrpcListenerOptions } from "./listeners/grpc/index.ts";
import type { HealthCheck } from "./listeners/http/index.ts";
import { createRestListener } from "./listeners/rest/index.ts";
import { activityApps } from "./wiring/activity-apps.ts";
import { activityService } from "./wiring/activity-service.ts";
import { AnnouncedAuthorization } from "./wiring/announced-authorization.ts";
import { CatalogueAppKeys } from "./wiring/app-keys.ts";
import { appNews, newsTypes } from "./wiring/app-news.ts";
import { AppRefresh } from "./wiring/app-refresh.ts";
import { assetStore } from "./wiring/asset-store.ts";
import { type AccessMode, graphqlAuthenticate } from "./wiring/caller-access.ts";
import { grpcAuthenticate, marketplaceService } from "./wiring/grpc-services.ts";
import { hooksApps } from "./wiring/hooks-apps.ts";
import { hooksNews, hooksNewsTypes } from "./wiring/hooks-news.ts";
import { creationHook, hooksService } from "./wiring/hooks-service.ts";
import { measurePlatform } from "./wiring/platform-metrics.ts";
import { type RouteDefaults, routeSource } from "./wiring/route-source.ts";
import { settingsApps } from "./wiring/settings-apps.ts";
import { settingsNews, settingsNewsTypes } from "./wiring/settings-news.ts";
import { settingsService } from "./wiring/settings-service.ts";

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
  /** Who may ask GraphQL for its schema. */
  readonly introspection: boolean;
  /** At least 16 bytes: authenticates what replicas share in the cache. */
  readonly macKey: Uint8Array;
  /** Where it departs from the defaults. */
  readonly hooksPolicy?: Partial<HooksPolicy>;
  /** Keys of settings at rest. */
  readonly settingsKeys: EncryptionKeys;
  readonly policy: MarketplacePolicy;
  /** Where apps' upstreams may be. */
  readonly upstreams: AddressRules;
  /** How long a session check may be used again. Default 0: each request asks (specification §5). */
  readonly sessionCacheTtlMs?: number;
  /** Origins beside the platform's own whose pages may use a session's cookie to change things. */
  readonly allowedOrigins?: readonly string[];
  readonly routeDefaults?: RouteDefaults;
  readonly graphqlMaxBodyBytes?: number;
  readonly assets?: Pick<UiDependencies, "cacheBytes" | "cacheTtlMs" | "unversionedCache">;
  /** Told when another process changed permissions, before they are asked for again. */
  readonly onPermissionsChanged?: () => void;
  /** Of the server's durable queues. Default `appserver.subscriber.` (specification §6.2). */
  readonly queuePrefix?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Server {
  readonly grpc: GrpcListener;
  /** What apps call, for a listener of their own where nobody comes without credentials. */
  readonly grpcForApps: Pick<GrpcListenerOptions, "services" | "authenticate">;
  readonly marketplace: Marketplace;
  readonly proxy: AppProxy;
}

/** The tables of every service, in the order they are made. Drivers bring their own. */
export const serviceMigrations: readonly Migration[] = [
  ...marketplaceMigrations,
  ...orchestrationMigrations,
  ...settingsMigrations,
  ...activityMigrations,
  ...hooksMigrations,
];

/** What /ready asks: without database and authorization nothing is served, without the others less (design/behaviour). */
export function dependencyChecks({ database, authorization, broker, cache, identity }: Drivers): readonly HealthCheck[] {
  return [
    { name: "database", critical: true, check: () => database.ping() },
    { name: "authorization", critical: true, check: () => authorization.ping() },
    { name: "broker", critical: false, check: () => broker.ping() },
    {
      name: "cache",
      critical: false,
      check: () => (cache.healthy() ? Promise.resolve() : Promise.reject(new Error("the cache does not answer"))),
    },
    { name: "identity", critical: false, check: () => identity.ping() },
  ];
}

/** Services and listeners of the application server over any drivers: `lifecycle` starts them, and stops them in reverse. */
export async function startServices(lifecycle: Lifecycle, drivers: Drivers, options: ServerOptions): Promise<Server> {
  const { clock, logger, frontDoor } = options;
  const { database, broker, outbox, leases, cache, identity, metrics, tracer } = drivers;
  const source = `/appserver/${options.instance}`;
  const authorization = new AnnouncedAuthorization({ authorization: drivers.authorization, database, outbox, clock, source });
  const fanout = await lifecycle.use(
    new EventFanout(broker, [...new Set([...newsTypes, ...settingsNewsTypes, ...hooksNewsTypes])]),
  );
  const deployments = createDeployments({ database, clock });

  let proxy: AppProxy | undefined;
  const settings = createSettings({
    database,
    outbox,
    authorization,
    clock,
    source,
    audit: new SqlAuditLog({ database, clock }),
    keys: options.settingsKeys,
    // Asked when the first request comes, so after the line below.
    apps: settingsApps(() => marketplace.store),
    news: settingsNews(fanout),
  });
  // They and the marketplace need each other: each asks the other only when something happens.
  const subscribers = hooksApps(() => marketplace.catalogue);
  const poster = new UpstreamPoster(new AddressPolicy(options.upstreams));
  const hooks: Hooks = createHooks({
    database,
    outbox,
    broker,
    authorization,
    clock,
    source,
    apps: subscribers,
    news: hooksNews(fanout),
    transport: poster,
    platformKeys: [options.macKey],
    logger: logger.child({ service: "hooks" }),
    ...(options.hooksPolicy ? { policy: options.hooksPolicy } : {}),
  });
  const marketplace: Marketplace = createMarketplace({
    database,
    outbox,
    leases,
    broker,
    authorization,
    clock,
    logger: logger.child({ service: "marketplace" }),
    source,
    queuePrefix: options.queuePrefix ?? serverQueuePrefix,
    news: appNews(fanout),
    healthProber: new UpstreamProber(new AddressPolicy(options.upstreams)),
    deployments: { find: (appId) => deployments.getDeployment(appId) },
    data: {
      prepare: (app) => settings.prepare(app.id),
      purge: (app, actor = "system") => settings.purge(app.id, actor),
      conditions: async ({ id }) =>
        (await settings.conditions(id)).map(({ since, ...condition }) => ({
          ...condition,
          lastTransitionTime: since.toISOString(),
        })),
    },
    creationHook: creationHook(hooks, subscribers),
    imageStages: createImageStages(database),
    breakerState: (appName) => proxy?.breakerState(appName) ?? "CLOSED",
    assetUrl,
    policy: options.policy,
  });
  const activity = createActivity({
    database,
    outbox,
    broker,
    authorization,
    apps: activityApps(marketplace.catalogue),
    clock,
    logger: logger.child({ service: "activity" }),
    source,
  });
  const keys = new CatalogueAppKeys(marketplace.catalogue);
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
  const permissions = createPermissionChecker({ authorization, cache, clock, logger, macKey, metrics });
  const corrupt = metrics.counter(metricCatalogue.assetsCorrupt);
  const onCorruptAsset = ({ appName }: { readonly appName: string }): void => corrupt.bind({ app: appName }).add();
  const ui = createUi({ ...options.assets, store: assetStore(marketplace.store), clock, logger, onCorruptAsset });
  proxy = createProxy({
    routes: routeSource(marketplace.catalogue, options.routeDefaults),
    authenticator,
    permissions,
    cache,
    clock,
    logger: logger.child({ service: "proxy" }),
    metrics,
    tracer,
    sessionCookieName: identity.sessionCookieName,
    upstreamAllow: options.upstreams.allow,
    upstreamDeny: options.upstreams.deny,
    allowLoopback: options.upstreams.allowLoopback,
  });
  await lifecycle.use(proxy);
  const { onPermissionsChanged = () => {} } = options;
  await lifecycle.use(new AppRefresh({ broker, proxy, ui, keys, permissions, onPermissionsChanged, clock, logger }));

  const { health, origins } = frontDoor;
  const graphql = createGraphqlListener({
    schemaSdl: readSchema(),
    resolvers: [
      marketplace.resolvers,
      settings.resolvers,
      hooks.resolvers,
      activity.resolvers,
    ] as unknown as readonly ServiceResolvers[],
    authenticate: graphqlAuthenticate(authenticator, options.access),
    health,
    origins,
    metrics,
    logger,
    introspection: options.introspection,
    ...(options.graphqlMaxBodyBytes !== undefined && { maxBodyBytes: options.graphqlMaxBodyBytes }),
  });
  const rest = createRestListener({
    routes: settings.http,
    authenticate: graphqlAuthenticate(authenticator, options.access),
  });
  const servicesForApps = (access: AccessMode) => [
    settingsService(settings, access),
    hooksService(hooks, access),
    activityService(activity, access),
  ];
  const authenticate = grpcAuthenticate(authenticator, keys, clock);
  const grpc = await lifecycle.use(
    createGrpcListener({
      ...options.grpc,
      services: [marketplaceService(marketplace, options.access), ...servicesForApps(options.access)],
      authenticate,
      origins,
      metrics,
      tracer,
      logger,
      clock,
      health,
    }),
  );
  measurePlatform(metrics, { database, broker, health });
  frontDoor.open({ ui, proxy, graphql, rest }, dependencyChecks(drivers));
  // Opened first, closed first: nothing behind it stops while requests are under way.
  await lifecycle.use({ name: frontDoor.name, stop: () => frontDoor.stop() });
  await lifecycle.use(new OutboxRelay({ database, broker, clock, logger }));
  await lifecycle.use(marketplace);
  await lifecycle.use({ name: "hook transport", stop: () => poster.close() });
  await lifecycle.use(hooks);
  await lifecycle.use(activity);
  return { grpc, grpcForApps: { services: servicesForApps("required"), authenticate }, marketplace, proxy };
}
