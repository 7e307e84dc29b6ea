import { driver as embeddedAuthorization } from "@appserver/authorization-embedded/driver";
import { brokerMigrations, PostgresBroker } from "@appserver/broker-postgres";
import { MemoryCache } from "@appserver/cache-memory";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import {
  type EmbeddedPostgres,
  PostgresAppDatabases,
  type PostgresConnection,
  PostgresDatabase,
} from "@appserver/database-postgres";
import { type DevUser, endpointsOf, type Identity, type InvitationLink } from "@appserver/driver";
import {
  type Clock,
  type Lifecycle,
  type Logger,
  platformMigrations,
  SqlLeases,
  SqlOutbox,
  tracedBroker,
} from "@appserver/kernel";
import type { ContainerRuntime, Database, Endpoint, Mail, Tuple } from "@appserver/kernel/ports";
import type { Orchestration, OrchestrationOptions } from "@appserver/orchestration";
import type { EncryptionKeys } from "@appserver/settings";
import { createGrpcListener } from "@appserver/transports/grpc";
import { createHttpListener, type HttpListener, type ReadinessCheck } from "@appserver/transports/http";
import { highestLimits } from "../config/container-options.ts";
import type { DevConfig } from "../config/dev-config.ts";
import { migrationsOfDrivers } from "../config/drivers/driver-catalogue.ts";
import { replicaLimit } from "../config/replica-limit.ts";
import { platformVersion } from "../version.ts";
import { docsOnDemand } from "./docs.ts";
import { limitsOfApps, poolOptions } from "./drivers.ts";
import { openGallery } from "./gallery.ts";
import { useIdentity } from "./identity.ts";
import { releaseLeases } from "./killed-processes.ts";
import type { MainListener } from "./main-listener.ts";
import { configuredOptions, limitsOf } from "./options.ts";
import { composeOrchestration, platformAddresses } from "./orchestration.ts";
import { type Server, startServer } from "./server.ts";
import type { Drivers } from "./server-options.ts";
import { serviceMigrations } from "./services.ts";

export interface EmbeddedPlatformOptions {
  /** Id of this installation in container labels and event sources. */
  readonly instance: string;
  readonly mainListener: MainListener;
  /** Called with the platform's database when its tables exist. */
  readonly onDatabase: (database: Database) => void;
  /** Already started. */
  readonly postgres: EmbeddedPostgres;
  /** The server of the apps' databases. May be the same. */
  readonly appsPostgres: EmbeddedPostgres;
  /** Resolves when that server has started. */
  readonly appsPostgresStarts: Promise<unknown>;
  readonly identity: Identity;
  readonly mail: Mail | undefined;
  readonly config: DevConfig;
  /** At least 16 bytes. */
  readonly macKey: Uint8Array;
  readonly settingsKeys: EncryptionKeys;
  /** Checks of /ready in addition to those of the drivers. */
  readonly checks: readonly ReadinessCheck[];
  readonly containers: ContainerRuntime;
  readonly orchestration: OrchestrationOptions;
  /**
   * Address of this machine on the apps' network, if 127.0.0.1 does not reach this machine from there. On it the platform
   * accepts only proxied calls and the gRPC services for apps, which need a signature there, unlike GraphQL and gRPC on
   * loopback. The database accepts the logins of apps there.
   */
  readonly appNetworkAddress: string | undefined;
  /** Tuples in addition to the initial ones: the roles of the development users. */
  readonly tuples: readonly Tuple[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with the name of each component that starts, for a progress display. */
  readonly onProgress: (what: string) => void;
}

export interface Platform extends Server {
  readonly http: HttpListener;
  readonly orchestration: Orchestration;
  readonly containers: ContainerRuntime;
  /** The link that completes the account of the first administrator. */
  readonly firstAdministrator: InvitationLink | undefined;
  /** Users that can sign in. */
  readonly users: readonly DevUser[];
}

/** The only address that the embedded platform binds (docs/interface/operations.md#processes). */
export const embeddedHost = "127.0.0.1";

/**
 * Composes `appserver dev`: server and orchestrator in one process on embedded drivers. Starts drivers, then services, then
 * listeners; `lifecycle` stops them in reverse order. Rejects with the first failure.
 */
export async function composeEmbedded(lifecycle: Lifecycle, options: EmbeddedPlatformOptions): Promise<Platform> {
  const { clock, logger, mainListener, instance, config } = options;
  const drivers = await startDrivers(lifecycle, options);
  options.onProgress("services");
  const opening = openAppDatabases(options);
  const endpoints: Endpoint[] = [
    ...config.driverEndpoints,
    ...endpointsOf([config.mail.url]),
    ...databaseEndpoints(options, options.postgres),
  ];
  let firstAdministrator: InvitationLink | undefined;
  const server = await startServer(lifecycle, drivers, {
    selfService: options.identity.selfService,
    provisioning: options.identity.provisioning,
    firstAdministrator: options.identity.accounts && {
      accounts: options.identity.accounts,
      renews: true,
      onLink: (link) => {
        firstAdministrator = link;
      },
    },
    instance,
    mainListener,
    clock,
    logger,
    // GraphQL and gRPC need no login: the embedded platform binds loopback only (docs/interface/permissions.md#access-modes).
    access: "off",
    introspection: true,
    docs: docsOnDemand().folder,
    grpc: {
      host: embeddedHost,
      port: config.server.grpcPort,
      reflection: true,
      allowedHosts: ["127.0.0.1", "localhost", "[::1]"],
      limits: limitsOf(config.server),
      shutdownTimeoutMs: config.server.shutdownTimeoutMs,
    },
    ...configuredOptions(config),
    mail: options.mail,
    watched: { folders: [config.dev.dataDir], certificate: undefined },
    allowedOrigins: [],
    macKey: options.macKey,
    settingsKeys: options.settingsKeys,
    checks: [...options.checks, appDatabasesCheck(opening)],
    upstreams: { allow: [], deny: [], allowLoopback: true, endpoints: () => endpoints },
    gallery: openGallery(config),
    policy: {
      platformVersion,
      registration: "open",
      allowUnsigned: true,
      crossAppApproval: config.permissions.crossAppApproval,
      imageRegistry: options.orchestration.registry,
      imageStage: options.orchestration.defaultImageStage,
      // The images of this driver are folders.
      requiresImageDigest: config.apps.requireDigest && options.containers.driver !== "process",
      maxLimits: highestLimits(config.containers),
      replicaLimit: replicaLimit(config.containers.maxReplicas, {
        name: options.containers.driver,
        most: options.containers.abilities.maxReplicas,
      }),
      keepVersions: config.apps.keepVersions,
      listsAllApps: config.apps.listedToAll,
      drainTimeoutMs: config.apps.drainTimeoutMs,
    },
  });
  const databases = await opening;
  endpoints.push(...databaseEndpoints(options, options.appsPostgres));
  if (options.appNetworkAddress !== undefined) await listenForApps(lifecycle, options, options.appNetworkAddress, server);
  if (databases) await lifecycle.use(databases);
  const { unusedDatabases = 0 } = databases ?? {};
  if (unusedDatabases > 0) options.onProgress(unusedNotice(unusedDatabases));
  const orchestration = await lifecycle.use(
    composeOrchestration({
      database: drivers.database,
      broker: drivers.broker,
      outbox: drivers.outbox,
      leases: drivers.leases,
      clock,
      logger: logger.child({ component: "orchestration" }),
      metrics: drivers.metrics,
      runtime: options.containers,
      apps: server.apps,
      keys: options.settingsKeys,
      databases,
      options: options.orchestration,
      platform: appEnvironment(options),
      queuePrefix: config.broker.orchestratorQueuePrefix,
    }),
  );
  mainListener.ready();
  return {
    ...server,
    http: mainListener.http,
    orchestration,
    containers: options.containers,
    users: options.identity.users,
    firstAdministrator,
  };
}

async function startDrivers(lifecycle: Lifecycle, options: EmbeddedPlatformOptions): Promise<Drivers> {
  const { clock, logger, onProgress, mainListener, config } = options;
  const { metrics, tracer } = mainListener;
  const { connection } = options.postgres;
  const database = await lifecycle.use(new PostgresDatabase({ connection, ...poolOptions(config.database), clock, logger }));
  const leases = new SqlLeases({ database, holder: `${options.instance}:${process.pid}` });
  await lifecycle.use({
    name: "tables",
    start: async () => {
      const ofDrivers = [
        ...brokerMigrations,
        ...(embeddedAuthorization.migrations ?? []),
        ...migrationsOfDrivers(config.drivers),
      ];
      await database.migrate([...platformMigrations, ...ofDrivers, ...serviceMigrations]);
      // Only one server uses the data folder at a time, so every previous lease holder, replica and consumer has ended.
      await releaseLeases(database);
    },
  });
  options.onDatabase(database);
  onProgress("broker and permissions");
  const { prefetchCount: prefetch, maxRetries } = config.broker;
  const broker = await lifecycle.use(new PostgresBroker({ database, prefetch, maxRetries, clock, logger }));
  await lifecycle.use({ name: "claims of the broker", start: () => broker.releaseAll() });
  const authorization = await embeddedAuthorization.open({}, { database, clock, logger });
  await lifecycle.use({
    name: authorization.name,
    start: async () => {
      await authorization.bootstrap({ model: authorizationModel });
      await authorization.write({ writes: [...initialTuples, ...options.tuples] });
    },
    stop: () => authorization.stop?.(),
  });
  return {
    database,
    broker: tracedBroker(broker, tracer),
    authorization,
    outbox: new SqlOutbox(),
    leases,
    cache: new MemoryCache({ clock, maxBytes: config.cache.maxSizeBytes }),
    identity: await useIdentity(lifecycle, options.identity),
    metrics,
    tracer,
  };
}

async function listenForApps(
  lifecycle: Lifecycle,
  options: EmbeddedPlatformOptions,
  host: string,
  { proxy, grpcForApps }: Server,
): Promise<void> {
  const { clock, logger, mainListener, config } = options;
  const { health, origins, metrics, tracer } = mainListener;
  const { port } = mainListener.http.address();
  const { connection } = options.appsPostgres;
  // Loaded on demand, like every driver of containers.
  const { TcpRelay } = await import("@appserver/containers-docker");
  await lifecycle.use(new TcpRelay({ host, port: connection.port }, connection));
  const common = { host, allowedHosts: [host], logger, clock, origins, health, metrics, tracer };
  const { http2Enabled: http2, plainPath, shutdownTimeoutMs } = config.server;
  const rules = { http2, plainPath, limits: limitsOf(config.server), shutdownTimeoutMs, drainDelayMs: 0, trustedProxies: [] };
  await lifecycle.use(createHttpListener({ ...common, ...rules, port, services: { proxy: proxy.http } }));
  await lifecycle.use(createGrpcListener({ ...common, ...grpcForApps, port: config.server.grpcPort }));
}

/** Returns the addresses of a database server, which no request of an app may be forwarded to. */
function databaseEndpoints({ appNetworkAddress }: EmbeddedPlatformOptions, { connection }: EmbeddedPostgres) {
  const { port } = connection;
  return [connection, ...(appNetworkAddress === undefined ? [] : [{ host: appNetworkAddress, port }])];
}

/** Waits for the server. Undefined if apps share the platform's database. The caller handles a failure when it needs the result. */
function openAppDatabases(options: EmbeddedPlatformOptions): Promise<PostgresAppDatabases | undefined> {
  const { appNetworkAddress: host = embeddedHost, config, postgres, appsPostgres, appsPostgresStarts, clock, logger } = options;
  const { containers } = config;
  const opening = appsPostgresStarts.then(() => {
    if (containers.isolation === "shared") return undefined;
    const { connection: administrator } = appsPostgres;
    return new PostgresAppDatabases({
      administrator,
      platform: postgres.connection,
      sharedServer: containers.databaseSharedServer,
      address: { host, port: administrator.port },
      ...limitsOfApps(containers),
      clock,
      logger,
    });
  });
  opening.catch(() => {});
  return opening;
}

/** Without the databases of apps the platform serves all apps that need none. */
function appDatabasesCheck(opening: Promise<PostgresAppDatabases | undefined>): ReadinessCheck {
  return { name: "app_databases", critical: false, check: async () => await (await opening)?.ping() };
}

function unusedNotice(count: number): string {
  const them = count === 1 ? "1 database of an app" : `${count} databases of apps`;
  return `${them} in postgres/ not used: apps have new ones in postgres-apps/ (containers.database_shared_server=true uses the old ones)`;
}

/** Returns the environment of the embedded orchestrator. Apps get a part of it (docs/interface/containers.md#environment). */
function appEnvironment(options: EmbeddedPlatformOptions): Readonly<Record<string, string>> {
  // Only with `containers.isolation: shared` apps get them.
  const database: PostgresConnection = options.postgres.connection;
  const platform = options.appNetworkAddress ?? embeddedHost;
  const { port } = options.mainListener.http.address();
  return {
    APPSERVER_DB_HOST: platform,
    APPSERVER_DB_PORT: String(database.port),
    APPSERVER_DB_NAME: database.database,
    APPSERVER_DB_USER: database.user,
    APPSERVER_DB_PASSWORD: database.password,
    APPSERVER_DB_SSLMODE: "disable",
    ...platformAddresses(platform, port, options.config.server.grpcPort),
  };
}
