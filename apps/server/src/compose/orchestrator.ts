import { backupsMigrations } from "@appserver/backups";
import { systemEventOf } from "@appserver/contracts/events";
import { metricCatalogue } from "@appserver/contracts/metrics";
import {
  type Clock,
  Lifecycle,
  type Logger,
  OutboxRelay,
  platformMigrations,
  SqlLeases,
  SqlOutbox,
  SystemClock,
  tracedBroker,
} from "@appserver/kernel";
import type { ContainerRuntime } from "@appserver/kernel/ports";
import { createLiveApps, marketplaceMigrations } from "@appserver/marketplace";
import { type Orchestration, orchestrationMigrations } from "@appserver/orchestration";
import { MetricSampler, ProcessSamples, recordsMigrations, SqlEventHistory, SqlMetricHistory } from "@appserver/records";
import { pullCredentials } from "@appserver/registry";
import { settingsMigrations } from "@appserver/settings";
import { PrometheusMetrics } from "@appserver/telemetry-prometheus";
import { migrationsOfDrivers, openDriver } from "../config/drivers/driver-catalogue.ts";
import type { OrchestratorConfig } from "../config/orchestrator-config.ts";
import { orchestrateRefusals, refuseFor } from "../config/orchestrator-refusals.ts";
import { openLog } from "../log/open-log.ts";
import { MetricsEndpoint } from "../metrics-endpoint.ts";
import { processName } from "../process-name.ts";
import { platformVersion } from "../version.ts";
import { backupSchedule } from "./backup-schedule.ts";
import { openAppDatabases, openBroker, openDatabase, openTracer } from "./drivers.ts";
import { composeOrchestration } from "./orchestration.ts";
import { pulledFolders } from "./pulled-folders.ts";

export interface OrchestratorParts {
  /** Aborts the start, which then rejects with StartAbortedError. */
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
  /** @defaultValue the driver of the configuration */
  readonly runtime?: ContainerRuntime;
}

export interface RunningOrchestrator {
  readonly orchestration: Orchestration;
  /** Releases leases and connections. Containers keep running. */
  stop(): Promise<void>;
}

/**
 * Composes `appserver orchestrate`: the orchestrator on production drivers. It reads the installed apps from the platform's
 * database, and waits for a database that is not reachable yet. Rejects with exactly the texts of
 * docs/interface/errors.md#orchestrator-errors if the event bus or container management is disabled, if the container runtime
 * cannot be reached, or if a value that every app's container needs is not configured.
 */
export async function composeOrchestrator(
  config: OrchestratorConfig,
  parts: OrchestratorParts = {},
): Promise<RunningOrchestrator> {
  // First, because the refusals do not depend on reachable services, and waiting for a database would hide them.
  refuseFor(orchestrateRefusals(config, config.environment));
  const clock = new SystemClock();
  const logger = parts.logger ?? openLog({ service: "orchestrator", level: config.logLevel });
  for (const warning of config.warnings) logger.warn({}, warning);
  const processes = pulledFolders({ stopOnClose: false });
  const runtime = parts.runtime ?? (await openDriver(config.drivers.containers, { pullPolicy: "always", processes, logger }));
  const lifecycle = new Lifecycle({
    onError: (component, error) => logger.error({ err: error, component }, "orchestrator: a component did not stop cleanly"),
    onUnavailable: (component, error, retryMs) =>
      logger.warn({ err: error, component, retryMs }, "orchestrator: a component cannot start yet; retrying"),
  });
  const { signal = new AbortController().signal } = parts;
  return lifecycle.run(signal, () => start({ lifecycle, config, runtime, clock, logger }));
}

interface OrchestratorContext {
  readonly lifecycle: Lifecycle;
  readonly config: OrchestratorConfig;
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly logger: Logger;
}

async function start({ lifecycle, config, runtime, clock, logger }: OrchestratorContext): Promise<RunningOrchestrator> {
  await lifecycle.use({ name: "containers", start: () => runtime.ping(), stop: () => runtime.close() });
  const database = await lifecycle.use(openDatabase(config.database, clock, logger));
  const migrations = [
    ...platformMigrations,
    ...recordsMigrations,
    ...migrationsOfDrivers(config.drivers),
    ...marketplaceMigrations,
    ...settingsMigrations,
    ...orchestrationMigrations,
    ...backupsMigrations,
  ];
  await lifecycle.use({
    name: "migrations",
    start: async (signal) => {
      await database.migrateWhenReachable(migrations, signal);
    },
  });
  const databases = openAppDatabases(config, clock, logger);
  if (databases) await lifecycle.use(databases);
  const metrics = new PrometheusMetrics({ clock, logger });
  metrics.gauge(metricCatalogue.buildInfo).bind({ version: platformVersion, node: process.version }).set(1);
  const { metricsPort: port, bindAddress: host } = config;
  if (port !== undefined) await lifecycle.use(new MetricsEndpoint({ host, port, metrics }));
  const about = { serviceName: "orchestrator", serviceVersion: platformVersion, instance: config.options.instance };
  const tracer = await openTracer(lifecycle, config.telemetry, about, metrics, clock, logger);
  const broker = tracedBroker(await lifecycle.use(await openBroker(config, database, clock, logger)), tracer);
  await lifecycle.use(
    new OutboxRelay({
      database,
      broker,
      history: new SqlEventHistory({ database, clock, present: systemEventOf }),
      clock,
      logger,
    }),
  );
  const sources = [new ProcessSamples({ kind: "orchestrate", version: platformVersion })];
  await lifecycle.use(
    new MetricSampler({ history: new SqlMetricHistory(database, clock), sources, process: processName, clock, logger }),
  );
  const orchestration = await lifecycle.use(
    composeOrchestration({
      ...config,
      options: { ...config.options, credentials: credentialsOf(config, clock) },
      database,
      broker,
      outbox: new SqlOutbox(),
      leases: new SqlLeases({ database, holder: `orchestrator@${processName}` }),
      runtime,
      apps: createLiveApps({ database, broker, clock, logger }),
      keys: { load: async () => config.encryptionKeys },
      databases,
      clock,
      logger,
      // Without an endpoint they are never read.
      ...(port === undefined ? {} : { metrics }),
      platform: config.environment,
      queuePrefix: config.broker.orchestratorQueuePrefix,
    }),
  );
  const { backup, environment } = config;
  const { instance } = config.options;
  await lifecycle.use(backupSchedule({ database, instance, backup, args: [], environment, clock, logger }));
  logger.info({ driver: runtime.driver, instance }, "orchestrator: started");
  return { orchestration, stop: () => lifecycle.stop() };
}

/** Without another registry, images come from the platform's own. It needs no configured credentials. */
function credentialsOf({ containers, registry, encryptionKeys, options }: OrchestratorConfig, clock: Clock) {
  const [newest] = encryptionKeys;
  const isOwn = containers.registryUrl === undefined && registry.address !== undefined;
  return isOwn && newest ? pullCredentials(newest.key, clock) : options.credentials;
}
