import type { FoundSection, OptionIssue } from "../schema.ts";
import type { authServicesSection, identitySection } from "./auth.ts";
import type { brokerSection } from "./broker.ts";
import type { databaseSection } from "./database.ts";
import type { rabbitmqSection } from "./rabbitmq.ts";

type FoundDatabase = Omit<FoundSection<typeof databaseSection>, "password">;

/** Checks the options of the section `database` that depend on each other. */
export function databaseIssues(database: FoundDatabase): readonly OptionIssue[] {
  const { sslMode, sslRootCertFile, sslCertFile, sslKeyFile } = database;
  const issues: OptionIssue[] = [];
  if (sslCertFile && !sslKeyFile)
    issues.push({ at: ["database", "sslKeyFile"], message: "missing; required with ssl_cert_file" });
  if (sslKeyFile && !sslCertFile)
    issues.push({ at: ["database", "sslCertFile"], message: "missing; required with ssl_key_file" });
  const verifies = sslMode === "verify-ca" || sslMode === "verify-full";
  if (sslRootCertFile && sslMode !== undefined && !verifies) {
    issues.push({
      at: ["database", "sslRootCertFile"],
      message: `expected sslmode verify-ca or verify-full: with ${sslMode} no certificate is checked`,
    });
  }
  return [...issues, ...poolIssues(database)];
}

/** Checks the size of the connection pool. */
export function poolIssues(database: Pick<FoundDatabase, "maxOpenConnections" | "maxIdleConnections">): readonly OptionIssue[] {
  const { maxOpenConnections: open, maxIdleConnections: idle } = database;
  if (open === undefined || idle === undefined || idle <= open) return [];
  return [{ at: ["database", "maxIdleConnections"], message: `expected no more than max_open_connections (${open})` }];
}

/** Checks the options of the event bus that depend on each other (docs/interface/events.md#broker-layout). */
export function brokerIssues({
  broker,
  rabbitmq,
}: {
  readonly broker: FoundSection<typeof brokerSection>;
  readonly rabbitmq: FoundSection<typeof rabbitmqSection>;
}): readonly OptionIssue[] {
  const issues: OptionIssue[] = [];
  if (broker.driver === "rabbitmq" && rabbitmq.url === undefined) {
    issues.push({ at: ["rabbitmq", "url"], message: "missing; required if RabbitMQ is enabled" });
  }
  return [...issues, ...queuePrefixIssues(rabbitmq)];
}

/** Checks that the identity provider has the options that it needs. */
export function identityIssues({
  identity,
  authServices,
}: {
  readonly identity: FoundSection<typeof identitySection>;
  readonly authServices: Pick<FoundSection<typeof authServicesSection>, "kratosPublicUrl">;
}): readonly OptionIssue[] {
  if (identity.driver !== "kratos" || authServices.kratosPublicUrl !== undefined) return [];
  return [{ at: ["authServices", "kratosPublicUrl"], message: "missing; required if identity.driver is kratos" }];
}

/** Checks that server and orchestrator do not share queues. */
export function queuePrefixIssues(
  rabbitmq: Pick<FoundSection<typeof rabbitmqSection>, "serverQueuePrefix" | "orchestratorQueuePrefix">,
): readonly OptionIssue[] {
  const { serverQueuePrefix, orchestratorQueuePrefix } = rabbitmq;
  if (serverQueuePrefix === undefined || serverQueuePrefix !== orchestratorQueuePrefix) return [];
  const message =
    "expected a prefix other than server_queue_prefix: with shared queues, server and orchestrator would each miss events";
  return [{ at: ["rabbitmq", "orchestratorQueuePrefix"], message }];
}
