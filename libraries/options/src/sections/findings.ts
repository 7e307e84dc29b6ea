import type { Finding, FoundSection } from "../schema.ts";
import type { brokerSection } from "./broker.ts";
import type { databaseSection } from "./database.ts";
import type { rabbitmqSection } from "./rabbitmq.ts";

type FoundDatabase = Omit<FoundSection<typeof databaseSection>, "password">;

/** Checks the options of the section `database` that depend on each other. */
export function databaseFindings(database: FoundDatabase): readonly Finding[] {
  const { sslMode, sslRootCertFile, sslCertFile, sslKeyFile } = database;
  const findings: Finding[] = [];
  if (sslCertFile && !sslKeyFile)
    findings.push({ at: ["database", "sslKeyFile"], says: "missing; needed beside ssl_cert_file" });
  if (sslKeyFile && !sslCertFile)
    findings.push({ at: ["database", "sslCertFile"], says: "missing; needed beside ssl_key_file" });
  const verifies = sslMode === "verify-ca" || sslMode === "verify-full";
  if (sslRootCertFile && sslMode !== undefined && !verifies) {
    findings.push({
      at: ["database", "sslRootCertFile"],
      says: `expected sslmode verify-ca or verify-full beside it: with ${sslMode} nobody's certificate is checked`,
    });
  }
  return [...findings, ...poolFindings(database)];
}

/** Checks the size of the connection pool. */
export function poolFindings(database: Pick<FoundDatabase, "maxOpenConnections" | "maxIdleConnections">): readonly Finding[] {
  const { maxOpenConnections: open, maxIdleConnections: idle } = database;
  if (open === undefined || idle === undefined || idle <= open) return [];
  return [{ at: ["database", "maxIdleConnections"], says: `expected no more than max_open_connections (${open})` }];
}

/** Checks the options of the event bus that depend on each other (docs/interface/events.md#broker-layout). */
export function brokerFindings({
  broker,
  rabbitmq,
}: {
  readonly broker: FoundSection<typeof brokerSection>;
  readonly rabbitmq: FoundSection<typeof rabbitmqSection>;
}): readonly Finding[] {
  const findings: Finding[] = [];
  if (broker.driver === "rabbitmq" && rabbitmq.url === undefined) {
    findings.push({ at: ["rabbitmq", "url"], says: "missing; needed while RabbitMQ is enabled" });
  }
  return [...findings, ...queuePrefixFindings(rabbitmq)];
}

/** Checks that server and orchestrator do not share queues. */
export function queuePrefixFindings(
  rabbitmq: Pick<FoundSection<typeof rabbitmqSection>, "serverQueuePrefix" | "orchestratorQueuePrefix">,
): readonly Finding[] {
  const { serverQueuePrefix, orchestratorQueuePrefix } = rabbitmq;
  if (serverQueuePrefix === undefined || serverQueuePrefix !== orchestratorQueuePrefix) return [];
  const says = "expected another prefix than server_queue_prefix: they would split each other's events between them";
  return [{ at: ["rabbitmq", "orchestratorQueuePrefix"], says }];
}
