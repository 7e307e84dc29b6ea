import { hostname } from "node:os";
import { DockerRuntime } from "@appserver/containers-docker";
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
import type { ContainerRuntime, Database, Migration } from "@appserver/kernel/ports";
import { type InstalledApps, orchestrationMigrations } from "@appserver/orchestration";
import { PrometheusMetrics } from "@appserver/telemetry-prometheus";
import { migrationsOfBroker, openBroker, openDatabase, openTracer } from "./compose-drivers.ts";
import type { OrchestratorConfig } from "./config/orchestrator-config.ts";
import { MetricsEndpoint } from "./metrics-endpoint.ts";
import { openLog } from "./open-log.ts";
import { createOrchestrator, type Orchestrator } from "./orchestrator.ts";
import { refuseToOrchestrate } from "./refusals.ts";

export interface OrchestratorParts {
  /** The apps that should run: the marketplace's read side on the platform's database. */
  readonly apps: (deps: { readonly database: Database; readonly clock: Clock; readonly logger: Logger }) => InstalledApps;
  /** The tables that `apps` reads. */
  readonly migrations: readonly Migration[];
  /** The environment of this process. Containers get a part of it (docs/interface/containers.md#environment). */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The version of the platform, for traces. */
  readonly version: string;
  readonly logger?: Logger;
  /** Default: the Docker Engine of the configuration. */
  readonly runtime?: ContainerRuntime;
  /** Aborts the start, which then rejects with StartAbortedError. */
  readonly signal?: AbortSignal;
}

export interface RunningOrchestrator {
  readonly orchestrator: Orchestrator;
  /** Releases leases and connections. Containers keep running. */
  stop(): Promise<void>;
}

/**
 * Runs `appserver orchestrate`: the orchestrator on production drivers. Waits for a database that is not reachable yet.
 * Rejects with the texts of docs/interface/errors.md#orchestrator-errors if waiting cannot help.
 */
export async function runOrchestrator(config: OrchestratorConfig, parts: OrchestratorParts): Promise<RunningOrchestrator> {
  // Checked before anything is opened: the refusals do not depend on reachable services, and waiting for a database would hide
  // them.
  refuseToOrchestrate(config, parts.environment);
  const clock = new SystemClock();
  const logger = parts.logger ?? openLog({ service: "orchestrator", level: config.logLevel });
  const lifecycle = new Lifecycle((component, error) => logger.error({ err: error, component }, "did not stop"));
  const { signal = new AbortController().signal } = parts;
  return lifecycle.run(signal, () => start(lifecycle, config, parts, clock, logger));
}

async function start(
  lifecycle: Lifecycle,
  config: OrchestratorConfig,
  parts: OrchestratorParts,
  clock: Clock,
  logger: Logger,
): Promise<RunningOrchestrator> {
  const runtime = parts.runtime ?? new DockerRuntime({ socketPath: config.dockerSocketPath });
  await lifecycle.use({ name: "containers", start: () => runtime.ping(), stop: () => runtime.close() });
  const database = await lifecycle.use(openDatabase(config.database, clock, logger));
  const ofBroker = migrationsOfBroker(config.broker.driver);
  const migrations = [...platformMigrations, ...ofBroker, ...parts.migrations, ...orchestrationMigrations];
  await lifecycle.use({
    name: "migrations",
    start: async (signal) => {
      await database.migrateWhenReachable(migrations, signal);
    },
  });
  const metrics = new PrometheusMetrics({ clock, logger });
  const { metricsPort: port, bindAddress: host } = config;
  if (port !== undefined) await lifecycle.use(new MetricsEndpoint({ host, port, metrics }));
  const about = { serviceName: "orchestrator", serviceVersion: parts.version, instance: config.options.instance };
  const tracer = await openTracer(lifecycle, config.telemetry, about, metrics, clock, logger);
  const broker = tracedBroker(await lifecycle.use(openBroker(config, database, clock, logger)), tracer);
  await lifecycle.use(new OutboxRelay({ database, broker, clock, logger }));
  const orchestrator = createOrchestrator({
    ...config,
    database,
    broker,
    outbox: new SqlOutbox(),
    leases: new SqlLeases({ database, holder: `orchestrator@${hostname()}:${process.pid}` }),
    runtime,
    apps: parts.apps({ database, clock, logger }),
    clock,
    logger,
    metrics,
    platform: parts.environment,
    queuePrefix: config.rabbitmq.orchestratorQueuePrefix,
  });
  await lifecycle.use(orchestrator);
  logger.info({ driver: runtime.driver, instance: config.options.instance }, "orchestrator is up");
  return { orchestrator, stop: () => lifecycle.stop() };
}
