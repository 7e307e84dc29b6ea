import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedPostgres } from "@appserver/database-postgres";
import type { Identity } from "@appserver/driver";
import { type Clock, type Lifecycle, type Logger, SystemClock, silentTracer } from "@appserver/kernel";
import type { ContainerRuntime, Database, GroupMemberships } from "@appserver/kernel/ports";
import { PrometheusMetrics } from "@appserver/telemetry-prometheus";
import { Origins } from "@appserver/transports/http";
import type { DevConfig } from "../config/dev-config.ts";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import type { DataFolderWatch } from "../data-folder/data-folder-watch.ts";
import { SettingsKeyFile } from "../data-folder/settings-keys.ts";
import type { DevDataFolder } from "../dev/dev-data-folder.ts";
import { devOrchestration } from "../dev/dev-orchestration.ts";
import { devTuples } from "../dev/dev-tuples.ts";
import { consoleOnDemand } from "./console.ts";
import { appNetworkAddress, closeContainers, openDevContainers, reachContainers, takeFolder } from "./containers.ts";
import { docsOnDemand } from "./docs.ts";
import type { Platform } from "./embedded.ts";
import { signInOptions } from "./identity.ts";
import { openMail } from "./mail.ts";
import { MainListener } from "./main-listener.ts";
import { brandingOf, limitsOf } from "./options.ts";
import { packagesOnDemand } from "./packages.ts";
import { playgroundOnDemand } from "./playground.ts";
import { secretSeal } from "./secret-seal.ts";

export interface DevelopmentOptions {
  readonly config: DevConfig;
  readonly folder: Pick<DevDataFolder, "secrets">;
  readonly watch: DataFolderWatch;
  readonly logger: Logger;
  readonly onProgress: (what: string) => void;
}

/**
 * Starts the platform of `appserver dev`. The main listener opens and the database starts before most of the code is loaded,
 * because loading takes half of the start time. Rejects with the first failure; `lifecycle` stops the components that did
 * start.
 */
export async function startPlatform(lifecycle: Lifecycle, options: DevelopmentOptions): Promise<Platform> {
  const { config, watch, logger, onProgress } = options;
  const { secrets } = options.folder;
  const clock = new SystemClock();
  const settingsKeys = new SettingsKeyFile(config.dev.dataDir);
  // Fails early if the key file is damaged.
  await settingsKeys.load();
  const mail = openMail(config);
  if (mail) await lifecycle.use(mail);
  const database = Promise.withResolvers<Database>();
  const groups = Promise.withResolvers<GroupMemberships>();
  const opened = Promise.withResolvers<ContainerRuntime>();
  const identity = await openDriver(config.drivers.identity, {
    platformName: config.branding.name,
    sessionCookieName: config.auth.sessionCookieName,
    database: () => database.promise,
    groups: () => groups.promise,
    seal: secretSeal(settingsKeys, clock),
    mail,
    developmentSecret: Buffer.from(secrets.sessionSecret, "hex"),
    clock,
    logger,
  });
  const mainListener = await lifecycle.use(openMainListener(config, identity, opened.promise, clock, logger));
  onProgress("database");
  const server = (folder: string) => new EmbeddedPostgres({ folder: join(config.dev.dataDir, folder), clock, logger });
  const postgres = server("postgres");
  const postgresStarts = lifecycle.use(postgres);
  // A failure is handled below, once the code that needs the database is loaded.
  postgresStarts.catch(() => {});
  await loadInSteps();
  const { composeEmbedded } = await import("./embedded.ts");
  await postgresStarts;
  watch.add(postgres.files);
  // Started while the rest starts: neither the main listener nor the services wait for the databases of apps.
  const apps = hasOwnServer(config) ? startServer(lifecycle, server("postgres-apps"), watch) : undefined;

  const orchestration = devOrchestration(secrets.instance, config);
  const containers = await openDevContainers(config);
  await lifecycle.use({
    name: "containers",
    start: () => reachContainers(containers, config),
    stop: () => closeContainers(containers, orchestration),
  });
  opened.resolve(containers);
  const starting = composeEmbedded(lifecycle, {
    instance: secrets.instance,
    mainListener,
    onDatabase: database.resolve,
    postgres,
    appsPostgres: apps?.postgres ?? postgres,
    appsPostgresStarts: apps?.starts ?? postgresStarts,
    identity,
    mail,
    config,
    macKey: Buffer.from(secrets.macKey, "hex"),
    settingsKeys,
    checks: [watch.check],
    containers,
    tuples: identity.devLogin ? devTuples : [],
    clock,
    logger,
    onProgress,
    orchestration,
    appNetworkAddress: await appNetworkAddress(containers, orchestration.network),
  });
  // If that server does not start, all others stop, and what they report is only a consequence.
  const platform = await starting.catch((error: unknown) => {
    throw apps?.failure() ?? error;
  });
  groups.resolve(platform.groups);
  return platform;
}

/** Returns whether the databases of apps are on a server of their own. */
function hasOwnServer({ containers }: DevConfig): boolean {
  return containers.isolation === "app" && !containers.databaseSharedServer;
}

/** Starts a server while the platform starts. `failure` returns why it did not start, before other components stop for it. */
function startServer(lifecycle: Lifecycle, postgres: EmbeddedPostgres, watch: DataFolderWatch) {
  let failure: unknown;
  const start = async (signal?: AbortSignal): Promise<void> => {
    await postgres.start(signal).catch((error: unknown) => {
      if (!signal?.aborted) failure = error;
      throw error;
    });
    watch.add(postgres.files);
  };
  const starts = lifecycle.use({ name: "apps-postgres", start, stop: () => postgres.stop() });
  // A caller that needs the server handles a failure.
  starts.catch(() => {});
  return { postgres, starts, failure: () => failure };
}

/** Loads the largest modules one at a time: loading blocks the process, and between two modules the main listener can respond. */
async function loadInSteps(): Promise<void> {
  const pieces = [
    () => import("graphql"),
    () => import("@connectrpc/connect-node"),
    () => import("@appserver/marketplace"),
    () => import("@appserver/outbound-http"),
    () => import("@appserver/proxy"),
  ];
  for (const load of pieces) {
    await sleep(1);
    await load();
  }
  await sleep(1);
}

function openMainListener(
  config: DevConfig,
  identity: Identity,
  runtime: Promise<ContainerRuntime>,
  clock: Clock,
  logger: Logger,
): MainListener {
  const { server, metrics, console, branding, dev, containers } = config;
  const signIn = signInOptions(identity, console.enabled);
  return new MainListener({
    host: "127.0.0.1",
    port: server.httpPort,
    http2: server.http2Enabled,
    plainPath: server.plainPath,
    trustedProxies: [],
    limits: limitsOf(server),
    shutdownTimeoutMs: server.shutdownTimeoutMs,
    drainDelayMs: server.drainDelayMs,
    metricsAccess: { allow: metrics.allow, token: metrics.token },
    allowedHosts: ["127.0.0.1", "localhost", "[::1]"],
    origins: new Origins([]),
    logger,
    clock,
    metrics: new PrometheusMetrics({ clock, logger }),
    tracer: silentTracer,
    branding: brandingOf(branding),
    sites: [
      ...(console.enabled ? [consoleOnDemand({ hasLogin: signIn.hasSelfService })] : []),
      playgroundOnDemand(),
      docsOnDemand(),
      ...packagesOnDemand(),
    ],
    devPlatform: {
      dataFolder: resolve(dev.dataDir),
      containers: containers.driver,
      takeFolder: (app) => takeFolder(app, config, runtime),
    },
    ...signIn,
  });
}
