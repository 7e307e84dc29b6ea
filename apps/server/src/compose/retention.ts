import { pruneAccessRequests, pruneAgentConsents, pruneAppMessages } from "@appserver/access";
import { pruneDeadLetters } from "@appserver/broker-postgres";
import { pruneIncidents } from "@appserver/incidents";
import { type Clock, type Logger, PeriodicTasks, prunePermissionChanges } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { pruneTransitions } from "@appserver/marketplace";
import { pruneDeployments } from "@appserver/orchestration";
import { pruneAuditLog } from "@appserver/records";

/** How long records stay, in milliseconds (docs/reference/options.md#retention). */
export interface Retention {
  readonly auditLogMs: number;
  readonly appHistoryMs: number;
  readonly deploymentsMs: number;
  readonly deadLettersMs: number;
}

const intervalMs = 3_600_000;

type Prune = (signal: AbortSignal) => Promise<number>;

/** Returns what deletes old records in every replica, each hour, in steps. */
export function retentionWork(database: Database, retention: Retention, clock: Clock, logger: Logger): PeriodicTasks {
  const { auditLogMs, appHistoryMs, deploymentsMs, deadLettersMs } = retention;
  const prunes: Readonly<Record<string, Prune>> = {
    "audit log": (signal) => pruneAuditLog(database, auditLogMs, signal),
    "permission changes": (signal) => prunePermissionChanges(database, signal),
    "history of apps": (signal) => pruneTransitions(database, appHistoryMs, signal),
    deployments: (signal) => pruneDeployments(database, deploymentsMs, signal),
    "requests for access": (signal) => pruneAccessRequests(database, signal),
    "messages of apps": (signal) => pruneAppMessages(database, signal),
    "consents to agents": (signal) => pruneAgentConsents(database, signal),
    incidents: (signal) => pruneIncidents(database, signal),
    "dead letters": (signal) => pruneDeadLetters(database, deadLettersMs, signal),
  };
  const tasks = Object.entries(prunes).map(([name, prune]) => ({
    name,
    intervalMs,
    run: async (signal: AbortSignal) => {
      const deleted = await prune(signal);
      if (deleted > 0) logger.info({ records: name, deleted }, "retention: old records deleted");
    },
  }));
  return new PeriodicTasks({ name: "retention", clock, logger, tasks });
}
