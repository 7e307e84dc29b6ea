// Generated from apps/cli/src/operations by `npm run generate`. Do not edit.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { Document } from "../client.ts";
/** State of an app (docs/interface/states.md#app-states). */
export type AppState =
  | 'REGISTERED'
  | 'INSTALLING'
  | 'INSTALLED'
  | 'RUNNING'
  | 'UNHEALTHY'
  | 'FAILED'
  | 'UNINSTALLING'
  | 'UNINSTALLED';

export type DeliveryStatus =
  | 'PENDING'
  | 'SENDING'
  | 'DELIVERED'
  | 'RETRYING'
  | 'DEAD'
  | 'DROPPED';

export type RunStatus =
  | 'DELAYED'
  | 'QUEUED'
  | 'RUNNING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELED'
  | 'TIMED_OUT'
  | 'CRASHED'
  | 'EXPIRED';

export type Severity =
  | 'INFO'
  | 'WARNING'
  | 'ERROR';

export type SystemEventType =
  | 'APP_REGISTERED'
  | 'APP_INSTALLED'
  | 'APP_UNINSTALLED'
  | 'APP_STATE_CHANGED'
  | 'APP_UPGRADE_STARTED'
  | 'APP_UPGRADED'
  | 'APP_ROLLED_BACK'
  | 'APP_RECOVERED'
  | 'APP_KEY_REPLACED'
  | 'APP_DELETED'
  | 'DEPLOYMENT_STATE_CHANGED'
  | 'SETTINGS_UPDATED'
  | 'HOOK_TRIGGERED'
  | 'HOOK_DEAD_LETTERED'
  | 'ACTIVITY_EXECUTED'
  | 'ACTIVITY_FAILED'
  | 'CIRCUIT_OPENED'
  | 'CIRCUIT_CLOSED'
  | 'PERMISSION_APPROVED';

export type LogStream =
  | 'STDOUT'
  | 'STDERR';

export type RunFragment = { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined };

export type ScheduleFragment = { readonly id: string, readonly appName: string, readonly activity: string, readonly key: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined };

export type ActivitiesQueryVariables = Exact<{
  appName?: string | null | undefined;
}>;


export type ActivitiesQuery = { readonly activities: ReadonlyArray<{ readonly appName: string, readonly name: string, readonly inputSchema: unknown, readonly timeoutMs: number, readonly maxRetries: number, readonly concurrency: number | null | undefined, readonly singletonKey: string | null | undefined, readonly schedules: ReadonlyArray<{ readonly id: string, readonly appName: string, readonly activity: string, readonly key: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined }> }> };

export type ActivitySchedulesQueryVariables = Exact<{
  appName?: string | null | undefined;
}>;


export type ActivitySchedulesQuery = { readonly activitySchedules: ReadonlyArray<{ readonly id: string, readonly appName: string, readonly activity: string, readonly key: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined }> };

export type ActivityRunsQueryVariables = Exact<{
  appName?: string | null | undefined;
  status?: RunStatus | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ActivityRunsQuery = { readonly activityRuns: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type TriggerActivityMutationVariables = Exact<{
  appName: string;
  activity: string;
  input?: unknown;
  idempotencyKey?: string | null | undefined;
  runAt?: string | null | undefined;
}>;


export type TriggerActivityMutation = { readonly triggerActivity: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type ScheduleActivityMutationVariables = Exact<{
  appName: string;
  activity: string;
  key?: string | null | undefined;
  cron?: string | null | undefined;
  intervalSeconds?: number | null | undefined;
  timezone?: string | null | undefined;
  input?: unknown;
  enabled?: boolean | null | undefined;
}>;


export type ScheduleActivityMutation = { readonly scheduleActivity: { readonly id: string, readonly appName: string, readonly activity: string, readonly key: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined } };

export type CancelActivityRunMutationVariables = Exact<{
  id: string;
}>;


export type CancelActivityRunMutation = { readonly cancelActivityRun: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type RetryActivityRunMutationVariables = Exact<{
  id: string;
}>;


export type RetryActivityRunMutation = { readonly retryActivityRun: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type SetScheduleEnabledMutationVariables = Exact<{
  id: string;
  enabled: boolean;
}>;


export type SetScheduleEnabledMutation = { readonly setScheduleEnabled: { readonly id: string, readonly appName: string, readonly activity: string, readonly key: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined } };

export type DeleteScheduleMutationVariables = Exact<{
  id: string;
}>;


export type DeleteScheduleMutation = { readonly deleteSchedule: { readonly id: string, readonly appName: string, readonly activity: string, readonly key: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined } };

export type RunScheduleNowMutationVariables = Exact<{
  id: string;
}>;


export type RunScheduleNowMutation = { readonly runScheduleNow: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type ActivityProgressSubscriptionVariables = Exact<{
  runId: string;
}>;


export type ActivityProgressSubscription = { readonly activityProgress: { readonly output: unknown, readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type WaitingAppQueryVariables = Exact<{
  name: string;
}>;


export type WaitingAppQuery = { readonly app: { readonly state: AppState, readonly enabled: boolean, readonly lastError: { readonly message: string } | null | undefined } | null | undefined };

export type AuditEntryFragment = { readonly id: string, readonly at: string, readonly actor: string, readonly action: string, readonly target: string, readonly outcome: string, readonly details: unknown, readonly traceId: string | null | undefined };

export type EventFragment = { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly data: unknown, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly sequence: number };

export type SystemEventsQueryVariables = Exact<{
  types?: ReadonlyArray<SystemEventType> | SystemEventType | null | undefined;
  appName?: string | null | undefined;
  first: number;
}>;


export type SystemEventsQuery = { readonly systemEvents: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly data: unknown, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly sequence: number } }> } };

export type SystemEventSubscriptionVariables = Exact<{
  types?: ReadonlyArray<SystemEventType> | SystemEventType | null | undefined;
  appName?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type SystemEventSubscription = { readonly systemEvent: { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly data: unknown, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly sequence: number } };

export type DeliveryFragment = { readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> };

export type TriggerHookMutationVariables = Exact<{
  name: string;
  data?: unknown;
  orderingKey?: string | null | undefined;
}>;


export type TriggerHookMutation = { readonly triggerHook: { readonly eventId: string, readonly subscribers: number } };

export type HookDeliveriesQueryVariables = Exact<{
  hookName?: string | null | undefined;
  appName?: string | null | undefined;
  status?: DeliveryStatus | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type HookDeliveriesQuery = { readonly hookDeliveries: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type ResendHookDeliveryMutationVariables = Exact<{
  id: string;
}>;


export type ResendHookDeliveryMutation = { readonly resendHookDelivery: { readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> } };

export type RecoverHookDeliveriesMutationVariables = Exact<{
  hookName: string;
  since: string;
  until?: string | null | undefined;
}>;


export type RecoverHookDeliveriesMutation = { readonly recoverHookDeliveries: number };

export type HookTriggeredSubscriptionVariables = Exact<{
  hookName?: string | null | undefined;
}>;


export type HookTriggeredSubscription = { readonly hookTriggered: { readonly id: string, readonly hookName: string, readonly sourceApp: string | null | undefined, readonly data: unknown, readonly triggeredAt: string, readonly triggeredBy: string | null | undefined, readonly traceId: string | null | undefined } };

export type TraceQueryVariables = Exact<{
  id: string;
}>;


export type TraceQuery = { readonly trace: { readonly id: string, readonly traceIds: ReadonlyArray<string>, readonly requestIds: ReadonlyArray<string>, readonly logsIncomplete: ReadonlyArray<string>, readonly truncated: boolean, readonly hidden: ReadonlyArray<string>, readonly requests: ReadonlyArray<{ readonly requestId: string, readonly traceId: string, readonly at: string, readonly appName: string | null | undefined, readonly route: string | null | undefined, readonly method: string, readonly status: number, readonly durationMs: number, readonly upstreamMs: number | null | undefined, readonly reason: string | null | undefined, readonly caller: string }>, readonly hookEvents: ReadonlyArray<{ readonly id: string, readonly hookName: string, readonly sourceApp: string | null | undefined, readonly triggeredAt: string, readonly triggeredBy: string | null | undefined, readonly traceId: string | null | undefined }>, readonly deliveries: ReadonlyArray<{ readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> }>, readonly runs: ReadonlyArray<{ readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined }>, readonly events: ReadonlyArray<{ readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly data: unknown, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly sequence: number }>, readonly audit: ReadonlyArray<{ readonly id: string, readonly at: string, readonly actor: string, readonly action: string, readonly target: string, readonly outcome: string, readonly details: unknown, readonly traceId: string | null | undefined }>, readonly logs: ReadonlyArray<{ readonly appName: string, readonly time: string, readonly stream: LogStream, readonly text: string, readonly isCut: boolean, readonly container: string, readonly generation: number }> } | null | undefined };

export const ActivitiesDocument = `
    query Activities($appName: String) {
  activities(appName: $appName) {
    appName
    name
    inputSchema
    timeoutMs
    maxRetries
    concurrency
    singletonKey
    schedules {
      ...Schedule
    }
  }
}
    fragment Schedule on ActivitySchedule {
  id
  appName
  activity
  key
  cron
  timezone
  enabled
  paused
  nextRunAt
  lastError
}` as Document<ActivitiesQuery, ActivitiesQueryVariables>;
export const ActivitySchedulesDocument = `
    query ActivitySchedules($appName: String) {
  activitySchedules(appName: $appName) {
    ...Schedule
  }
}
    fragment Schedule on ActivitySchedule {
  id
  appName
  activity
  key
  cron
  timezone
  enabled
  paused
  nextRunAt
  lastError
}` as Document<ActivitySchedulesQuery, ActivitySchedulesQueryVariables>;
export const ActivityRunsDocument = `
    query ActivityRuns($appName: String, $status: RunStatus, $first: Int, $after: String) {
  activityRuns(appName: $appName, status: $status, first: $first, after: $after) {
    edges {
      node {
        ...Run
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Run on ActivityRun {
  id
  appName
  activity
  status
  attempt
  progress
  stage
  error {
    code
    message
    details
  }
  scheduledFor
  queuedAt
  startedAt
  finishedAt
  retryOf
  traceId
}` as Document<ActivityRunsQuery, ActivityRunsQueryVariables>;
export const TriggerActivityDocument = `
    mutation TriggerActivity($appName: String!, $activity: String!, $input: JSON, $idempotencyKey: String, $runAt: DateTime) {
  triggerActivity(
    appName: $appName
    activity: $activity
    input: $input
    idempotencyKey: $idempotencyKey
    runAt: $runAt
  ) {
    ...Run
  }
}
    fragment Run on ActivityRun {
  id
  appName
  activity
  status
  attempt
  progress
  stage
  error {
    code
    message
    details
  }
  scheduledFor
  queuedAt
  startedAt
  finishedAt
  retryOf
  traceId
}` as Document<TriggerActivityMutation, TriggerActivityMutationVariables>;
export const ScheduleActivityDocument = `
    mutation ScheduleActivity($appName: String!, $activity: String!, $key: String, $cron: String, $intervalSeconds: Int, $timezone: String, $input: JSON, $enabled: Boolean) {
  scheduleActivity(
    appName: $appName
    activity: $activity
    key: $key
    cron: $cron
    intervalSeconds: $intervalSeconds
    timezone: $timezone
    input: $input
    enabled: $enabled
  ) {
    ...Schedule
  }
}
    fragment Schedule on ActivitySchedule {
  id
  appName
  activity
  key
  cron
  timezone
  enabled
  paused
  nextRunAt
  lastError
}` as Document<ScheduleActivityMutation, ScheduleActivityMutationVariables>;
export const CancelActivityRunDocument = `
    mutation CancelActivityRun($id: ID!) {
  cancelActivityRun(id: $id) {
    ...Run
  }
}
    fragment Run on ActivityRun {
  id
  appName
  activity
  status
  attempt
  progress
  stage
  error {
    code
    message
    details
  }
  scheduledFor
  queuedAt
  startedAt
  finishedAt
  retryOf
  traceId
}` as Document<CancelActivityRunMutation, CancelActivityRunMutationVariables>;
export const RetryActivityRunDocument = `
    mutation RetryActivityRun($id: ID!) {
  retryActivityRun(id: $id) {
    ...Run
  }
}
    fragment Run on ActivityRun {
  id
  appName
  activity
  status
  attempt
  progress
  stage
  error {
    code
    message
    details
  }
  scheduledFor
  queuedAt
  startedAt
  finishedAt
  retryOf
  traceId
}` as Document<RetryActivityRunMutation, RetryActivityRunMutationVariables>;
export const SetScheduleEnabledDocument = `
    mutation SetScheduleEnabled($id: ID!, $enabled: Boolean!) {
  setScheduleEnabled(id: $id, enabled: $enabled) {
    ...Schedule
  }
}
    fragment Schedule on ActivitySchedule {
  id
  appName
  activity
  key
  cron
  timezone
  enabled
  paused
  nextRunAt
  lastError
}` as Document<SetScheduleEnabledMutation, SetScheduleEnabledMutationVariables>;
export const DeleteScheduleDocument = `
    mutation DeleteSchedule($id: ID!) {
  deleteSchedule(id: $id) {
    ...Schedule
  }
}
    fragment Schedule on ActivitySchedule {
  id
  appName
  activity
  key
  cron
  timezone
  enabled
  paused
  nextRunAt
  lastError
}` as Document<DeleteScheduleMutation, DeleteScheduleMutationVariables>;
export const RunScheduleNowDocument = `
    mutation RunScheduleNow($id: ID!) {
  runScheduleNow(id: $id) {
    ...Run
  }
}
    fragment Run on ActivityRun {
  id
  appName
  activity
  status
  attempt
  progress
  stage
  error {
    code
    message
    details
  }
  scheduledFor
  queuedAt
  startedAt
  finishedAt
  retryOf
  traceId
}` as Document<RunScheduleNowMutation, RunScheduleNowMutationVariables>;
export const ActivityProgressDocument = `
    subscription ActivityProgress($runId: ID!) {
  activityProgress(runId: $runId) {
    ...Run
    output
  }
}
    fragment Run on ActivityRun {
  id
  appName
  activity
  status
  attempt
  progress
  stage
  error {
    code
    message
    details
  }
  scheduledFor
  queuedAt
  startedAt
  finishedAt
  retryOf
  traceId
}` as Document<ActivityProgressSubscription, ActivityProgressSubscriptionVariables>;
export const WaitingAppDocument = `
    query WaitingApp($name: String!) {
  app(name: $name) {
    state
    enabled
    lastError {
      message
    }
  }
}
    ` as Document<WaitingAppQuery, WaitingAppQueryVariables>;
export const SystemEventsDocument = `
    query SystemEvents($types: [SystemEventType!], $appName: String, $first: Int!) {
  systemEvents(types: $types, appName: $appName, first: $first) {
    edges {
      node {
        ...Event
      }
    }
  }
}
    fragment Event on SystemEvent {
  id
  type
  severity
  appName
  message
  data
  timestamp
  actor
  traceId
  sequence
}` as Document<SystemEventsQuery, SystemEventsQueryVariables>;
export const SystemEventDocument = `
    subscription SystemEvent($types: [SystemEventType!], $appName: String, $after: ID) {
  systemEvent(types: $types, appName: $appName, after: $after) {
    ...Event
  }
}
    fragment Event on SystemEvent {
  id
  type
  severity
  appName
  message
  data
  timestamp
  actor
  traceId
  sequence
}` as Document<SystemEventSubscription, SystemEventSubscriptionVariables>;
export const TriggerHookDocument = `
    mutation TriggerHook($name: String!, $data: JSON, $orderingKey: String) {
  triggerHook(name: $name, data: $data, orderingKey: $orderingKey) {
    eventId
    subscribers
  }
}
    ` as Document<TriggerHookMutation, TriggerHookMutationVariables>;
export const HookDeliveriesDocument = `
    query HookDeliveries($hookName: String, $appName: String, $status: DeliveryStatus, $first: Int, $after: String) {
  hookDeliveries(
    hookName: $hookName
    appName: $appName
    status: $status
    first: $first
    after: $after
  ) {
    edges {
      node {
        ...Delivery
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Delivery on HookDelivery {
  id
  eventId
  hookName
  appName
  status
  attempt
  nextAttemptAt
  error {
    code
    message
  }
  updatedAt
  attempts {
    number
    at
    durationMs
    outcome
    error
  }
  traceId
}` as Document<HookDeliveriesQuery, HookDeliveriesQueryVariables>;
export const ResendHookDeliveryDocument = `
    mutation ResendHookDelivery($id: ID!) {
  resendHookDelivery(id: $id) {
    ...Delivery
  }
}
    fragment Delivery on HookDelivery {
  id
  eventId
  hookName
  appName
  status
  attempt
  nextAttemptAt
  error {
    code
    message
  }
  updatedAt
  attempts {
    number
    at
    durationMs
    outcome
    error
  }
  traceId
}` as Document<ResendHookDeliveryMutation, ResendHookDeliveryMutationVariables>;
export const RecoverHookDeliveriesDocument = `
    mutation RecoverHookDeliveries($hookName: String!, $since: DateTime!, $until: DateTime) {
  recoverHookDeliveries(hookName: $hookName, since: $since, until: $until)
}
    ` as Document<RecoverHookDeliveriesMutation, RecoverHookDeliveriesMutationVariables>;
export const HookTriggeredDocument = `
    subscription HookTriggered($hookName: String) {
  hookTriggered(hookName: $hookName) {
    id
    hookName
    sourceApp
    data
    triggeredAt
    triggeredBy
    traceId
  }
}
    ` as Document<HookTriggeredSubscription, HookTriggeredSubscriptionVariables>;
export const TraceDocument = `
    query Trace($id: String!) {
  trace(id: $id) {
    id
    traceIds
    requestIds
    requests {
      requestId
      traceId
      at
      appName
      route
      method
      status
      durationMs
      upstreamMs
      reason
      caller
    }
    hookEvents {
      id
      hookName
      sourceApp
      triggeredAt
      triggeredBy
      traceId
    }
    deliveries {
      ...Delivery
    }
    runs {
      ...Run
    }
    events {
      ...Event
    }
    audit {
      ...AuditEntry
    }
    logs {
      appName
      time
      stream
      text
      isCut
      container
      generation
    }
    logsIncomplete
    truncated
    hidden
  }
}
    fragment Run on ActivityRun {
  id
  appName
  activity
  status
  attempt
  progress
  stage
  error {
    code
    message
    details
  }
  scheduledFor
  queuedAt
  startedAt
  finishedAt
  retryOf
  traceId
}
fragment AuditEntry on AuditEntry {
  id
  at
  actor
  action
  target
  outcome
  details
  traceId
}
fragment Event on SystemEvent {
  id
  type
  severity
  appName
  message
  data
  timestamp
  actor
  traceId
  sequence
}
fragment Delivery on HookDelivery {
  id
  eventId
  hookName
  appName
  status
  attempt
  nextAttemptAt
  error {
    code
    message
  }
  updatedAt
  attempts {
    number
    at
    durationMs
    outcome
    error
  }
  traceId
}` as Document<TraceQuery, TraceQueryVariables>;