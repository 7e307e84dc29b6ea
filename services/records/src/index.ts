import type { Clock, Logger, Permissions, ReadPart } from "@appserver/kernel";
import type { AuditLog, CounterHandle, Database } from "@appserver/kernel/ports";
import { SqlAppFigures } from "./adapters/sql-app-figures.ts";
import { SqlEventHistory } from "./adapters/sql-event-history.ts";
import { SqlMetricHistory } from "./adapters/sql-metric-history.ts";
import { SqlRequestHistory } from "./adapters/sql-request-history.ts";
import { SqlUsageHistory } from "./adapters/sql-usage-history.ts";
import type { Present } from "./adapters/system-event-record.ts";
import { auditResolvers } from "./api/audit-graphql.ts";
import { eventResolvers } from "./api/events-graphql.ts";
import { metricResolvers } from "./api/metrics-graphql.ts";
import { requestResolvers } from "./api/requests-graphql.ts";
import type { AuditEntry, Leases, SystemEventNotifications, SystemEventRecord } from "./ports.ts";
import { readTracedEntries } from "./use-cases/read-audit-log.ts";
import { readTracedEvents } from "./use-cases/read-system-events.ts";
import { AuditRecorder } from "./workers/audit-recorder.ts";
import { FigureKeeper } from "./workers/figure-keeper.ts";
import { RequestRecorder } from "./workers/request-recorder.ts";

export { recordsMigrations } from "../migrations/index.ts";
export { platformSamples } from "./adapters/platform-samples.ts";
export { ProcessSamples } from "./adapters/process-samples.ts";
export { pruneAuditLog } from "./adapters/prune-audit-log.ts";
export { SqlAuditLog, type SqlAuditLogOptions } from "./adapters/sql-audit-log.ts";
export { SqlEventHistory, type SqlEventHistoryOptions } from "./adapters/sql-event-history.ts";
export { SqlMetricHistory } from "./adapters/sql-metric-history.ts";
export { SqlUsageHistory } from "./adapters/sql-usage-history.ts";
export { systemEventRecord } from "./adapters/system-event-record.ts";
export { presentEntry } from "./api/audit-graphql.ts";
export { presentEvent } from "./api/events-graphql.ts";
export { presentRequest } from "./api/requests-graphql.ts";
export type { SystemEventNotifications } from "./ports.ts";
export { readTrace, type Trace } from "./use-cases/read-trace.ts";
export { MetricSampler, type MetricSamplerOptions } from "./workers/metric-sampler.ts";

export interface RecordsDeps {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly permissions: Permissions;
  /** What people see of an event. Undefined if they do not see it. */
  readonly present: Present;
  readonly notifications: SystemEventNotifications;
  /** Counts the requests that are not stored. */
  readonly dropped: CounterHandle;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the platform did: the audit log, events, requests of the last hour, and what its processes counted. */
export interface Records {
  readonly events: SqlEventHistory;
  readonly metrics: SqlMetricHistory;
  readonly requests: SqlRequestHistory;
  /** Stores the requests of this process. */
  readonly requestRecorder: RequestRecorder;
  /** Stores actions that change nothing. */
  readonly auditRecorder: AuditRecorder;
  /** Stores the figures of the last day. */
  readonly figureKeeper: FigureKeeper;
  /** Queries `auditLog`, `systemEvents`, `systemEventById`, `requests` and `metrics`, subscription `systemEvent`. */
  readonly resolvers: readonly Readonly<Record<string, object>>[];
  /** Parts of traces. */
  readonly traced: { readonly events: ReadPart<SystemEventRecord>; readonly audit: ReadPart<AuditEntry> };
  /** Removes the figures of an app that is deleted. */
  forget(appName: string): Promise<void>;
}

export function createRecords(deps: RecordsDeps): Records {
  const { database, audit, permissions, notifications, clock } = deps;
  const events = new SqlEventHistory(deps);
  const metrics = new SqlMetricHistory(database, clock);
  const requests = new SqlRequestHistory(database, clock);
  const requestRecorder = new RequestRecorder({ ...deps, history: requests });
  const figures = new SqlAppFigures(database);
  const usage = new SqlUsageHistory(database, clock);
  const eventsContext = { history: events, notifications, permissions };
  return {
    events,
    metrics,
    requests,
    requestRecorder,
    auditRecorder: new AuditRecorder(deps),
    figureKeeper: new FigureKeeper({ ...deps, figures }),
    forget: (appName) => figures.remove(appName),
    resolvers: [
      auditResolvers(audit, permissions),
      eventResolvers(eventsContext),
      requestResolvers({ requests, permissions, log: requestRecorder, clock }),
      metricResolvers({ metricHistory: metrics, usage, figures, permissions, clock }),
    ],
    traced: {
      events: (traceIds, limit, call) => readTracedEvents(eventsContext, traceIds, limit, call),
      audit: (traceIds, limit, call) => readTracedEntries({ audit, permissions }, traceIds, limit, call),
    },
  };
}
