export {
  AppError,
  type AppErrorOptions,
  type ErrorCode,
  type FieldViolation,
  invalidField,
  isAppError,
  messageOf,
} from "./app-error.ts";
export { type AuditedUser, auditedUser } from "./audit/audited-user.ts";
export { SqlAuditLog, type SqlAuditLogOptions } from "./audit/sql-audit-log.ts";
export { actorOf, anonymousCaller, type Caller, subjectOf } from "./caller.ts";
export { type Clock, SystemClock } from "./clock.ts";
export { describeError, type ErrorDescription } from "./describe-error.ts";
export { foreseenError, isDatabaseAway } from "./foreseen-error.ts";
export { isUuid, uuidv7 } from "./ids.ts";
export { type HeldLease, type HoldResult, holdLease, LeaseLostError } from "./leases/hold-lease.ts";
export { SqlLeases, type SqlLeasesOptions } from "./leases/sql-leases.ts";
export { type Component, Lifecycle } from "./lifecycle.ts";
export { type Logger, silentLogger } from "./logger.ts";
export { isPromise, type MaybePromise } from "./maybe-promise.ts";
export { type OutboxBacklog, outboxBacklog } from "./outbox/outbox-backlog.ts";
export { OutboxRelay, type OutboxRelayOptions } from "./outbox/outbox-relay.ts";
export { SqlOutbox } from "./outbox/sql-outbox.ts";
export { Cursors, connectionOf, nextPageToken, type Page, pageOf, pageSize } from "./paging.ts";
export { AuthorizedPermissions, type Permissions, requirePermission } from "./permissions.ts";
export { platformMigrations } from "./platform-migrations.ts";
export { currentTraceparent, runInTrace } from "./telemetry/current-trace.ts";
export { silentMetrics } from "./telemetry/silent-metrics.ts";
export { silentTracer } from "./telemetry/silent-tracer.ts";
export { formatTraceparent, newTraceparent, parseTraceparent, type TraceContext } from "./telemetry/trace-context.ts";
export { tracedBroker } from "./telemetry/traced-broker.ts";
export { Waker } from "./waker.ts";
