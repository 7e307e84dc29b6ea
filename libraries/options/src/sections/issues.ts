import type { FoundSection, OptionIssue } from "../schema.ts";
import type { backupSection } from "./backup.ts";
import type { brokerSection } from "./broker.ts";
import type { databaseSection } from "./database.ts";

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

/** Checks that server and orchestrator do not share queues. */
export function queuePrefixIssues(
  broker: Pick<FoundSection<typeof brokerSection>, "serverQueuePrefix" | "orchestratorQueuePrefix">,
): readonly OptionIssue[] {
  const { serverQueuePrefix, orchestratorQueuePrefix } = broker;
  if (serverQueuePrefix === undefined || serverQueuePrefix !== orchestratorQueuePrefix) return [];
  const message =
    "expected a prefix other than server_queue_prefix: with shared queues, server and orchestrator would each miss events";
  return [{ at: ["broker", "orchestratorQueuePrefix"], message }];
}

/** Checks that backups by a schedule have a place and a key. */
export function backupIssues(backup: FoundSection<typeof backupSection>): readonly OptionIssue[] {
  const { schedule, to, passphraseFile, recipients } = backup;
  const issues: OptionIssue[] = [];
  if (passphraseFile !== undefined && recipients !== undefined)
    issues.push({ at: ["backup", "recipients"], message: "expected either recipients or passphrase_file" });
  if (schedule === undefined) return issues;
  if (to === undefined) issues.push({ at: ["backup", "to"], message: "missing; required with schedule" });
  if (passphraseFile === undefined && recipients === undefined)
    issues.push({ at: ["backup", "passphraseFile"], message: "missing; required with schedule, unless there are recipients" });
  return issues;
}
