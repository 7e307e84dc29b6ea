import { authorizationMigrations, EmbeddedAuthorization, SqlTupleStore } from "@appserver/authorization-embedded";
import { brokerMigrations, PostgresBroker } from "@appserver/broker-postgres";
import { MemoryCache } from "@appserver/cache-memory";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import { orchestratorQueuePrefix, serverQueuePrefix } from "@appserver/contracts/events";
import { readSchema } from "@appserver/contracts/graphql";
import { EmbeddedPostgres, type PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { DevIdentity, type DevUser, devUsers } from "@appserver/identity-dev";
import {
  type Clock,
  type Lifecycle,
  type Logger,
  OutboxRelay,
  platformMigrations,
  SqlLeases,
  SqlOutbox,
} from "@appserver/kernel";
import type { Authorization, Broker, Cache, ContainerRuntime, Database, Leases, Outbox, Tuple } from "@appserver/kernel/ports";
import { createMarketplace, type Marketplace, marketplaceMigrations } from "@appserver/marketplace";
import {
  createOrchestration,
  type Orchestration,
  type OrchestrationSettings,
  orchestrationMigrations,
} from "@appserver/orchestration";
import {
  AddressPolicy,
  type AppProxy,
  type CallerAuthenticator,
  createCallerAuthenticator,
  createPermissionChecker,
  createProxy,
  UpstreamProber,
} from "@appserver/proxy";
import { assetUrl, createUi, type Ui } from "@appserver/ui";
import { EventFanout } from "./listeners/events/index.ts";
import { createGraphqlListener, type ServiceResolvers } from "./listeners/graphql/index.ts";
import { createGrpcListener, type GrpcListener } from "./listeners/grpc/index.ts";
import { createHttpListener, HealthChecks, type HttpListener, Origins } from "./listeners/http/index.ts";
import { platformVersion } from "./version.ts";
import { CatalogueAppKeys } from "./wiring/app-keys.ts";
import { appNews, newsTypes } from "./wiring/app-news.ts";
import { AppRefresh } from "./wiring/app-refresh.ts";
import { assetStore } from "./wiring/asset-store.ts";
import { type AccessMode, graphqlAuthenticate } from "./wiring/caller-access.ts";
import { desiredApps } from "./wiring/desired-apps.ts";
import { grpcAuthenticate, marketplaceService } from "./wiring/grpc-services.ts";
import { routeSource } from "./wiring/route-source.ts";

export interface EmbeddedPlatformOptions {
  /** Absolute folder of everything that survives a restart. */
  readonly dataDir: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Names this installation: in container labels and event sources. */
  readonly instance: string;
  /** At least 32 bytes. */
  readonly sessionSecret: Uint8Array;
  /** At least 16 bytes. */
  readonly macKey: Uint8Array;
  readonly containers: ContainerRuntime;
  readonly orchestration: OrchestrationSettings;
  /**
   * Address of this machine on the apps' network, where 127.0.0.1 is not this machine to them. Proxied calls, and only
   * those, are taken there too: they need a signature, unlike GraphQL and gRPC here.
   */
  readonly appNetworkAddress: string | undefined;
  /** Tuples beside the initial ones: who is who in development. */
  readonly tuples: readonly Tuple[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told what is being started, for people who wait. */
  readonly onProgress?: (what: string) => void;
}

export interface Platform {
  readonly http: HttpListener;
  readonly grpc: GrpcListener;
  readonly marketplace: Marketplace;
  readonly orchestration: Orchestration;
  readonly proxy: AppProxy;
  /** Who can sign in. */
  readonly users: readonly DevUser[];
}

/** Nobody needs to sign in to GraphQL and gRPC: embedded binds loopback only (design/behaviour "GraphQL access"). */
const access: AccessMode = "off";
const host = "127.0.0.1";

/**
 * Server and orchestrator in one process on embedded drivers: the composition of `appserver dev`. Drivers, then services,
 * then listeners; `lifecycle` stops them in reverse. Rejects with the failure of whatever did not start.
 */
export async function composeEmbedded(lifecycle: Lifecycle, options: EmbeddedPlatformOptions): Promise<Platform> {
  const drivers = await startDrivers(lifecycle, options);
  return startServices(lifecycle, options, drivers);
}

interface Drivers {
  readonly connection: PostgresConnection;
  readonly database: Database;
  readonly broker: Broker;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly cache: Cache;
  readonly authorization: Authorization;
  readonly identity: DevIdentity;
}

async function startDrivers(lifecycle: Lifecycle, options: EmbeddedPlatformOptions): Promise<Drivers> {
  const { clock, logger, onProgress } = options;
  onProgress?.("database");
  const server = await lifecycle.use(new EmbeddedPostgres({ folder: `${options.dataDir}/postgres`, clock, logger }));
  const database = await lifecycle.use(new PostgresDatabase({ connection: server.connection, clock, logger }));
  await database.migrate([
    ...platformMigrations,
    ...brokerMigrations,
    ...authorizationMigrations,
    ...marketplaceMigrations,
    ...orchestrationMigrations,
  ]);
  onProgress?.("broker and permissions");
  const broker = await lifecycle.use(new PostgresBroker({ database, clock, logger }));
  const authorization = await lifecycle.use(
    new EmbeddedAuthorization({ model: authorizationModel, store: new SqlTupleStore(database), clock, logger }),
  );
  await authorization.write({ writes: [...initialTuples, ...options.tuples] });
  return {
    connection: server.connection,
    database,
    broker,
    authorization,
    outbox: new SqlOutbox(),
    leases: new SqlLeases({ database, holder: `${options.instance}:${process.pid}` }),
    cache: new MemoryCache({ clock }),
    identity: new DevIdentity({ environment: "dev", secret: options.sessionSecret, clock }),
  };
}

async function startServices(lifecycle: Lifecycle, options: EmbeddedPlatformOptions, drivers: Drivers): Promise<Platform> {
  const { clock, logger, onProgress } = options;
  const { database, broker, outbox, leases, cache, authorization, identity } = drivers;
  const source = `/appserver/${options.instance}`;
  onProgress?.("services");
  const fanout = await lifecycle.use(new EventFanout(broker, newsTypes));

  // The marketplace asks the orchestrator for deployments, and that asks the marketplace what to run: neither before start.
  let orchestration: Orchestration | undefined;
  let proxy: AppProxy | undefined;
  const marketplace = createMarketplace({
    database,
    outbox,
    leases,
    broker,
    authorization,
    clock,
    logger: logger.child({ service: "marketplace" }),
    source,
    queuePrefix: serverQueuePrefix,
    news: appNews(fanout),
    healthProber: new UpstreamProber(new AddressPolicy({ allow: [], deny: [], allowLoopback: true })),
    deployments: { find: async (appId) => orchestration?.getDeployment(appId) },
    breakerState: (appName) => proxy?.breakerState(appName) ?? "CLOSED",
    assetUrl,
    policy: {
      platformVersion,
      registration: "open",
      allowUnsigned: true,
      imageRegistry: options.orchestration.registry,
      imageStage: options.orchestration.defaultImageStage,
    },
  });
  const keys = new CatalogueAppKeys(marketplace.catalogue);
  const authenticator = createCallerAuthenticator({ identity, apps: keys, cache, clock });
  const permissions = createPermissionChecker({ authorization, cache, clock, logger, macKey: options.macKey });
  const ui = createUi({ store: assetStore(marketplace.store), clock, logger, onCorruptAsset: () => {} });
  proxy = createProxy({
    routes: routeSource(marketplace.catalogue),
    authenticator,
    permissions,
    cache,
    clock,
    logger: logger.child({ service: "proxy" }),
    sessionCookieName: identity.sessionCookieName,
    allowLoopback: true,
  });
  orchestration = createOrchestration({
    database,
    outbox,
    leases,
    broker,
    clock,
    logger: logger.child({ service: "orchestration" }),
    runtime: options.containers,
    apps: desiredApps(marketplace.catalogue),
    settings: options.orchestration,
    platform: appEnvironment(options, drivers.connection),
    queuePrefix: orchestratorQueuePrefix,
  });
  await lifecycle.use(proxy);
  await lifecycle.use(new AppRefresh({ broker, proxy, ui, keys, permissions, clock, logger }));

  onProgress?.("listeners");
  const parts = { ...drivers, authenticator, marketplace, ui, proxy };
  const { http, grpc } = await startListeners(lifecycle, options, parts);
  await lifecycle.use(new OutboxRelay({ database, broker, clock, logger }));
  await lifecycle.use(marketplace);
  await lifecycle.use(orchestration);
  return { http, grpc, marketplace, orchestration, proxy, users: devUsers };
}

interface ServedParts extends Drivers {
  readonly authenticator: CallerAuthenticator;
  readonly marketplace: Marketplace;
  readonly ui: Ui;
  readonly proxy: AppProxy;
}

async function startListeners(
  lifecycle: Lifecycle,
  options: EmbeddedPlatformOptions,
  parts: ServedParts,
): Promise<Pick<Platform, "http" | "grpc">> {
  const { clock, logger } = options;
  const { database, authorization, broker, authenticator, marketplace, ui, proxy, identity } = parts;
  const health = new HealthChecks({
    clock,
    version: platformVersion,
    checks: [
      { name: "database", critical: true, check: () => database.ping() },
      { name: "authorization", critical: true, check: () => authorization.ping() },
      { name: "broker", critical: false, check: () => broker.ping() },
    ],
  });
  const origins = new Origins([]);
  const graphql = createGraphqlListener({
    schemaSdl: readSchema(),
    resolvers: [marketplace.resolvers as unknown as ServiceResolvers],
    authenticate: graphqlAuthenticate(authenticator, access),
    health,
    origins,
    logger,
    introspection: true,
  });
  const grpc = await lifecycle.use(
    createGrpcListener({
      host,
      port: options.grpcPort,
      services: [marketplaceService(marketplace, access)],
      authenticate: grpcAuthenticate(authenticator),
      logger,
      clock,
      health,
      reflection: true,
    }),
  );
  const http = await lifecycle.use(
    createHttpListener({
      host,
      port: options.httpPort,
      allowedHosts: ["127.0.0.1", "localhost", "[::1]"],
      logger,
      clock,
      origins,
      health,
      ui,
      proxy,
      graphql,
      devLogin: {
        loginPage: () => identity.loginPage(),
        login: (user) => ({ token: identity.login(user).token, cookie: identity.sessionCookieName }),
      },
    }),
  );
  if (options.appNetworkAddress !== undefined) {
    const { port } = http.address();
    const allowedHosts = [options.appNetworkAddress];
    await lifecycle.use(
      createHttpListener({ host: options.appNetworkAddress, port, allowedHosts, logger, clock, origins, health, proxy }),
    );
  }
  return { http, grpc };
}

/** What stands for the orchestrator's environment: apps get of it what specification §6.5 lists. */
function appEnvironment(options: EmbeddedPlatformOptions, database: PostgresConnection): Readonly<Record<string, string>> {
  const platform = options.appNetworkAddress ?? host;
  return {
    APPSERVER_DB_HOST: database.host,
    APPSERVER_DB_PORT: String(database.port),
    APPSERVER_DB_NAME: database.database,
    APPSERVER_DB_USER: database.user,
    APPSERVER_DB_PASSWORD: database.password,
    APPSERVER_DB_SSLMODE: "disable",
    APPSERVER_HTTP_URL: `http://${platform}:${options.httpPort}`,
    APPSERVER_GRPC_ADDRESS: `${platform}:${options.grpcPort}`,
    APPSERVER_GRAPHQL_URL: `http://${platform}:${options.httpPort}/graphql`,
  };
}
