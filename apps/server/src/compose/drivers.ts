import { type PoolOptions, PostgresAppDatabases, PostgresDatabase } from "@appserver/database-postgres";
import { type Clock, type Component, type Lifecycle, type Logger, silentTracer } from "@appserver/kernel";
import type { Broker, Database, Metrics, Tracer } from "@appserver/kernel/ports";
import type { SectionValues } from "@appserver/options";
import type { brokerSection, databaseSection } from "@appserver/options/sections";
import { type ChosenDrivers, openDriver } from "../config/drivers/driver-catalogue.ts";
import type { OrchestratorConfig } from "../config/orchestrator-config.ts";
import { processName } from "../process-name.ts";
import { appDatabaseConnections, connectionOf } from "./app-database-connections.ts";

/** Server and orchestrator share the database and the bus, so both must open them in the same way. */
interface SharedConfig extends Pick<OrchestratorConfig, "telemetry"> {
  readonly broker: Pick<SectionValues<typeof brokerSection>, "maxRetries" | "prefetchCount">;
  readonly drivers: ChosenDrivers<"broker">;
  readonly database: SectionValues<typeof databaseSection>;
}

/** Creates the database of the configuration. It connects on first use. */
export function openDatabase(database: SharedConfig["database"], clock: Clock, logger: Logger): PostgresDatabase {
  return new PostgresDatabase({ connection: connectionOf(database), ...poolOptions(database), clock, logger });
}

/** Creates the databases of apps, unless apps share the platform's database. */
export function openAppDatabases(config: OrchestratorConfig, clock: Clock, logger: Logger): PostgresAppDatabases | undefined {
  const { containers } = config;
  if (containers.isolation === "shared") return undefined;
  const { administrator, platform } = appDatabaseConnections(config);
  return new PostgresAppDatabases({
    administrator,
    platform,
    sharedServer: containers.databaseSharedServer,
    address: administrator,
    ...limitsOfApps(containers),
    clock,
    logger,
  });
}

/** Returns the limits of every app's database and logins. */
export function limitsOfApps({
  databaseConnectionLimit: connectionLimit,
  databaseSizeLimitBytes: sizeLimitBytes,
  databaseStatementTimeoutMs: statementTimeoutMs,
  databaseIdleTransactionTimeoutMs: idleTransactionTimeoutMs,
}: Pick<
  OrchestratorConfig["containers"],
  "databaseConnectionLimit" | "databaseSizeLimitBytes" | "databaseStatementTimeoutMs" | "databaseIdleTransactionTimeoutMs"
>) {
  return { connectionLimit, sizeLimitBytes, statementTimeoutMs, idleTransactionTimeoutMs };
}

type PoolValues = Pick<
  SharedConfig["database"],
  "maxOpenConnections" | "maxIdleConnections" | "connectionLifetimeMs" | "statementTimeoutMs"
>;

/** Returns the options of a connection pool, which are the same for every database. */
export function poolOptions(database: PoolValues): PoolOptions {
  return {
    poolSize: database.maxOpenConnections,
    idleConnections: database.maxIdleConnections,
    connectionLifetimeMs: database.connectionLifetimeMs,
    statementTimeoutMs: database.statementTimeoutMs,
  };
}

/** Opens the event bus. */
export function openBroker(
  { broker, drivers }: Pick<SharedConfig, "broker" | "drivers">,
  database: Database,
  clock: Clock,
  logger: Logger,
): Promise<Broker & Component> {
  const { prefetchCount: prefetch, maxRetries } = broker;
  return openDriver(drivers.broker, { database, prefetch, maxRetries, clock, logger });
}

/** The identity of a process in its traces. */
export interface TracedProcess {
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** The id of the installation. */
  readonly instance: string;
}

/** Opens the tracer. OpenTelemetry is loaded only if traces are configured. */
export async function openTracer(
  lifecycle: Lifecycle,
  telemetry: SharedConfig["telemetry"],
  about: TracedProcess,
  metrics: Metrics,
  clock: Clock,
  logger: Logger,
): Promise<Tracer> {
  if (telemetry.otlpEndpoint === undefined) return silentTracer;
  const { OtlpTracer } = await import("@appserver/telemetry-otlp");
  return await lifecycle.use(
    new OtlpTracer({
      ...about,
      instance: `${about.instance}@${processName}`,
      endpoint: telemetry.otlpEndpoint,
      headers: headersOf(telemetry.otlpHeaders),
      sampleRatio: telemetry.traceSampleRatio,
      clock,
      logger,
      metrics,
    }),
  );
}

/** Parses `name=value,name=value`, percent-encoded, the format of OTEL_EXPORTER_OTLP_HEADERS. */
function headersOf(text = ""): Readonly<Record<string, string>> {
  const pairs = text.split(",").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return name.trim() === "" ? [] : [[name.trim(), decodeURIComponent(value.join("=").trim())]];
  });
  return Object.fromEntries(pairs);
}
