export { isActiveDocument } from "./active-document.ts";
export { advisoryLocks } from "./advisory-locks.ts";
export {
  actingOn,
  appBoundsOf,
  boundCallerName,
  callOn,
  onOwnApp,
  pipelineOf,
  reachesApp,
  requireBoundTo,
  trustOf,
} from "./app-bounds.ts";
export {
  AppError,
  type AppErrorOptions,
  type Dependency,
  type FieldViolation,
  invalidField,
  isAppError,
  messageOf,
} from "./app-error.ts";
export {
  type AuditedAction,
  type AuditOrigin,
  auditEntry,
  type Initiator,
  initiatorOf,
  userAuditEntry,
} from "./audit-entry.ts";
export { BacklogQuota, type BacklogQuotaOptions } from "./backlog-quota.ts";
export { BodyBuffer, readWholeBody } from "./body-buffer.ts";
export { BufferBudget, type BufferBudgetOptions, BufferLease } from "./buffer-budget.ts";
export { type Call, platformCall } from "./call.ts";
export {
  actorOf,
  agentOf,
  anonymousCaller,
  type Caller,
  hasAccount,
  type MachineCaller,
  subjectOf,
  type TokenScope,
} from "./caller.ts";
export type { AppBounds, PipelineBounds, PipelineProvider, PipelineRun } from "./caller-bounds.ts";
export { clientNetwork, countedCaller } from "./client-network.ts";
export { type Clock, SystemClock } from "./clock.ts";
export { type Column, type Columns, column, columns, json } from "./columns.ts";
export { type BackoffOptions, backoffMs, jittered } from "./concurrency/backoff.ts";
export { Deadlines, type PendingDeadline } from "./concurrency/deadlines.ts";
export { type EveryOptions, every } from "./concurrency/every.ts";
export { forEachLimited } from "./concurrency/for-each-limited.ts";
export { GroupCommit, type GroupCommitOptions, isCausedByOneItem } from "./concurrency/group-commit.ts";
export { IsolatedRows, type IsolatedRowsOptions, type StoredFailures } from "./concurrency/isolated-rows.ts";
export { Mailbox } from "./concurrency/mailbox.ts";
export { Mirror, type MirrorOptions } from "./concurrency/mirror.ts";
export { type PeriodicTask, PeriodicTasks, type PeriodicTasksOptions } from "./concurrency/periodic-tasks.ts";
export { SharedPoll, type SharedPollOptions } from "./concurrency/shared-poll.ts";
export { SingleFlight, singleFlight } from "./concurrency/single-flight.ts";
export { Turns } from "./concurrency/turns.ts";
export { WakeUp } from "./concurrency/wake-up.ts";
export { type Deadline, settledWithin, type TimeLimit, within } from "./concurrency/within.ts";
export { Conditions } from "./conditions.ts";
export { credentialAllows, credentialReaches } from "./credential-scopes.ts";
export type { CredentialedRequest } from "./credentialed-request.ts";
export { type BrowserContext, isCrossSite, isForeignOrigin } from "./cross-site.ts";
export { databasePasswordPrefix } from "./database-password.ts";
export { describeError, type ErrorDescription } from "./describe-error.ts";
export { durationBucket, durationQuantile } from "./duration-counts.ts";
export { type EntityTag, isMatch, isNoneMatchHit, parseEntityTags } from "./entity-tags.ts";
export { escapeHtml } from "./escape-html.ts";
export { expectedError, isDatabaseUnavailable } from "./expected-error.ts";
export { HeaderBlock, type HeaderLines, headerLines } from "./header-block.ts";
export {
  currentKeyedWork,
  earlierReceipt,
  keyedWorkLost,
  outsideKeyedWork,
  recordKeyedWork,
  recordKeyedWorks,
  runKeyedWork,
} from "./idempotency/keyed-work.ts";
export { SqlIdempotencyKeys, type SqlIdempotencyKeysOptions } from "./idempotency/sql-idempotency-keys.ts";
export { isUuid, uuidv7 } from "./ids.ts";
export type { BodyPace, BodyReader, BodySource, InboundBody, InboundRequest, RequestHead } from "./inbound-request.ts";
export { lineProblem, textProblem } from "./input-text.ts";
export { type HeldLease, type HoldResult, holdLease, LeaseLostError } from "./leases/hold-lease.ts";
export { SqlLeases, type SqlLeasesOptions } from "./leases/sql-leases.ts";
export { type Component, Lifecycle, StartAbortedError } from "./lifecycle.ts";
export { type LiveConnection, LiveConnections, type LiveConnectionsOptions } from "./live-connections.ts";
export { LineSplitter, type LogLine, type LogText, logTime, logTimeOf, maxLogLineBytes } from "./log-lines.ts";
export { fieldText, jsonMs, jsonText, type Logger, logJson, maxFieldLength, silentLogger, type WithLogJson } from "./logger.ts";
export { andThen, isPromise, type MaybePromise } from "./maybe-promise.ts";
export { oncePerObject } from "./once-per-object.ts";
export { OutageLog } from "./outage-log.ts";
export type { OutboundResponse } from "./outbound-response.ts";
export { type OutboxBacklog, outboxBacklog } from "./outbox/outbox-backlog.ts";
export { OutboxRelay, type OutboxRelayOptions } from "./outbox/outbox-relay.ts";
export { SqlOutbox } from "./outbox/sql-outbox.ts";
export { ownSources, sourceOrigin } from "./own-sources.ts";
export { Cursors, connectionOf, type Page, pageOf, pageSize } from "./paging.ts";
export {
  changedSubject,
  notePermissionChanges,
  type RecentPermissionChanges,
  readPermissionChanges,
} from "./permission-changes/permission-changes.ts";
export {
  type AppRights,
  type BatchedPermissions,
  type OriginRights,
  type OwnedPermission,
  type Permissions,
  RequiredPermissions,
  type RightsHolder,
  requirePermission,
} from "./permissions.ts";
export { platformMigrations } from "./platform-migrations.ts";
export { privateNetworks, reservedNetworks } from "./private-networks.ts";
export type { Problem } from "./problem.ts";
export { ReadMemory, type ReadTarget, readTarget } from "./read-memory.ts";
export type { ReadPart } from "./read-part.ts";
export { type ReasonId, Rejection, type RejectionOptions } from "./rejection.ts";
export type { RequestContext } from "./request-context.ts";
export { requestFailure } from "./request-failure.ts";
export { type InputTextOptions, requireInputTexts } from "./require-input-texts.ts";
export type {
  RestCall,
  RestDocumentation,
  RestHeader,
  RestReply,
  RestResponse,
  RestRoute,
  RestSchema,
  ServerSentEvent,
} from "./rest-route.ts";
export { deleteInSteps, type OldRows } from "./retention/delete-in-steps.ts";
export { prunePermissionChanges } from "./retention/prune-platform.ts";
export { returnPath } from "./return-path.ts";
export { AuthorizationHome } from "./servers/authorization-home.ts";
export { DatabaseHome, type DatabaseMove, type DatabaseState } from "./servers/database-home.ts";
export {
  removeKilledServers,
  runningServers,
  ServerPresence,
  type ServerPresenceOptions,
} from "./servers/server-presence.ts";
export { StartError } from "./start-error.ts";
export { currentTraceparent, runInTrace } from "./telemetry/current-trace.ts";
export { silentMetrics } from "./telemetry/silent-metrics.ts";
export { silentTracer } from "./telemetry/silent-tracer.ts";
export {
  formatTraceparent,
  newTraceparent,
  parseTraceparent,
  type TraceContext,
  traceIdOf,
} from "./telemetry/trace-context.ts";
export { tracedBroker } from "./telemetry/traced-broker.ts";
export { withoutBlanks } from "./without-blanks.ts";
