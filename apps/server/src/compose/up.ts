import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Endpoint, InvitationLink } from "@appserver/driver";
import { type Clock, Lifecycle, type Logger, SystemClock } from "@appserver/kernel";
import type { ContainerRuntime } from "@appserver/kernel/ports";
import type { OrchestrationOptions } from "@appserver/orchestration";
import { pullCredentials } from "@appserver/registry";
import { refuseUnfinishedRestore } from "../backup/unfinished-restore.ts";
import { containerOptions } from "../config/container-options.ts";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import type { ServeConfig } from "../config/serve-config.ts";
import { endsTls, type LocalParts, registryAddressOf, serveConfigOfUp, type UpConfig } from "../config/up-config.ts";
import { usesAcme } from "../config/up-schema.ts";
import { holdDataFolder } from "../data-folder/data-folder.ts";
import { writeOperatorOptions } from "../data-folder/operator-options.ts";
import { SettingsKeyFile } from "../data-folder/settings-keys.ts";
import { bootstrapAuthorization } from "./admin.ts";
import { backupSchedule } from "./backup-schedule.ts";
import { processesFolder } from "./backup-sources.ts";
import { certificateAgent } from "./certificates.ts";
import { appNetworkAddress, reachContainers } from "./containers.ts";
import { type InternalAddresses, listenInternally } from "./internal-listeners.ts";
import { releaseKilled } from "./killed-processes.ts";
import { composeOrchestration, platformAddresses } from "./orchestration.ts";
import { invitationText, startServe } from "./production.ts";
import { pulledFolders } from "./pulled-folders.ts";
import { appDatabasesOf, startDatabases, type UpDatabases } from "./up-databases.ts";

export interface UpOptions {
  readonly config: UpConfig;
  readonly logger: Logger;
  /** Shows a line to the operator. */
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface RunningUp {
  /** Stops accepting requests, drains, and releases all resources. Containers keep running. */
  stop(): Promise<void>;
}

interface UpContext extends UpOptions {
  readonly lifecycle: Lifecycle;
  readonly clock: Clock;
  readonly keys: SettingsKeyFile;
}

/**
 * Composes `appserver up`: server and orchestrator in one process, with the databases, secrets, certificates and images of one data folder.
 * Rejects with the first failure, and with StartAbortedError if `signal` aborts.
 */
export function composeUp(options: UpOptions): Promise<RunningUp> {
  return inDataFolder(options, async (context) => {
    const { lifecycle, config, logger, print } = context;
    const databases = await startDatabases(lifecycle, config, context.clock, logger);
    const serveConfig = await localConfig(context, databases);
    await writeOperatorOptions(config, serveConfig);
    const admin = { config: serveConfig, logger, signal: context.signal };
    await bootstrapAuthorization(admin);
    if (config.databaseDriver.driver === "embedded") await releaseKilled(admin);
    const links = await runPlatform(context, serveConfig, databases);
    print(`Appserver is ready at ${config.server.publicUrl}. Its data is in ${config.up.dataDir}.`);
    for (const link of links) print(invitationText(serveConfig, link));
  });
}

/** Starts only the databases, for commands of operators that need a platform that has stopped. */
export function composeUpDatabases(options: UpOptions): Promise<RunningUp> {
  return inDataFolder(options, async (context) => {
    const { lifecycle, config, clock, logger, keys, print } = context;
    const databases = await startDatabases(lifecycle, config, clock, logger);
    const local = localParts(config, databases, await keys.load(), undefined);
    await writeOperatorOptions(config, serveConfigOfUp(config, local));
    print(`Only the databases run, for commands with --data ${config.up.dataDir}.`);
  });
}

async function inDataFolder(options: UpOptions, start: (context: UpContext) => Promise<void>): Promise<RunningUp> {
  const { config, logger, signal } = options;
  const folder = await holdDataFolder(config.up.dataDir);
  const lifecycle = new Lifecycle({
    onError: (component, error) => logger.error({ err: error, component }, "up: a component did not stop cleanly"),
    onUnavailable: (component, error, retryMs) =>
      logger.warn({ err: error, component, retryMs }, "up: a component cannot start yet; retrying"),
  });
  // Released last: until then, components that this process started may use the folder.
  await lifecycle.use({ name: "data folder", stop: () => folder.release() });
  const keys = new SettingsKeyFile(config.up.dataDir);
  return lifecycle.run(signal, async () => {
    await refuseUnfinishedRestore(config.up.dataDir);
    await start({ ...options, lifecycle, clock: new SystemClock(), keys });
    return { stop: () => lifecycle.stop() };
  });
}

/** Returns the configuration of the server, with what the data folder has. */
async function localConfig(context: UpContext, databases: UpDatabases): Promise<ServeConfig> {
  const { config, keys } = context;
  const certificate = endsTls(config) ? await startCertificate(context) : undefined;
  return serveConfigOfUp(config, localParts(config, databases, await keys.load(), certificate));
}

function localParts(
  { up }: UpConfig,
  { platform }: UpDatabases,
  keys: Awaited<ReturnType<SettingsKeyFile["load"]>>,
  certificate: LocalParts["certificate"],
): LocalParts {
  const { database: name, host, port, user, password } = platform;
  return {
    database: { host, port, user, password, name },
    encryptionKeys: keys.map(({ id, key }) => ({ id, key: Buffer.from(key) })),
    certificate,
    imageFolder: join(up.dataDir, "registry"),
  };
}

/** Returns the files of the certificate: those of the operator, or those that are renewed by ACME. */
async function startCertificate({ config, lifecycle, logger }: UpContext): Promise<LocalParts["certificate"]> {
  const { server, acme, up } = config;
  if (!usesAcme(config)) return server;
  const agent = await lifecycle.use(certificateAgent({ acme: { ...acme, folder: join(up.dataDir, "acme") }, server }, logger));
  const file = async (path: string) => ({ path, text: await readFile(path, "utf8") });
  return { tlsCertFile: await file(agent.files.certificateFile), tlsKeyFile: await file(agent.files.keyFile) };
}

/** Returns the link of the first administrator, if there is no account yet. */
async function runPlatform(
  context: UpContext,
  serveConfig: ServeConfig,
  databases: UpDatabases,
): Promise<readonly InvitationLink[]> {
  const { lifecycle, config, clock, logger, signal, keys } = context;
  const runtime = await openRuntime(context);
  const addresses = await internalAddresses(config, runtime);
  const appsAddress = await appServerAddress(context, databases, addresses);
  const links: InvitationLink[] = [];
  const parts = {
    settingsKeys: keys,
    // Nothing else has the link, so that each start makes a new one. It is shown when the platform can be reached.
    invitation: { renews: true, onLink: (link: InvitationLink) => void links.push(link) },
    grpcHost: addresses.host,
    dataFolder: config.up.dataDir,
    endpoints: internalEndpoints(addresses, databases, appsAddress),
    clock,
    logger,
  };
  const { server, drivers, mainListener } = await startServe(lifecycle, serveConfig, parts, signal);
  await listenInternally(lifecycle, { addresses, config: serveConfig, server, mainListener, parts });
  const appDatabases = await lifecycle.use(appDatabasesOf(databases, appsAddress, config, clock, logger));
  await lifecycle.use(
    composeOrchestration({
      ...drivers,
      clock,
      logger: logger.child({ component: "orchestration" }),
      runtime,
      apps: server.apps,
      keys,
      databases: appDatabases,
      telemetry: config.telemetry,
      options: await orchestrationOptions(context, addresses),
      platform: { ...appEnvironment(config, addresses), ...databaseEnvironment(config, databases, appsAddress) },
      queuePrefix: config.broker.orchestratorQueuePrefix,
    }),
  );
  await lifecycle.use(
    backupSchedule({
      database: drivers.database,
      instance: config.server.instance,
      backup: config.backup,
      args: ["--data", config.up.dataDir],
      environment: {},
      clock,
      logger,
    }),
  );
  mainListener.ready();
  logger.info({ ...mainListener.http.address(), ...addresses, driver: runtime.driver }, "up: started");
  return links;
}

async function openRuntime({ lifecycle, config }: UpContext): Promise<ContainerRuntime> {
  const runtime = await openDriver(config.drivers.containers, {
    pullPolicy: "always",
    processes: pulledFolders({ stateFolder: processesFolder(config.up.dataDir), stopOnClose: true }),
  });
  await lifecycle.use({ name: "containers", start: () => reachContainers(runtime, config), stop: () => runtime.close() });
  return runtime;
}

/** In a container the platform is a gateway (docs/interface/containers.md#network), whose addresses are not known here. */
async function internalAddresses({ up, containers }: UpConfig, runtime: ContainerRuntime): Promise<InternalAddresses> {
  const { internalPort: port, internalHost } = up;
  if (internalHost !== undefined)
    return { host: anyAddress, network: undefined, port, names: [internalHost, loopback, "localhost"] };
  const network = await appNetworkAddress(runtime, containers.networkName);
  return { host: loopback, network, port, names: ["localhost"] };
}

const loopback = "127.0.0.1";
const anyAddress = "0.0.0.0";
/** Of the apps' databases, if the platform runs in a container. */
const relayPort = 5433;

/** Returns where apps reach the server of their databases. One of this process listens on loopback only. */
async function appServerAddress(
  { lifecycle, config }: UpContext,
  { apps, areAppsLocal }: UpDatabases,
  { network }: InternalAddresses,
): Promise<Endpoint & { readonly port: number }> {
  const { internalHost } = config.up;
  const host = internalHost ?? network;
  if (!areAppsLocal || host === undefined) return { host: apps.host, port: apps.port };
  const port = internalHost === undefined ? apps.port : relayPort;
  // Loaded on demand, like every driver of containers.
  const { TcpRelay } = await import("@appserver/containers-docker");
  await lifecycle.use(new TcpRelay({ host: internalHost === undefined ? host : anyAddress, port }, apps));
  return { host, port };
}

/** Returns what backends of apps must not reach, whatever is allowed. */
function internalEndpoints(internal: InternalAddresses, { apps }: UpDatabases, appsAddress: Endpoint): readonly Endpoint[] {
  return [{ host: loopback, port: internal.port }, { host: apps.host, port: apps.port }, appsAddress];
}

async function orchestrationOptions(
  { config, keys, clock }: UpContext,
  { host }: InternalAddresses,
): Promise<OrchestrationOptions> {
  const { containers, apps, server } = config;
  const { registryUrl, registryUsername: username, registryPassword: password = "" } = containers;
  const [newest] = await keys.load();
  const ownCredentials = newest && registryUrl === undefined ? pullCredentials(newest.key, clock) : undefined;
  return {
    ...containerOptions({ ...containers, isolation: "app", sharedRedis: [] }, apps),
    instance: server.instance,
    network: containers.networkName,
    registry: registryUrl ?? registryAddressOf(config),
    credentials: ownCredentials ?? (username === undefined ? undefined : () => ({ username, password })),
    endpoint: host === loopback ? "publish" : "network",
  };
}

/** Where apps reach their databases. Each gets a name and a login of its own. */
function databaseEnvironment(
  { database }: UpConfig,
  { areAppsLocal }: UpDatabases,
  { host, port }: Endpoint,
): Readonly<Record<string, string>> {
  const sslMode = areAppsLocal ? "disable" : database.sslMode;
  return { APPSERVER_DB_HOST: host, APPSERVER_DB_PORT: String(port), APPSERVER_DB_SSLMODE: sslMode };
}

/** Returns the environment of the orchestrator. Apps get a part of it (docs/interface/containers.md#environment). */
function appEnvironment(
  { up, server }: UpConfig,
  { host, network, port }: InternalAddresses,
): Readonly<Record<string, string>> {
  const platform = up.internalHost ?? network ?? host;
  return { ...platformAddresses(platform, port, server.grpcPort), NODE_ENV: "production" };
}
