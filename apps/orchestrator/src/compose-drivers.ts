import { hostname } from "node:os";
import { PostgresBroker } from "@appserver/broker-postgres";
import { RabbitBroker } from "@appserver/broker-rabbitmq";
import { type PoolOptions, PostgresDatabase, tlsOptions } from "@appserver/database-postgres";
import { type Clock, type Lifecycle, type Logger, silentTracer } from "@appserver/kernel";
import type { Database, Metrics, Tracer } from "@appserver/kernel/ports";
import type { SectionValues } from "@appserver/options";
import type { databaseSection, rabbitmqSection } from "@appserver/options/sections";
import type { OrchestratorConfig } from "./config/orchestrator-config.ts";

type RabbitValues = SectionValues<typeof rabbitmqSection>;

/** Server and orchestrator share the database and the bus, so both must open them in the same way. */
interface SharedConfig extends Pick<OrchestratorConfig, "telemetry"> {
  readonly rabbitmq: Omit<RabbitValues, "enabled"> & {
    readonly [Key in keyof Pick<RabbitValues, "enabled">]: boolean | undefined;
  };
  readonly database: SectionValues<typeof databaseSection>;
}

/** Creates the database of the configuration. It connects on first use. */
export function openDatabase(database: SharedConfig["database"], clock: Clock, logger: Logger): PostgresDatabase {
  const { host, port, user, password, name, sslMode } = database;
  const ssl = tlsOptions({
    mode: sslMode,
    rootCertificate: database.sslRootCertFile?.text,
    certificate: database.sslCertFile?.text,
    key: database.sslKeyFile?.text,
  });
  return new PostgresDatabase({
    connection: { host, port, user, password, database: name, ssl },
    ...poolOptions(database),
    clock,
    logger,
  });
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

/**
 * Returns whether events go through RabbitMQ. Otherwise they go through the database, which then needs the tables of the
 * broker.
 */
export function usesRabbitMq(rabbitmq: SharedConfig["rabbitmq"]): boolean {
  return rabbitmq.enabled !== false && rabbitmq.url !== undefined;
}

export function openBroker(
  rabbitmq: SharedConfig["rabbitmq"],
  database: Database,
  clock: Clock,
  logger: Logger,
): PostgresBroker | RabbitBroker {
  const { url, maxRetries, prefetchCount: prefetch, caFile } = rabbitmq;
  if (!usesRabbitMq(rabbitmq) || url === undefined)
    return new PostgresBroker({ database, prefetch, maxRetries, clock, logger });
  return new RabbitBroker({ url, clock, logger, prefetch, maxRetries, ...(caFile && { tls: { ca: caFile.text } }) });
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
      instance: `${about.instance}@${hostname()}:${process.pid}`,
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
