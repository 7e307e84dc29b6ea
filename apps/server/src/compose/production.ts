import { MemoryCache } from "@appserver/cache-memory";
import { authorizationModel } from "@appserver/contracts/authorization";
import type { AuthorizationService, Endpoint, Identity, InvitationLink } from "@appserver/driver";
import {
  AuthorizationHome,
  backoffMs,
  type Clock,
  type Component,
  isAppError,
  Lifecycle,
  type Logger,
  ServerPresence,
  SqlLeases,
  SqlOutbox,
  SystemClock,
  tracedBroker,
} from "@appserver/kernel";
import type { Cache, Database, GroupMemberships, Mail, Metrics, Tracer } from "@appserver/kernel/ports";
import type { EncryptionKeys } from "@appserver/settings";
import { PrometheusMetrics } from "@appserver/telemetry-prometheus";
import { CertificateWatch, Origins, type TlsCertificate } from "@appserver/transports/http";
import { highestLimits } from "../config/container-options.ts";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import { configuredReplicaLimit } from "../config/replica-limit.ts";
import type { ServeConfig } from "../config/serve-config.ts";
import { openLog } from "../log/open-log.ts";
import { processName } from "../process-name.ts";
import { platformVersion } from "../version.ts";
import { workerLabels } from "../worker-metrics.ts";
import { builtConsole } from "./console.ts";
import { builtDocs } from "./docs.ts";
import { openBroker, openDatabase, openTracer } from "./drivers.ts";
import type { FirstAdministratorOptions } from "./first-administrator.ts";
import { signInOptions, useIdentity } from "./identity.ts";
import type { WatchedMachine } from "./incidents.ts";
import { openMail } from "./mail.ts";
import { MainListener } from "./main-listener.ts";
import { brandingOf, configuredOptions, limitsOf } from "./options.ts";
import { builtPackages } from "./packages.ts";
import { builtPlayground } from "./playground.ts";
import { protectedEndpoints } from "./protected-endpoints.ts";
import { pullsFromPlatform, registryOptions } from "./registry.ts";
import { secretSeal } from "./secret-seal.ts";
import { type Server, startServer } from "./server.ts";
import { serverMigrations } from "./server-migrations.ts";
import type { Drivers } from "./server-options.ts";

const storePauses = { firstMs: 500, maxMs: 5_000 };

export interface RunningServer {
  readonly server: Server;
  /** Stops accepting requests, drains, and releases all resources. */
  stop(): Promise<void>;
}

/**
 * Composes `appserver serve`: the application server on production drivers. Waits for a database that is not reachable yet;
 * until then /health is 200 and /ready 503. A dependency that may be down while the server runs may also be down at its start.
 * Rejects with failures that a retry cannot fix, and with StartAbortedError if `signal` aborts.
 */
export async function composeServe(config: ServeConfig, signal: AbortSignal): Promise<RunningServer> {
  const clock = new SystemClock();
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel });
  for (const warning of config.warnings) logger.warn({}, warning);
  const lifecycle = new Lifecycle({
    onError: (component, error) => logger.error({ err: error, component }, "server: a component did not stop cleanly"),
    onUnavailable: (component, error, retryMs) =>
      logger.warn({ err: error, component, retryMs }, "server: a component cannot start yet; retrying"),
  });
  const settingsKeys = { load: async () => config.settingsEncryption.encryptionKeys };
  const invitation = { renews: false, onLink: (link: InvitationLink) => console.error(invitationText(config, link)) };
  const parts = {
    settingsKeys,
    invitation,
    grpcHost: config.server.bindAddress,
    dataFolder: undefined,
    endpoints: [],
    clock,
    logger,
  };
  return lifecycle.run(signal, async () => {
    const { server, mainListener } = await startServe(lifecycle, config, parts, signal);
    mainListener.ready();
    logger.info(
      { ...mainListener.http.address(), grpc: server.grpc.address().port, version: platformVersion },
      "server: started",
    );
    return { server, stop: () => lifecycle.stop() };
  });
}

/** What `serve` and `up` have in different ways. */
export interface ServeParts {
  readonly settingsKeys: EncryptionKeys;
  /** How the link of the first administrator is shown. */
  readonly invitation: Pick<FirstAdministratorOptions, "renews" | "onLink">;
  readonly grpcHost: string;
  /** The folder with everything that the platform stores. Undefined: this process has none. */
  readonly dataFolder: string | undefined;
  /** Addresses that no backend of an app may have, in addition to those of the configuration. Read at every connection. */
  readonly endpoints: readonly Endpoint[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Starts drivers and server. Requests are served when it resolves; /ready is 503 until the caller calls {@link MainListener.ready}. */
export async function startServe(lifecycle: Lifecycle, config: ServeConfig, parts: ServeParts, signal: AbortSignal) {
  const { clock, logger, settingsKeys } = parts;
  const metrics = new PrometheusMetrics({ clock, logger, labels: workerLabels() });
  const about = { serviceName: "appserver", serviceVersion: platformVersion, instance: config.server.instance };
  const tracer = await openTracer(lifecycle, config.telemetry, about, metrics, clock, logger);
  const mail = openMail(config);
  if (mail) await lifecycle.use(mail);
  const database = Promise.withResolvers<Database>();
  const groups = Promise.withResolvers<GroupMemberships>();
  const identity = await openDriver(config.drivers.identity, {
    ownUrl: config.server.publicUrl,
    platformName: config.branding.name,
    sessionCookieName: config.auth.sessionCookieName,
    database: () => database.promise,
    groups: () => groups.promise,
    seal: secretSeal(settingsKeys, clock),
    mail,
    clock,
    logger,
  });
  const mainListener = await lifecycle.use(openMainListener(config, identity, { metrics, tracer, clock, logger }));
  const context = { ...parts, config, lifecycle, identity, mail, mainListener };
  const drivers = await startDrivers(context, database.resolve, signal);
  const server = await serveOn(context, drivers);
  groups.resolve(server.groups);
  await lifecycle.use(watchCertificate(context, server));
  return { server, drivers, mainListener };
}

/** Not a log line: the link is a secret. */
export function invitationText({ server }: Pick<ServeConfig, "server">, { path, endsAt }: InvitationLink): string {
  const { publicUrl, httpPort } = server;
  const { href } = new URL(path, publicUrl ?? `http://127.0.0.1:${httpPort}`);
  return `There is no account yet. Become the first administrator, once and until ${endsAt.toISOString()}:\n  ${href}`;
}

interface ServeContext extends ServeParts {
  readonly config: ServeConfig;
  readonly lifecycle: Lifecycle;
  readonly identity: Identity;
  readonly mail: Mail | undefined;
  readonly mainListener: MainListener;
}

function openMainListener(
  config: ServeConfig,
  identity: Identity,
  base: { readonly metrics: Metrics; readonly tracer: Tracer; readonly clock: Clock; readonly logger: Logger },
): MainListener {
  const { server, graphql, metrics: metricsAccess } = config;
  const signIn = signInOptions(identity, config.console.enabled);
  return new MainListener({
    host: server.bindAddress,
    port: server.httpPort,
    ...(server.tls && { tls: server.tls }),
    http2: server.http2Enabled,
    plainPath: server.plainPath,
    origins: new Origins(server.allowedOrigins),
    publicOrigin: server.publicUrl === undefined ? undefined : new URL(server.publicUrl).origin,
    trustedProxies: server.trustedProxies,
    shutdownTimeoutMs: server.shutdownTimeoutMs,
    drainDelayMs: server.drainDelayMs,
    limits: limitsOf(server),
    metricsAccess: { allow: metricsAccess.allow, token: metricsAccess.token },
    branding: brandingOf(config.branding),
    sites: [
      ...(config.console.enabled ? [builtConsole({ hasLogin: signIn.hasSelfService })] : []),
      ...(graphql.playgroundEnabled ? [builtPlayground()] : []),
      builtDocs(),
      ...builtPackages(),
    ],
    hasRegistry: config.registry.folder !== undefined,
    ...signIn,
    ...base,
  });
}

/** Uses renewed certificates on every port that has TLS. */
function watchCertificate({ config, mainListener, clock, logger }: ServeContext, { grpc }: Server): Component {
  const { tls, grpcTls, tlsCertFile, tlsKeyFile } = config.server;
  const inUse = tls ?? grpcTls;
  if (!inUse || !tlsCertFile || !tlsKeyFile) return { name: "no certificate" };
  const apply = (certificate: TlsCertificate): void => {
    if (tls) mainListener.http.useCertificate(certificate);
    if (grpcTls) grpc.useCertificate(certificate);
  };
  return new CertificateWatch({ certFile: tlsCertFile.path, keyFile: tlsKeyFile.path, inUse, apply, clock, logger });
}

async function startDrivers(
  context: ServeContext,
  onDatabase: (database: Database) => void,
  signal: AbortSignal,
): Promise<ProductionDrivers> {
  const { lifecycle, config, identity, mainListener, clock, logger } = context;
  const database = await lifecycle.use(openDatabase(config.database, clock, logger));
  const databaseCheck = { name: "database", critical: true, check: () => database.ping() };
  mainListener.await([databaseCheck]);
  await database.migrateWhenReachable(serverMigrations(config), signal);
  onDatabase(database);
  const { metrics, tracer } = mainListener;
  const home = new AuthorizationHome(database);
  const authorizationDriver = config.drivers.authorization.driver.name;
  await lifecycle.use({ name: "authorization home", start: () => home.require(authorizationDriver) });
  await lifecycle.use(presenceOf(context, database));
  const authorization = await openDriver(config.drivers.authorization, { database, model: authorizationModel, clock, logger });
  mainListener.await([databaseCheck, { name: "authorization", critical: true, check: () => authorization.ping() }]);
  await lifecycle.use({
    name: authorization.name,
    start: (signal) => whenBootstrapped(authorization, clock, logger, signal),
    stop: () => authorization.stop?.(),
  });
  return {
    database,
    authorization: home.guard(authorization, authorizationDriver),
    onPermissionsChanged: () => authorization.noteChange(),
    metrics,
    tracer,
    broker: tracedBroker(await lifecycle.use(await openBroker(config, database, clock, logger)), tracer),
    cache: await lifecycle.use(await openCache(config, database, clock, logger)),
    identity: await useIdentity(lifecycle, identity),
    outbox: new SqlOutbox(),
    leases: new SqlLeases({ database, holder: `${config.server.instance}@${processName}` }),
  };
}

/** Waits for the authorization store. A separate command creates it, possibly after this start. The log names the command. */
async function whenBootstrapped(
  authorization: AuthorizationService,
  clock: Clock,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const delay = backoffMs(attempt, storePauses);
    try {
      return await authorization.start?.(signal);
    } catch (error) {
      if (!isAppError(error, "NOT_FOUND")) throw error;
      logger.warn({ err: error, retryMs: delay }, "authorization: waiting for the store");
    }
    await clock.sleep(delay, signal);
  }
}

interface ProductionDrivers extends Drivers {
  readonly onPermissionsChanged: () => void;
}

/** The row of this server. If another server took its place, this one ends as at a signal. */
function presenceOf({ config, clock, logger }: ServeContext, database: Database): ServerPresence {
  const { authorization, cache } = config.drivers;
  return new ServerPresence({
    database,
    name: processName,
    cacheDriver: cache.driver.name,
    toleratesOthers: cache.driver.isShared || config.cache.acceptUnshared,
    authorizationDriver: authorization.driver.name,
    onDisplaced: () => process.kill(process.pid, "SIGTERM"),
    clock,
    logger,
  });
}

function openCache(
  { cache, drivers, server }: ServeConfig,
  database: Database,
  clock: Clock,
  logger: Logger,
): Promise<Cache & Component> {
  const { maxSizeBytes: maxBytes, ttlMs: maxLocalTtlMs } = cache;
  return openDriver(drivers.cache, {
    database,
    namespace: server.instance,
    maxBytes,
    maxLocalTtlMs,
    createLocal: () => new MemoryCache({ clock, maxBytes }),
    clock,
    logger,
  });
}

function watchedBy({ config: { server, registry }, dataFolder }: ServeContext): WatchedMachine {
  const { tls, tlsCertFile, publicUrl } = server;
  const folder = dataFolder ?? registry.folder;
  const name = publicUrl === undefined ? "the platform" : new URL(publicUrl).hostname;
  return {
    folders: folder === undefined ? [] : [folder],
    certificate: tls && tlsCertFile ? { name, file: tlsCertFile.path } : undefined,
  };
}

async function serveOn(context: ServeContext, drivers: ProductionDrivers): Promise<Server> {
  const { lifecycle, config, identity, mainListener, clock, logger, settingsKeys, invitation, endpoints } = context;
  const { server, auth, upstream, cache, assets, graphql, containers } = config;
  return startServer(lifecycle, drivers, {
    selfService: identity.selfService,
    provisioning: identity.provisioning,
    registry: registryOptions(config),
    firstAdministrator: identity.accounts && { accounts: identity.accounts, ...invitation },
    instance: server.instance,
    mainListener,
    clock,
    logger,
    access: graphql.auth,
    introspection: graphql.playgroundEnabled,
    docs: builtDocs().folder,
    grpc: {
      host: context.grpcHost,
      port: server.grpcPort,
      ...(server.grpcTls && { tls: { ...server.grpcTls, clientCertificates: server.grpcClientCertificates } }),
      reflection: server.grpcReflectionEnabled,
      limits: limitsOf(server),
      shutdownTimeoutMs: server.shutdownTimeoutMs,
    },
    ...configuredOptions(config),
    mail: context.mail,
    watched: watchedBy(context),
    macKey: cache.macKey,
    settingsKeys,
    allowedOrigins: server.allowedOrigins,
    upstreams: {
      allow: upstream.allow,
      // The server reaches all networks of apps: as a backend of its own choice an app must not name one in them.
      deny: [containers.networkPool, ...upstream.deny.flatMap((entry) => ("network" in entry ? [entry.network] : []))],
      allowLoopback: upstream.allowLoopback,
      endpoints: () => [...protectedEndpoints(config), ...endpoints],
    },
    onPermissionsChanged: drivers.onPermissionsChanged,
    policy: {
      platformVersion,
      registration: auth.registration,
      ...(auth.registrationToken !== undefined && { registrationToken: auth.registrationToken }),
      certificateAuthorities: auth.registrationCaFile ? [auth.registrationCaFile.text] : [],
      allowUnsigned: assets.allowUnsigned,
      crossAppApproval: config.permissions.crossAppApproval,
      imageRegistry: containers.registryUrl ?? config.registry.address ?? "",
      imageStage: containers.defaultImageStage,
      // A tag of the platform's registry is moved by each account that may push.
      requiresImageDigest: config.apps.requireDigest || pullsFromPlatform(config),
      maxLimits: highestLimits(containers),
      replicaLimit: configuredReplicaLimit(containers),
      keepVersions: config.apps.keepVersions,
      listsAllApps: config.apps.listedToAll,
      drainTimeoutMs: config.apps.drainTimeoutMs,
    },
  });
}
