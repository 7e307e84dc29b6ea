// Generated from the operations in apps/cli/src/operations by `npm run generate`. Do not edit.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { Document } from "@appserver/contracts/graphql/document";
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

export type HealthState =
  | 'UNKNOWN'
  | 'HEALTHY'
  | 'UNHEALTHY';

export type DependencyKind =
  | 'HARD'
  | 'SOFT';

/** `RESTORE`: what a restore has replaced. */
export type SnapshotReason =
  | 'MANUAL'
  | 'UPGRADE'
  | 'BACKUP'
  | 'RESTORE';

export type SnapshotState =
  | 'PENDING'
  | 'RUNNING'
  | 'COMPLETED'
  | 'FAILED';

export type VersionChangeKind =
  | 'INSTALL'
  | 'UPGRADE'
  | 'ROLLBACK'
  | 'REDEPLOY'
  | 'REVERT';

export type DeploymentState =
  | 'PENDING'
  | 'PULLING'
  | 'CREATING'
  | 'STARTING'
  | 'HEALTHY'
  | 'UNHEALTHY'
  /** Stopped because the app was idle. A request, a delivery or a run starts it. */
  | 'ASLEEP'
  | 'RESTARTING'
  | 'STOPPING'
  | 'STOPPED'
  | 'FAILED';

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
  | 'PERMISSION_APPROVED'
  | 'ACCESS_REQUESTED'
  | 'ACCESS_DECIDED'
  | 'BACKUP_COMPLETED'
  | 'BACKUP_FAILED'
  | 'INCIDENT_OPENED'
  | 'INCIDENT_CLOSED';

export type IncidentKind =
  | 'APP_DOWN'
  | 'BACKUP_FAILED'
  | 'CERTIFICATE_EXPIRES'
  | 'DATABASE_FULL'
  | 'DEAD_LETTERS'
  | 'DISK_FULL'
  | 'UPGRADE_ROLLED_BACK';

export type NotificationTargetKind =
  | 'WEBHOOK'
  | 'SLACK'
  | 'MAIL';

export type AccessRequestState =
  | 'OPEN'
  | 'GRANTED'
  | 'DECLINED';

export type AccessDecision =
  | 'GRANT'
  | 'DECLINE';

/** `UNKNOWN`: the engine reports both as one. */
export type LogStream =
  | 'STDOUT'
  | 'STDERR'
  | 'UNKNOWN';

/**
 * What `createServiceAccount` gives: a role (`assignee` of `role:<name>`), a level of an app (`owner`, `editor`, `viewer` of
 * `app:<name>`) or a permission (`holder` of its object).
 */
export type AccessGrant = {
  readonly relation: string;
  readonly object: string;
};

export type PipelineProvider =
  | 'GITHUB'
  | 'GITLAB'
  | 'OIDC';

/** A claim that the token must have, with exactly this value. */
export type PipelineClaimInput = {
  readonly name: string;
  readonly value: string;
};

export type PersonState =
  /** Invited, and not completed yet. */
  | 'INVITED'
  | 'ACTIVE'
  /** Cannot sign in. */
  | 'DISABLED';

export type AccessRequestFragment = { readonly id: string, readonly appName: string, readonly access: string, readonly reason: string | null | undefined, readonly state: AccessRequestState, readonly requestedAt: string, readonly person: { readonly id: string, readonly displayName: string | null | undefined } };

export type AccessRequestsQueryVariables = Exact<{
  own: boolean;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AccessRequestsQuery = { readonly accessRequests: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly appName: string, readonly access: string, readonly reason: string | null | undefined, readonly state: AccessRequestState, readonly requestedAt: string, readonly person: { readonly id: string, readonly displayName: string | null | undefined } } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type RequestAccessMutationVariables = Exact<{
  appName: string;
  access: string;
  reason?: string | null | undefined;
}>;


export type RequestAccessMutation = { readonly requestAccess: { readonly id: string, readonly appName: string, readonly access: string, readonly reason: string | null | undefined, readonly state: AccessRequestState, readonly requestedAt: string, readonly person: { readonly id: string, readonly displayName: string | null | undefined } } };

export type DecideAccessRequestMutationVariables = Exact<{
  id: string;
  decision: AccessDecision;
}>;


export type DecideAccessRequestMutation = { readonly decideAccessRequest: { readonly id: string, readonly appName: string, readonly access: string, readonly reason: string | null | undefined, readonly state: AccessRequestState, readonly requestedAt: string, readonly person: { readonly id: string, readonly displayName: string | null | undefined } } };

export type TupleFragment = { readonly user: string, readonly relation: string, readonly object: string };

export type PersonFragment = { readonly id: string, readonly displayName: string | null | undefined };

export type RolesQueryVariables = Exact<{ [key: string]: never; }>;


export type RolesQuery = { readonly roles: ReadonlyArray<{ readonly id: string, readonly isAdministrator: boolean, readonly assignees: ReadonlyArray<{ readonly id: string, readonly displayName: string | null | undefined }> }> };

export type GroupsQueryVariables = Exact<{ [key: string]: never; }>;


export type GroupsQuery = { readonly groups: ReadonlyArray<{ readonly id: string, readonly name: string, readonly members: ReadonlyArray<{ readonly id: string, readonly displayName: string | null | undefined }> }> };

export type InvitePersonMutationVariables = Exact<{
  email: string;
  name?: string | null | undefined;
  roles?: ReadonlyArray<string> | string | null | undefined;
  validHours?: number | null | undefined;
  withLink?: boolean | null | undefined;
}>;


export type InvitePersonMutation = { readonly invitePerson: { readonly link: string | null | undefined, readonly expiresAt: string, readonly subject: { readonly id: string, readonly displayName: string | null | undefined } } };

export type PermissionHoldersQueryVariables = Exact<{
  permission: string;
  appName?: string | null | undefined;
}>;


export type PermissionHoldersQuery = { readonly permissionHolders: ReadonlyArray<{ readonly subject: { readonly id: string, readonly displayName: string | null | undefined }, readonly via: ReadonlyArray<{ readonly user: string, readonly relation: string, readonly object: string }> }> };

export type HeldPermissionsQueryVariables = Exact<{
  subject: string;
}>;


export type HeldPermissionsQuery = { readonly heldPermissions: ReadonlyArray<{ readonly permission: string, readonly appName: string | null | undefined, readonly via: ReadonlyArray<{ readonly user: string, readonly relation: string, readonly object: string }> }> };

export type AppMembersQueryVariables = Exact<{
  appName: string;
}>;


export type AppMembersQuery = { readonly appMembers: ReadonlyArray<{ readonly relation: string, readonly subject: { readonly id: string, readonly displayName: string | null | undefined } }> };

export type PeopleQueryVariables = Exact<{
  search?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type PeopleQuery = { readonly people: ReadonlyArray<{ readonly id: string, readonly displayName: string | null | undefined }> };

export type GrantAccessMutationVariables = Exact<{
  user: string;
  relation: string;
  object: string;
}>;


export type GrantAccessMutation = { readonly grantAccess: { readonly user: string, readonly relation: string, readonly object: string } };

export type RevokeAccessMutationVariables = Exact<{
  user: string;
  relation: string;
  object: string;
}>;


export type RevokeAccessMutation = { readonly revokeAccess: { readonly user: string, readonly relation: string, readonly object: string } };

export type PersonAccountQueryVariables = Exact<{
  id: string;
}>;


export type PersonAccountQuery = { readonly personAccount: { readonly id: string, readonly state: PersonState, readonly createdAt: string } | null | undefined };

export type PersonRecordsQueryVariables = Exact<{
  id: string;
}>;


export type PersonRecordsQuery = { readonly personRecords: unknown };

export type SetPersonActiveMutationVariables = Exact<{
  id: string;
  isActive: boolean;
}>;


export type SetPersonActiveMutation = { readonly setPersonActive: { readonly id: string, readonly state: PersonState, readonly createdAt: string } };

export type RemovePersonMutationVariables = Exact<{
  id: string;
}>;


export type RemovePersonMutation = { readonly removePerson: string };

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

export type AppFragment = { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined };

export type ProblemFragment = { readonly code: string, readonly message: string, readonly details: unknown };

export type StorageFragment = { readonly name: string, readonly mountPath: string, readonly size: string, readonly declared: boolean, readonly createdAt: string | null | undefined, readonly usedBytes: number | null | undefined, readonly measuredAt: string | null | undefined };

export type AppsQueryVariables = Exact<{
  states?: ReadonlyArray<AppState> | AppState | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AppsQuery = { readonly apps: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type AppRowFragment = { readonly name: string, readonly version: string, readonly availableVersion: string | null | undefined, readonly state: AppState, readonly health: HealthState, readonly asleepSince: string | null | undefined };

export type AppRowsQueryVariables = Exact<{
  states?: ReadonlyArray<AppState> | AppState | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AppRowsQuery = { readonly apps: { readonly edges: ReadonlyArray<{ readonly node: { readonly name: string, readonly version: string, readonly availableVersion: string | null | undefined, readonly state: AppState, readonly health: HealthState, readonly asleepSince: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type AppNamesQueryVariables = Exact<{
  first: number;
}>;


export type AppNamesQuery = { readonly apps: { readonly edges: ReadonlyArray<{ readonly node: { readonly name: string } }> } };

export type AppQueryVariables = Exact<{
  name: string;
}>;


export type AppQuery = { readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined };

export type DescribedAppQueryVariables = Exact<{
  name: string;
}>;


export type DescribedAppQuery = { readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly releases: ReadonlyArray<{ readonly version: string, readonly isCurrent: boolean, readonly source: { readonly provider: PipelineProvider, readonly repository: string, readonly commit: string | null | undefined, readonly ref: string | null | undefined, readonly runUrl: string | null | undefined } | null | undefined }>, readonly image: { readonly digest: string | null | undefined } | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }>, readonly deployment: { readonly id: string, readonly appVersion: string, readonly generation: number, readonly state: DeploymentState, readonly healthStatus: HealthState, readonly driver: string, readonly image: string | null | undefined, readonly imageDigest: string | null | undefined, readonly containerName: string | null | undefined, readonly containerId: string | null | undefined, readonly endpoint: string | null | undefined, readonly restartCount: number, readonly outOfDate: boolean, readonly wantedInstances: number | null | undefined, readonly reason: string | null | undefined, readonly createdAt: string, readonly updatedAt: string, readonly instances: ReadonlyArray<{ readonly id: string, readonly place: string | null | undefined, readonly ready: boolean, readonly startedAt: string | null | undefined, readonly restarts: number, readonly problem: string | null | undefined, readonly lastEnd: { readonly at: string, readonly exitCode: number | null | undefined, readonly cause: string } | null | undefined }>, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly lastCrash: { readonly at: string, readonly exitCode: number | null | undefined, readonly output: ReadonlyArray<string> } | null | undefined, readonly limits: { readonly memoryMb: number, readonly cpuShares: number, readonly pids: number } | null | undefined, readonly healthCheck: { readonly path: string, readonly intervalMs: number, readonly timeoutMs: number, readonly threshold: number } | null | undefined } | null | undefined, readonly deploymentEvents: ReadonlyArray<{ readonly deploymentId: string, readonly from: DeploymentState | null | undefined, readonly to: DeploymentState, readonly at: string, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined }>, readonly storage: ReadonlyArray<{ readonly name: string, readonly mountPath: string, readonly size: string, readonly declared: boolean, readonly createdAt: string | null | undefined, readonly usedBytes: number | null | undefined, readonly measuredAt: string | null | undefined }>, readonly database: { readonly usedBytes: number, readonly limitBytes: number, readonly fullSince: string | null | undefined, readonly measuredAt: string } | null | undefined, readonly history: ReadonlyArray<{ readonly from: AppState | null | undefined, readonly to: AppState, readonly reason: string, readonly actor: string | null | undefined, readonly at: string }>, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined };

export type StorageOfAppQueryVariables = Exact<{
  name: string;
}>;


export type StorageOfAppQuery = { readonly app: { readonly storage: ReadonlyArray<{ readonly name: string, readonly mountPath: string, readonly size: string, readonly declared: boolean, readonly createdAt: string | null | undefined, readonly usedBytes: number | null | undefined, readonly measuredAt: string | null | undefined }> } | null | undefined };

export type SourceFragment = { readonly provider: PipelineProvider, readonly repository: string, readonly commit: string | null | undefined, readonly ref: string | null | undefined, readonly runUrl: string | null | undefined };

export type VersionsOfAppQueryVariables = Exact<{
  name: string;
}>;


export type VersionsOfAppQuery = { readonly app: { readonly releases: ReadonlyArray<{ readonly version: string, readonly revision: number, readonly manifestDigest: string, readonly imageDigest: string | null | undefined, readonly registeredAt: string, readonly registeredBy: string | null | undefined, readonly servedAt: string | null | undefined, readonly isCurrent: boolean, readonly source: { readonly provider: PipelineProvider, readonly repository: string, readonly commit: string | null | undefined, readonly ref: string | null | undefined, readonly runUrl: string | null | undefined } | null | undefined }>, readonly versionHistory: ReadonlyArray<{ readonly kind: VersionChangeKind, readonly fromVersion: string | null | undefined, readonly version: string, readonly manifestDigest: string, readonly actor: string | null | undefined, readonly reason: string | null | undefined, readonly at: string }> } | null | undefined };

export type AssetFragment = { readonly name: string, readonly mimeType: string, readonly size: number, readonly sha256: string, readonly integrity: string, readonly etag: string, readonly url: string, readonly signatureAlgorithm: string };

export type AssetsOfAppQueryVariables = Exact<{
  name: string;
}>;


export type AssetsOfAppQuery = { readonly app: { readonly assets: ReadonlyArray<{ readonly name: string, readonly mimeType: string, readonly size: number, readonly sha256: string, readonly integrity: string, readonly etag: string, readonly url: string, readonly signatureAlgorithm: string }> } | null | undefined };

export type AssetQueryVariables = Exact<{
  appName: string;
  assetName: string;
}>;


export type AssetQuery = { readonly asset: { readonly name: string, readonly mimeType: string, readonly size: number, readonly sha256: string, readonly integrity: string, readonly etag: string, readonly url: string, readonly signatureAlgorithm: string } | null | undefined };

export type AuditEntryFragment = { readonly id: string, readonly at: string, readonly actor: string, readonly client: string | null | undefined, readonly action: string, readonly target: string, readonly outcome: string, readonly details: unknown, readonly traceId: string | null | undefined };

export type AuditLogQueryVariables = Exact<{
  actor?: string | null | undefined;
  client?: string | null | undefined;
  action?: string | null | undefined;
  target?: string | null | undefined;
  outcome?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AuditLogQuery = { readonly auditLog: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly at: string, readonly actor: string, readonly client: string | null | undefined, readonly action: string, readonly target: string, readonly outcome: string, readonly details: unknown, readonly traceId: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type OperationFragment = { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined };

export type CommandResultFragment = { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined };

export type OperationQueryVariables = Exact<{
  id: string;
}>;


export type OperationQuery = { readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined };

export type OperationProgressSubscriptionVariables = Exact<{
  id: string;
}>;


export type OperationProgressSubscription = { readonly operationProgress: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type StepFragment = { readonly action: string, readonly appName: string, readonly version: string, readonly manifestDigest: string, readonly reason: string, readonly image: { readonly digest: string | null | undefined } | null | undefined };

export type NeededApprovalFragment = { readonly scope: string, readonly resourceType: string, readonly reason: string };

export type InstallPlanQueryVariables = Exact<{
  name: string;
  version?: string | null | undefined;
  withDependencies?: boolean | null | undefined;
}>;


export type InstallPlanQuery = { readonly installPlan: { readonly digest: string, readonly image: { readonly digest: string | null | undefined } | null | undefined, readonly steps: ReadonlyArray<{ readonly action: string, readonly appName: string, readonly version: string, readonly manifestDigest: string, readonly reason: string, readonly image: { readonly digest: string | null | undefined } | null | undefined }>, readonly blockers: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly approvalsNeeded: ReadonlyArray<{ readonly scope: string, readonly resourceType: string, readonly reason: string }> } };

export type UpgradePlanQueryVariables = Exact<{
  name: string;
  version?: string | null | undefined;
}>;


export type UpgradePlanQuery = { readonly upgradePlan: { readonly differences: unknown, readonly digest: string, readonly image: { readonly digest: string | null | undefined } | null | undefined, readonly steps: ReadonlyArray<{ readonly action: string, readonly appName: string, readonly version: string, readonly manifestDigest: string, readonly reason: string, readonly image: { readonly digest: string | null | undefined } | null | undefined }>, readonly blockers: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly approvalsNeeded: ReadonlyArray<{ readonly scope: string, readonly resourceType: string, readonly reason: string }> } };

export type InstallAppMutationVariables = Exact<{
  name: string;
  withDependencies?: boolean | null | undefined;
  planDigest?: string | null | undefined;
}>;


export type InstallAppMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type UpgradeAppMutationVariables = Exact<{
  name: string;
  version?: string | null | undefined;
  planDigest?: string | null | undefined;
}>;


export type UpgradeAppMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type RollbackAppMutationVariables = Exact<{
  name: string;
  version?: string | null | undefined;
  planDigest?: string | null | undefined;
  withData?: boolean | null | undefined;
}>;


export type RollbackAppMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type RedeployAppMutationVariables = Exact<{
  name: string;
  pull?: boolean | null | undefined;
}>;


export type RedeployAppMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type UninstallAppMutationVariables = Exact<{
  name: string;
  purgeData?: boolean | null | undefined;
}>;


export type UninstallAppMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type SetAppEnabledMutationVariables = Exact<{
  name: string;
  enabled: boolean;
}>;


export type SetAppEnabledMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type RestartAppMutationVariables = Exact<{
  name: string;
}>;


export type RestartAppMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type DeleteAppMutationVariables = Exact<{
  name: string;
}>;


export type DeleteAppMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type DeleteStorageMutationVariables = Exact<{
  name: string;
  storage: string;
}>;


export type DeleteStorageMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type ReplaceKeyMutationVariables = Exact<{
  name: string;
  certificate: string;
}>;


export type ReplaceKeyMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type RevokePermissionsMutationVariables = Exact<{
  name: string;
  scopes: ReadonlyArray<string> | string;
}>;


export type RevokePermissionsMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type ApprovePermissionsMutationVariables = Exact<{
  name: string;
  scopes: ReadonlyArray<string> | string;
  manifestDigest?: string | null | undefined;
}>;


export type ApprovePermissionsMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type EventFragment = { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly data: unknown, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly sequence: number };

export type SystemEventsQueryVariables = Exact<{
  types?: ReadonlyArray<SystemEventType> | SystemEventType | null | undefined;
  appName?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SystemEventsQuery = { readonly systemEvents: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly data: unknown, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly sequence: number } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

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

export type LogLineFragment = { readonly time: string, readonly stream: LogStream, readonly text: string, readonly isCut: boolean, readonly container: string, readonly generation: number, readonly instance: string | null | undefined };

export type AppLogSubscriptionVariables = Exact<{
  name: string;
  tail?: number | null | undefined;
  since?: string | null | undefined;
  follow?: boolean | null | undefined;
  instance?: string | null | undefined;
}>;


export type AppLogSubscription = { readonly appLog: { readonly container: string | null | undefined, readonly generation: number | null | undefined, readonly instance: string | null | undefined, readonly isStart: boolean, readonly linesLeftOut: number, readonly lines: ReadonlyArray<{ readonly time: string, readonly stream: LogStream, readonly text: string, readonly isCut: boolean, readonly container: string, readonly generation: number, readonly instance: string | null | undefined }> } };

export type MetricsQueryVariables = Exact<{
  appName?: string | null | undefined;
  minutes?: number | null | undefined;
}>;


export type MetricsQuery = { readonly metrics: { readonly apps: unknown, readonly proxy: unknown, readonly resources: unknown, readonly hooks: unknown, readonly activities: unknown, readonly process: unknown, readonly sampledAt: string } };

export type TargetFragment = { readonly id: string, readonly name: string, readonly kind: NotificationTargetKind, readonly address: string, readonly types: ReadonlyArray<SystemEventType> | null | undefined, readonly isEnabled: boolean, readonly isConfigured: boolean, readonly createdAt: string, readonly createdBy: string, readonly waiting: number, readonly deadLetters: number };

export type TargetDeliveryFragment = { readonly id: string, readonly eventId: string, readonly type: SystemEventType, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly error: { readonly code: string, readonly message: string } | null | undefined };

export type NotificationTargetsQueryVariables = Exact<{ [key: string]: never; }>;


export type NotificationTargetsQuery = { readonly notificationTargets: ReadonlyArray<{ readonly id: string, readonly name: string, readonly kind: NotificationTargetKind, readonly address: string, readonly types: ReadonlyArray<SystemEventType> | null | undefined, readonly isEnabled: boolean, readonly isConfigured: boolean, readonly createdAt: string, readonly createdBy: string, readonly waiting: number, readonly deadLetters: number }> };

export type NotificationDeliveriesQueryVariables = Exact<{
  targetId: string;
  status?: DeliveryStatus | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type NotificationDeliveriesQuery = { readonly notificationDeliveries: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly eventId: string, readonly type: SystemEventType, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly error: { readonly code: string, readonly message: string } | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type IncidentsQueryVariables = Exact<{
  isOpen?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type IncidentsQuery = { readonly incidents: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly kind: IncidentKind, readonly subject: string, readonly appName: string | null | undefined, readonly message: string, readonly openedAt: string, readonly closedAt: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type CreateNotificationTargetMutationVariables = Exact<{
  name: string;
  kind: NotificationTargetKind;
  url?: string | null | undefined;
  addresses?: ReadonlyArray<string> | string | null | undefined;
  types?: ReadonlyArray<SystemEventType> | SystemEventType | null | undefined;
}>;


export type CreateNotificationTargetMutation = { readonly createNotificationTarget: { readonly secret: string | null | undefined, readonly target: { readonly id: string, readonly name: string, readonly kind: NotificationTargetKind, readonly address: string, readonly types: ReadonlyArray<SystemEventType> | null | undefined, readonly isEnabled: boolean, readonly isConfigured: boolean, readonly createdAt: string, readonly createdBy: string, readonly waiting: number, readonly deadLetters: number } } };

export type UpdateNotificationTargetMutationVariables = Exact<{
  id: string;
  name?: string | null | undefined;
  url?: string | null | undefined;
  addresses?: ReadonlyArray<string> | string | null | undefined;
  types?: ReadonlyArray<SystemEventType> | SystemEventType | null | undefined;
  isEnabled?: boolean | null | undefined;
}>;


export type UpdateNotificationTargetMutation = { readonly updateNotificationTarget: { readonly id: string, readonly name: string, readonly kind: NotificationTargetKind, readonly address: string, readonly types: ReadonlyArray<SystemEventType> | null | undefined, readonly isEnabled: boolean, readonly isConfigured: boolean, readonly createdAt: string, readonly createdBy: string, readonly waiting: number, readonly deadLetters: number } };

export type DeleteNotificationTargetMutationVariables = Exact<{
  id: string;
}>;


export type DeleteNotificationTargetMutation = { readonly deleteNotificationTarget: string };

export type TestNotificationTargetMutationVariables = Exact<{
  id: string;
}>;


export type TestNotificationTargetMutation = { readonly testNotificationTarget: { readonly isDelivered: boolean, readonly error: string | null | undefined, readonly durationMs: number } };

export type ResendNotificationDeliveryMutationVariables = Exact<{
  id: string;
}>;


export type ResendNotificationDeliveryMutation = { readonly resendNotificationDelivery: { readonly id: string, readonly eventId: string, readonly type: SystemEventType, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type FileAppFragment = { readonly id: string, readonly name: string, readonly version: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly installedAt: string | null | undefined, readonly requiredPermissions: ReadonlyArray<{ readonly scope: string, readonly resourceType: string, readonly reason: string, readonly requiresApproval: boolean, readonly approved: boolean }>, readonly dependencies: ReadonlyArray<{ readonly appName: string, readonly kind: DependencyKind }> };

export type FileAppsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type FileAppsQuery = { readonly apps: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly name: string, readonly version: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly installedAt: string | null | undefined, readonly requiredPermissions: ReadonlyArray<{ readonly scope: string, readonly resourceType: string, readonly reason: string, readonly requiresApproval: boolean, readonly approved: boolean }>, readonly dependencies: ReadonlyArray<{ readonly appName: string, readonly kind: DependencyKind }> } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type ReleaseDigestsQueryVariables = Exact<{
  name: string;
}>;


export type ReleaseDigestsQuery = { readonly app: { readonly releases: ReadonlyArray<{ readonly manifestDigest: string }> } | null | undefined };

export type StoredSettingsQueryVariables = Exact<{
  appID: string;
}>;


export type StoredSettingsQuery = { readonly settings: { readonly stored: unknown, readonly secretsSet: ReadonlyArray<string>, readonly version: number } | null | undefined };

export type SettingFormsQueryVariables = Exact<{
  appID: string;
}>;


export type SettingFormsQuery = { readonly settings: { readonly schema: unknown } | null | undefined };

export type FileAppQueryVariables = Exact<{
  name: string;
}>;


export type FileAppQuery = { readonly app: { readonly id: string, readonly name: string, readonly version: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly installedAt: string | null | undefined, readonly requiredPermissions: ReadonlyArray<{ readonly scope: string, readonly resourceType: string, readonly reason: string, readonly requiresApproval: boolean, readonly approved: boolean }>, readonly dependencies: ReadonlyArray<{ readonly appName: string, readonly kind: DependencyKind }> } | null | undefined };

export type SchedulePausesQueryVariables = Exact<{
  appName?: string | null | undefined;
}>;


export type SchedulePausesQuery = { readonly activitySchedules: ReadonlyArray<{ readonly id: string, readonly appName: string, readonly activity: string, readonly key: string, readonly paused: boolean }> };

export type GrantFragment = { readonly user: string, readonly relation: string, readonly object: string, readonly source: string | null | undefined };

export type GrantsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type GrantsQuery = { readonly grants: { readonly edges: ReadonlyArray<{ readonly node: { readonly user: string, readonly relation: string, readonly object: string, readonly source: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type TracedRequestFragment = { readonly requestId: string, readonly traceId: string, readonly at: string, readonly appName: string | null | undefined, readonly route: string | null | undefined, readonly method: string, readonly status: number, readonly durationMs: number, readonly upstreamMs: number | null | undefined, readonly reason: string | null | undefined, readonly caller: string, readonly client: string | null | undefined };

export type RequestsQueryVariables = Exact<{
  appName?: string | null | undefined;
  failed?: boolean | null | undefined;
  slowerThanMs?: number | null | undefined;
  caller?: string | null | undefined;
  method?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type RequestsQuery = { readonly requests: { readonly edges: ReadonlyArray<{ readonly node: { readonly requestId: string, readonly traceId: string, readonly at: string, readonly appName: string | null | undefined, readonly route: string | null | undefined, readonly method: string, readonly status: number, readonly durationMs: number, readonly upstreamMs: number | null | undefined, readonly reason: string | null | undefined, readonly caller: string, readonly client: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type AccountTokenFragment = { readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined };

export type AccountFragment = { readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> };

export type ServiceAccountsQueryVariables = Exact<{ [key: string]: never; }>;


export type ServiceAccountsQuery = { readonly serviceAccounts: ReadonlyArray<{ readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> }> };

export type CreateServiceAccountMutationVariables = Exact<{
  name: string;
  grants?: ReadonlyArray<AccessGrant> | AccessGrant | null | undefined;
  scopes?: ReadonlyArray<string> | string | null | undefined;
  expiresAt?: string | null | undefined;
}>;


export type CreateServiceAccountMutation = { readonly createServiceAccount: { readonly secret: string | null | undefined, readonly account: { readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> }, readonly token: { readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined } } };

export type CreateServiceAccountTokenMutationVariables = Exact<{
  id: string;
  scopes?: ReadonlyArray<string> | string | null | undefined;
  expiresAt?: string | null | undefined;
}>;


export type CreateServiceAccountTokenMutation = { readonly createServiceAccountToken: { readonly secret: string | null | undefined, readonly account: { readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> }, readonly token: { readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined } } };

export type RevokeServiceAccountTokenMutationVariables = Exact<{
  id: string;
  tokenId: string;
}>;


export type RevokeServiceAccountTokenMutation = { readonly revokeServiceAccountToken: string };

export type DeleteServiceAccountMutationVariables = Exact<{
  id: string;
}>;


export type DeleteServiceAccountMutation = { readonly deleteServiceAccount: string };

export type SettingsFragment = { readonly appId: string, readonly values: unknown, readonly schema: unknown, readonly version: number, readonly secretsSet: ReadonlyArray<string>, readonly updatedAt: string | null | undefined, readonly updatedBy: string | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }> };

export type AppIdQueryVariables = Exact<{
  name: string;
}>;


export type AppIdQuery = { readonly app: { readonly id: string } | null | undefined };

export type SettingsQueryVariables = Exact<{
  appID: string;
}>;


export type SettingsQuery = { readonly settings: { readonly appId: string, readonly values: unknown, readonly schema: unknown, readonly version: number, readonly secretsSet: ReadonlyArray<string>, readonly updatedAt: string | null | undefined, readonly updatedBy: string | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }> } | null | undefined };

export type UpdateSettingsMutationVariables = Exact<{
  appID: string;
  settings: unknown;
  expectedVersion?: number | null | undefined;
}>;


export type UpdateSettingsMutation = { readonly updateSettings: { readonly settings: { readonly appId: string, readonly values: unknown, readonly schema: unknown, readonly version: number, readonly secretsSet: ReadonlyArray<string>, readonly updatedAt: string | null | undefined, readonly updatedBy: string | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }> } | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type DeleteSettingsMutationVariables = Exact<{
  appID: string;
  expectedVersion?: number | null | undefined;
}>;


export type DeleteSettingsMutation = { readonly deleteSettings: { readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type SnapshotFragment = { readonly id: string, readonly appVersion: string, readonly reason: SnapshotReason, readonly label: string | null | undefined, readonly actor: string | null | undefined, readonly state: SnapshotState, readonly error: string | null | undefined, readonly pausedMs: number | null | undefined, readonly databaseBytes: number | null | undefined, readonly createdAt: string, readonly finishedAt: string | null | undefined, readonly expiresAt: string | null | undefined, readonly storage: ReadonlyArray<{ readonly name: string, readonly usedBytes: number }> };

export type SnapshotsOfAppQueryVariables = Exact<{
  name: string;
}>;


export type SnapshotsOfAppQuery = { readonly appSnapshots: ReadonlyArray<{ readonly id: string, readonly appVersion: string, readonly reason: SnapshotReason, readonly label: string | null | undefined, readonly actor: string | null | undefined, readonly state: SnapshotState, readonly error: string | null | undefined, readonly pausedMs: number | null | undefined, readonly databaseBytes: number | null | undefined, readonly createdAt: string, readonly finishedAt: string | null | undefined, readonly expiresAt: string | null | undefined, readonly storage: ReadonlyArray<{ readonly name: string, readonly usedBytes: number }> }> };

export type CreateAppSnapshotMutationVariables = Exact<{
  name: string;
  label?: string | null | undefined;
}>;


export type CreateAppSnapshotMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type RestoreAppSnapshotMutationVariables = Exact<{
  name: string;
  snapshot: string;
}>;


export type RestoreAppSnapshotMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type CloneAppMutationVariables = Exact<{
  name: string;
  snapshot: string;
  as: string;
}>;


export type CloneAppMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type DeleteAppSnapshotMutationVariables = Exact<{
  name: string;
  snapshot: string;
}>;


export type DeleteAppSnapshotMutation = { readonly result: { readonly id: string | null | undefined, readonly app: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly revision: number, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly updatedAt: string, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly lastError: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined, readonly api: { readonly publicUrl: string } | null | undefined, readonly ui: { readonly routeBase: string, readonly entryAsset: { readonly url: string } } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly reason: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type TraceQueryVariables = Exact<{
  id: string;
}>;


export type TraceQuery = { readonly trace: { readonly id: string, readonly traceIds: ReadonlyArray<string>, readonly requestIds: ReadonlyArray<string>, readonly logsIncomplete: ReadonlyArray<string>, readonly truncated: boolean, readonly hidden: ReadonlyArray<string>, readonly requests: ReadonlyArray<{ readonly requestId: string, readonly traceId: string, readonly at: string, readonly appName: string | null | undefined, readonly route: string | null | undefined, readonly method: string, readonly status: number, readonly durationMs: number, readonly upstreamMs: number | null | undefined, readonly reason: string | null | undefined, readonly caller: string, readonly client: string | null | undefined }>, readonly hookEvents: ReadonlyArray<{ readonly id: string, readonly hookName: string, readonly sourceApp: string | null | undefined, readonly triggeredAt: string, readonly triggeredBy: string | null | undefined, readonly traceId: string | null | undefined }>, readonly deliveries: ReadonlyArray<{ readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> }>, readonly runs: ReadonlyArray<{ readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined }>, readonly events: ReadonlyArray<{ readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly data: unknown, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly sequence: number }>, readonly audit: ReadonlyArray<{ readonly id: string, readonly at: string, readonly actor: string, readonly client: string | null | undefined, readonly action: string, readonly target: string, readonly outcome: string, readonly details: unknown, readonly traceId: string | null | undefined }>, readonly logs: ReadonlyArray<{ readonly appName: string, readonly time: string, readonly stream: LogStream, readonly text: string, readonly isCut: boolean, readonly container: string, readonly generation: number }> } | null | undefined };

export type PipelineFragment = { readonly id: string, readonly account: string, readonly accountId: string, readonly provider: PipelineProvider, readonly apps: ReadonlyArray<string>, readonly repository: string | null | undefined, readonly repositoryId: string | null | undefined, readonly ref: string | null | undefined, readonly environment: string | null | undefined, readonly issuer: string, readonly audience: string, readonly createdBy: string, readonly createdAt: string, readonly usedAt: string | null | undefined, readonly claims: ReadonlyArray<{ readonly name: string, readonly value: string }> };

export type TrustedPipelinesQueryVariables = Exact<{ [key: string]: never; }>;


export type TrustedPipelinesQuery = { readonly trustedPipelines: ReadonlyArray<{ readonly id: string, readonly account: string, readonly accountId: string, readonly provider: PipelineProvider, readonly apps: ReadonlyArray<string>, readonly repository: string | null | undefined, readonly repositoryId: string | null | undefined, readonly ref: string | null | undefined, readonly environment: string | null | undefined, readonly issuer: string, readonly audience: string, readonly createdBy: string, readonly createdAt: string, readonly usedAt: string | null | undefined, readonly claims: ReadonlyArray<{ readonly name: string, readonly value: string }> }> };

export type TrustPipelineMutationVariables = Exact<{
  account: string;
  provider: PipelineProvider;
  apps: ReadonlyArray<string> | string;
  repository?: string | null | undefined;
  repositoryId?: string | null | undefined;
  ref?: string | null | undefined;
  environment?: string | null | undefined;
  issuer?: string | null | undefined;
  audience?: string | null | undefined;
  claims?: ReadonlyArray<PipelineClaimInput> | PipelineClaimInput | null | undefined;
}>;


export type TrustPipelineMutation = { readonly trustPipeline: { readonly id: string, readonly account: string, readonly accountId: string, readonly provider: PipelineProvider, readonly apps: ReadonlyArray<string>, readonly repository: string | null | undefined, readonly repositoryId: string | null | undefined, readonly ref: string | null | undefined, readonly environment: string | null | undefined, readonly issuer: string, readonly audience: string, readonly createdBy: string, readonly createdAt: string, readonly usedAt: string | null | undefined, readonly claims: ReadonlyArray<{ readonly name: string, readonly value: string }> } };

export type DistrustPipelineMutationVariables = Exact<{
  id: string;
}>;


export type DistrustPipelineMutation = { readonly distrustPipeline: string };

export const AccessRequestsDocument = `
    query AccessRequests($own: Boolean!, $first: Int, $after: String) {
  accessRequests(own: $own, first: $first, after: $after) {
    edges {
      node {
        ...AccessRequest
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment AccessRequest on AccessRequest {
  id
  person {
    ...Person
  }
  appName
  access
  reason
  state
  requestedAt
}
fragment Person on Subject {
  id
  displayName
}` as Document<AccessRequestsQuery, AccessRequestsQueryVariables>;
export const RequestAccessDocument = `
    mutation RequestAccess($appName: String!, $access: String!, $reason: String) {
  requestAccess(appName: $appName, access: $access, reason: $reason) {
    ...AccessRequest
  }
}
    fragment AccessRequest on AccessRequest {
  id
  person {
    ...Person
  }
  appName
  access
  reason
  state
  requestedAt
}
fragment Person on Subject {
  id
  displayName
}` as Document<RequestAccessMutation, RequestAccessMutationVariables>;
export const DecideAccessRequestDocument = `
    mutation DecideAccessRequest($id: ID!, $decision: AccessDecision!) {
  decideAccessRequest(id: $id, decision: $decision) {
    ...AccessRequest
  }
}
    fragment AccessRequest on AccessRequest {
  id
  person {
    ...Person
  }
  appName
  access
  reason
  state
  requestedAt
}
fragment Person on Subject {
  id
  displayName
}` as Document<DecideAccessRequestMutation, DecideAccessRequestMutationVariables>;
export const RolesDocument = `
    query Roles {
  roles {
    id
    isAdministrator
    assignees {
      ...Person
    }
  }
}
    fragment Person on Subject {
  id
  displayName
}` as Document<RolesQuery, RolesQueryVariables>;
export const GroupsDocument = `
    query Groups {
  groups {
    id
    name
    members {
      ...Person
    }
  }
}
    fragment Person on Subject {
  id
  displayName
}` as Document<GroupsQuery, GroupsQueryVariables>;
export const InvitePersonDocument = `
    mutation InvitePerson($email: String!, $name: String, $roles: [String!], $validHours: Int, $withLink: Boolean) {
  invitePerson(
    email: $email
    name: $name
    roles: $roles
    validHours: $validHours
    withLink: $withLink
  ) {
    subject {
      ...Person
    }
    link
    expiresAt
  }
}
    fragment Person on Subject {
  id
  displayName
}` as Document<InvitePersonMutation, InvitePersonMutationVariables>;
export const PermissionHoldersDocument = `
    query PermissionHolders($permission: String!, $appName: String) {
  permissionHolders(permission: $permission, appName: $appName) {
    subject {
      ...Person
    }
    via {
      ...Tuple
    }
  }
}
    fragment Tuple on AccessTuple {
  user
  relation
  object
}
fragment Person on Subject {
  id
  displayName
}` as Document<PermissionHoldersQuery, PermissionHoldersQueryVariables>;
export const HeldPermissionsDocument = `
    query HeldPermissions($subject: String!) {
  heldPermissions(subject: $subject) {
    permission
    appName
    via {
      ...Tuple
    }
  }
}
    fragment Tuple on AccessTuple {
  user
  relation
  object
}` as Document<HeldPermissionsQuery, HeldPermissionsQueryVariables>;
export const AppMembersDocument = `
    query AppMembers($appName: String!) {
  appMembers(appName: $appName) {
    relation
    subject {
      ...Person
    }
  }
}
    fragment Person on Subject {
  id
  displayName
}` as Document<AppMembersQuery, AppMembersQueryVariables>;
export const PeopleDocument = `
    query People($search: String, $first: Int) {
  people(search: $search, first: $first) {
    ...Person
  }
}
    fragment Person on Subject {
  id
  displayName
}` as Document<PeopleQuery, PeopleQueryVariables>;
export const GrantAccessDocument = `
    mutation GrantAccess($user: String!, $relation: String!, $object: String!) {
  grantAccess(user: $user, relation: $relation, object: $object) {
    ...Tuple
  }
}
    fragment Tuple on AccessTuple {
  user
  relation
  object
}` as Document<GrantAccessMutation, GrantAccessMutationVariables>;
export const RevokeAccessDocument = `
    mutation RevokeAccess($user: String!, $relation: String!, $object: String!) {
  revokeAccess(user: $user, relation: $relation, object: $object) {
    ...Tuple
  }
}
    fragment Tuple on AccessTuple {
  user
  relation
  object
}` as Document<RevokeAccessMutation, RevokeAccessMutationVariables>;
export const PersonAccountDocument = `
    query PersonAccount($id: ID!) {
  personAccount(id: $id) {
    id
    state
    createdAt
  }
}
    ` as Document<PersonAccountQuery, PersonAccountQueryVariables>;
export const PersonRecordsDocument = `
    query PersonRecords($id: ID!) {
  personRecords(id: $id)
}
    ` as Document<PersonRecordsQuery, PersonRecordsQueryVariables>;
export const SetPersonActiveDocument = `
    mutation SetPersonActive($id: ID!, $isActive: Boolean!) {
  setPersonActive(id: $id, isActive: $isActive) {
    id
    state
    createdAt
  }
}
    ` as Document<SetPersonActiveMutation, SetPersonActiveMutationVariables>;
export const RemovePersonDocument = `
    mutation RemovePerson($id: ID!) {
  removePerson(id: $id)
}
    ` as Document<RemovePersonMutation, RemovePersonMutationVariables>;
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
export const AppsDocument = `
    query Apps($states: [AppState!], $first: Int, $after: String) {
  apps(filter: { states: $states }, first: $first, after: $after) {
    edges {
      node {
        ...App
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}` as Document<AppsQuery, AppsQueryVariables>;
export const AppRowsDocument = `
    query AppRows($states: [AppState!], $first: Int, $after: String) {
  apps(filter: { states: $states }, first: $first, after: $after) {
    edges {
      node {
        ...AppRow
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment AppRow on App {
  name
  version
  availableVersion
  state
  health
  asleepSince
}` as Document<AppRowsQuery, AppRowsQueryVariables>;
export const AppNamesDocument = `
    query AppNames($first: Int!) {
  apps(first: $first) {
    edges {
      node {
        name
      }
    }
  }
}
    ` as Document<AppNamesQuery, AppNamesQueryVariables>;
export const AppDocument = `
    query App($name: String!) {
  app(name: $name) {
    ...App
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}` as Document<AppQuery, AppQueryVariables>;
export const DescribedAppDocument = `
    query DescribedApp($name: String!) {
  app(name: $name) {
    ...App
    releases {
      version
      isCurrent
      source {
        ...Source
      }
    }
    image {
      digest
    }
    conditions {
      type
      status
      reason
      message
      lastTransitionTime
    }
    deployment {
      id
      appVersion
      generation
      state
      healthStatus
      driver
      image
      imageDigest
      containerName
      containerId
      endpoint
      restartCount
      outOfDate
      wantedInstances
      instances {
        id
        place
        ready
        startedAt
        restarts
        lastEnd {
          at
          exitCode
          cause
        }
        problem
      }
      lastError {
        ...Problem
      }
      reason
      lastCrash {
        at
        exitCode
        output
      }
      limits {
        memoryMb
        cpuShares
        pids
      }
      healthCheck {
        path
        intervalMs
        timeoutMs
        threshold
      }
      createdAt
      updatedAt
    }
    deploymentEvents {
      deploymentId
      from
      to
      error {
        ...Problem
      }
      at
    }
    storage {
      ...Storage
    }
    database {
      usedBytes
      limitBytes
      fullSince
      measuredAt
    }
    history {
      from
      to
      reason
      actor
      at
    }
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Storage on AppStorage {
  name
  mountPath
  size
  declared
  createdAt
  usedBytes
  measuredAt
}
fragment Source on ReleaseSource {
  provider
  repository
  commit
  ref
  runUrl
}` as Document<DescribedAppQuery, DescribedAppQueryVariables>;
export const StorageOfAppDocument = `
    query StorageOfApp($name: String!) {
  app(name: $name) {
    storage {
      ...Storage
    }
  }
}
    fragment Storage on AppStorage {
  name
  mountPath
  size
  declared
  createdAt
  usedBytes
  measuredAt
}` as Document<StorageOfAppQuery, StorageOfAppQueryVariables>;
export const VersionsOfAppDocument = `
    query VersionsOfApp($name: String!) {
  app(name: $name) {
    releases {
      version
      revision
      manifestDigest
      imageDigest
      registeredAt
      registeredBy
      source {
        ...Source
      }
      servedAt
      isCurrent
    }
    versionHistory {
      kind
      fromVersion
      version
      manifestDigest
      actor
      reason
      at
    }
  }
}
    fragment Source on ReleaseSource {
  provider
  repository
  commit
  ref
  runUrl
}` as Document<VersionsOfAppQuery, VersionsOfAppQueryVariables>;
export const AssetsOfAppDocument = `
    query AssetsOfApp($name: String!) {
  app(name: $name) {
    assets {
      ...Asset
    }
  }
}
    fragment Asset on Asset {
  name
  mimeType
  size
  sha256
  integrity
  etag
  url
  signatureAlgorithm
}` as Document<AssetsOfAppQuery, AssetsOfAppQueryVariables>;
export const AssetDocument = `
    query Asset($appName: String!, $assetName: String!) {
  asset(appName: $appName, assetName: $assetName) {
    ...Asset
  }
}
    fragment Asset on Asset {
  name
  mimeType
  size
  sha256
  integrity
  etag
  url
  signatureAlgorithm
}` as Document<AssetQuery, AssetQueryVariables>;
export const AuditLogDocument = `
    query AuditLog($actor: String, $client: String, $action: String, $target: String, $outcome: String, $since: DateTime, $until: DateTime, $first: Int, $after: String) {
  auditLog(
    actor: $actor
    client: $client
    action: $action
    target: $target
    outcome: $outcome
    since: $since
    until: $until
    first: $first
    after: $after
  ) {
    edges {
      node {
        ...AuditEntry
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment AuditEntry on AuditEntry {
  id
  at
  actor
  client
  action
  target
  outcome
  details
  traceId
}` as Document<AuditLogQuery, AuditLogQueryVariables>;
export const OperationDocument = `
    query Operation($id: ID!) {
  operation(id: $id) {
    ...Operation
  }
}
    fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}` as Document<OperationQuery, OperationQueryVariables>;
export const OperationProgressDocument = `
    subscription OperationProgress($id: ID!) {
  operationProgress(id: $id) {
    ...Operation
  }
}
    fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}` as Document<OperationProgressSubscription, OperationProgressSubscriptionVariables>;
export const InstallPlanDocument = `
    query InstallPlan($name: String!, $version: String, $withDependencies: Boolean) {
  installPlan(name: $name, version: $version, withDependencies: $withDependencies) {
    image {
      digest
    }
    steps {
      ...Step
    }
    blockers {
      ...Problem
    }
    warnings {
      ...Problem
    }
    approvalsNeeded {
      ...NeededApproval
    }
    digest
  }
}
    fragment Problem on Problem {
  code
  message
  details
}
fragment Step on PlanStep {
  action
  appName
  version
  manifestDigest
  image {
    digest
  }
  reason
}
fragment NeededApproval on AppPermission {
  scope
  resourceType
  reason
}` as Document<InstallPlanQuery, InstallPlanQueryVariables>;
export const UpgradePlanDocument = `
    query UpgradePlan($name: String!, $version: String) {
  upgradePlan(name: $name, version: $version) {
    image {
      digest
    }
    steps {
      ...Step
    }
    blockers {
      ...Problem
    }
    warnings {
      ...Problem
    }
    approvalsNeeded {
      ...NeededApproval
    }
    differences
    digest
  }
}
    fragment Problem on Problem {
  code
  message
  details
}
fragment Step on PlanStep {
  action
  appName
  version
  manifestDigest
  image {
    digest
  }
  reason
}
fragment NeededApproval on AppPermission {
  scope
  resourceType
  reason
}` as Document<UpgradePlanQuery, UpgradePlanQueryVariables>;
export const InstallAppDocument = `
    mutation InstallApp($name: String!, $withDependencies: Boolean, $planDigest: String) {
  result: installApp(
    name: $name
    withDependencies: $withDependencies
    planDigest: $planDigest
  ) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<InstallAppMutation, InstallAppMutationVariables>;
export const UpgradeAppDocument = `
    mutation UpgradeApp($name: String!, $version: String, $planDigest: String) {
  result: upgradeApp(name: $name, version: $version, planDigest: $planDigest) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<UpgradeAppMutation, UpgradeAppMutationVariables>;
export const RollbackAppDocument = `
    mutation RollbackApp($name: String!, $version: String, $planDigest: String, $withData: Boolean) {
  result: rollbackApp(
    name: $name
    version: $version
    planDigest: $planDigest
    withData: $withData
  ) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<RollbackAppMutation, RollbackAppMutationVariables>;
export const RedeployAppDocument = `
    mutation RedeployApp($name: String!, $pull: Boolean) {
  result: redeployApp(name: $name, pull: $pull) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<RedeployAppMutation, RedeployAppMutationVariables>;
export const UninstallAppDocument = `
    mutation UninstallApp($name: String!, $purgeData: Boolean) {
  result: uninstallApp(name: $name, purgeData: $purgeData) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<UninstallAppMutation, UninstallAppMutationVariables>;
export const SetAppEnabledDocument = `
    mutation SetAppEnabled($name: String!, $enabled: Boolean!) {
  result: setAppEnabled(name: $name, enabled: $enabled) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<SetAppEnabledMutation, SetAppEnabledMutationVariables>;
export const RestartAppDocument = `
    mutation RestartApp($name: String!) {
  result: restartApp(name: $name) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<RestartAppMutation, RestartAppMutationVariables>;
export const DeleteAppDocument = `
    mutation DeleteApp($name: String!) {
  result: deleteApp(name: $name) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<DeleteAppMutation, DeleteAppMutationVariables>;
export const DeleteStorageDocument = `
    mutation DeleteStorage($name: String!, $storage: String!) {
  result: deleteStorage(name: $name, storage: $storage) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<DeleteStorageMutation, DeleteStorageMutationVariables>;
export const ReplaceKeyDocument = `
    mutation ReplaceKey($name: String!, $certificate: String!) {
  result: replaceKey(name: $name, certificate: $certificate) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<ReplaceKeyMutation, ReplaceKeyMutationVariables>;
export const RevokePermissionsDocument = `
    mutation RevokePermissions($name: String!, $scopes: [String!]!) {
  result: revokePermissions(name: $name, scopes: $scopes) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<RevokePermissionsMutation, RevokePermissionsMutationVariables>;
export const ApprovePermissionsDocument = `
    mutation ApprovePermissions($name: String!, $scopes: [String!]!, $manifestDigest: String) {
  result: approvePermissions(
    name: $name
    scopes: $scopes
    manifestDigest: $manifestDigest
  ) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<ApprovePermissionsMutation, ApprovePermissionsMutationVariables>;
export const SystemEventsDocument = `
    query SystemEvents($types: [SystemEventType!], $appName: String, $first: Int, $after: String) {
  systemEvents(types: $types, appName: $appName, first: $first, after: $after) {
    edges {
      node {
        ...Event
      }
    }
    pageInfo {
      hasNextPage
      endCursor
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
export const AppLogDocument = `
    subscription AppLog($name: String!, $tail: Int, $since: DateTime, $follow: Boolean, $instance: String) {
  appLog(
    name: $name
    tail: $tail
    since: $since
    follow: $follow
    instance: $instance
  ) {
    container
    generation
    instance
    isStart
    linesLeftOut
    lines {
      ...LogLine
    }
  }
}
    fragment LogLine on AppLogLine {
  time
  stream
  text
  isCut
  container
  generation
  instance
}` as Document<AppLogSubscription, AppLogSubscriptionVariables>;
export const MetricsDocument = `
    query Metrics($appName: String, $minutes: Int) {
  metrics(appName: $appName, minutes: $minutes) {
    apps
    proxy
    resources
    hooks
    activities
    process
    sampledAt
  }
}
    ` as Document<MetricsQuery, MetricsQueryVariables>;
export const NotificationTargetsDocument = `
    query NotificationTargets {
  notificationTargets {
    ...Target
  }
}
    fragment Target on NotificationTarget {
  id
  name
  kind
  address
  types
  isEnabled
  isConfigured
  createdAt
  createdBy
  waiting
  deadLetters
}` as Document<NotificationTargetsQuery, NotificationTargetsQueryVariables>;
export const NotificationDeliveriesDocument = `
    query NotificationDeliveries($targetId: ID!, $status: DeliveryStatus, $first: Int, $after: String) {
  notificationDeliveries(
    targetId: $targetId
    status: $status
    first: $first
    after: $after
  ) {
    edges {
      node {
        ...TargetDelivery
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment TargetDelivery on NotificationDelivery {
  id
  eventId
  type
  status
  attempt
  nextAttemptAt
  updatedAt
  error {
    code
    message
  }
}` as Document<NotificationDeliveriesQuery, NotificationDeliveriesQueryVariables>;
export const IncidentsDocument = `
    query Incidents($isOpen: Boolean, $first: Int, $after: String) {
  incidents(isOpen: $isOpen, first: $first, after: $after) {
    edges {
      node {
        id
        kind
        subject
        appName
        message
        openedAt
        closedAt
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    ` as Document<IncidentsQuery, IncidentsQueryVariables>;
export const CreateNotificationTargetDocument = `
    mutation CreateNotificationTarget($name: String!, $kind: NotificationTargetKind!, $url: String, $addresses: [String!], $types: [SystemEventType!]) {
  createNotificationTarget(
    name: $name
    kind: $kind
    url: $url
    addresses: $addresses
    types: $types
  ) {
    target {
      ...Target
    }
    secret
  }
}
    fragment Target on NotificationTarget {
  id
  name
  kind
  address
  types
  isEnabled
  isConfigured
  createdAt
  createdBy
  waiting
  deadLetters
}` as Document<CreateNotificationTargetMutation, CreateNotificationTargetMutationVariables>;
export const UpdateNotificationTargetDocument = `
    mutation UpdateNotificationTarget($id: ID!, $name: String, $url: String, $addresses: [String!], $types: [SystemEventType!], $isEnabled: Boolean) {
  updateNotificationTarget(
    id: $id
    name: $name
    url: $url
    addresses: $addresses
    types: $types
    isEnabled: $isEnabled
  ) {
    ...Target
  }
}
    fragment Target on NotificationTarget {
  id
  name
  kind
  address
  types
  isEnabled
  isConfigured
  createdAt
  createdBy
  waiting
  deadLetters
}` as Document<UpdateNotificationTargetMutation, UpdateNotificationTargetMutationVariables>;
export const DeleteNotificationTargetDocument = `
    mutation DeleteNotificationTarget($id: ID!) {
  deleteNotificationTarget(id: $id)
}
    ` as Document<DeleteNotificationTargetMutation, DeleteNotificationTargetMutationVariables>;
export const TestNotificationTargetDocument = `
    mutation TestNotificationTarget($id: ID!) {
  testNotificationTarget(id: $id) {
    isDelivered
    error
    durationMs
  }
}
    ` as Document<TestNotificationTargetMutation, TestNotificationTargetMutationVariables>;
export const ResendNotificationDeliveryDocument = `
    mutation ResendNotificationDelivery($id: ID!) {
  resendNotificationDelivery(id: $id) {
    ...TargetDelivery
  }
}
    fragment TargetDelivery on NotificationDelivery {
  id
  eventId
  type
  status
  attempt
  nextAttemptAt
  updatedAt
  error {
    code
    message
  }
}` as Document<ResendNotificationDeliveryMutation, ResendNotificationDeliveryMutationVariables>;
export const FileAppsDocument = `
    query FileApps($first: Int, $after: String) {
  apps(first: $first, after: $after) {
    edges {
      node {
        ...FileApp
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment FileApp on App {
  id
  name
  version
  manifestDigest
  certificateFingerprint
  availableVersion
  availableDigest
  state
  enabled
  installedAt
  requiredPermissions {
    scope
    resourceType
    reason
    requiresApproval
    approved
  }
  dependencies {
    appName
    kind
  }
}` as Document<FileAppsQuery, FileAppsQueryVariables>;
export const ReleaseDigestsDocument = `
    query ReleaseDigests($name: String!) {
  app(name: $name) {
    releases {
      manifestDigest
    }
  }
}
    ` as Document<ReleaseDigestsQuery, ReleaseDigestsQueryVariables>;
export const StoredSettingsDocument = `
    query StoredSettings($appID: ID!) {
  settings(appID: $appID) {
    stored
    secretsSet
    version
  }
}
    ` as Document<StoredSettingsQuery, StoredSettingsQueryVariables>;
export const SettingFormsDocument = `
    query SettingForms($appID: ID!) {
  settings(appID: $appID) {
    schema
  }
}
    ` as Document<SettingFormsQuery, SettingFormsQueryVariables>;
export const FileAppDocument = `
    query FileApp($name: String!) {
  app(name: $name) {
    ...FileApp
  }
}
    fragment FileApp on App {
  id
  name
  version
  manifestDigest
  certificateFingerprint
  availableVersion
  availableDigest
  state
  enabled
  installedAt
  requiredPermissions {
    scope
    resourceType
    reason
    requiresApproval
    approved
  }
  dependencies {
    appName
    kind
  }
}` as Document<FileAppQuery, FileAppQueryVariables>;
export const SchedulePausesDocument = `
    query SchedulePauses($appName: String) {
  activitySchedules(appName: $appName) {
    id
    appName
    activity
    key
    paused
  }
}
    ` as Document<SchedulePausesQuery, SchedulePausesQueryVariables>;
export const GrantsDocument = `
    query Grants($first: Int, $after: String) {
  grants(first: $first, after: $after) {
    edges {
      node {
        ...Grant
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Grant on AccessTuple {
  user
  relation
  object
  source
}` as Document<GrantsQuery, GrantsQueryVariables>;
export const RequestsDocument = `
    query Requests($appName: String, $failed: Boolean, $slowerThanMs: Int, $caller: String, $method: String, $since: DateTime, $until: DateTime, $first: Int, $after: String) {
  requests(
    appName: $appName
    failed: $failed
    slowerThanMs: $slowerThanMs
    caller: $caller
    method: $method
    since: $since
    until: $until
    first: $first
    after: $after
  ) {
    edges {
      node {
        ...TracedRequest
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment TracedRequest on TracedRequest {
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
  client
}` as Document<RequestsQuery, RequestsQueryVariables>;
export const ServiceAccountsDocument = `
    query ServiceAccounts {
  serviceAccounts {
    ...Account
  }
}
    fragment AccountToken on ServiceAccountToken {
  id
  scopes
  createdBy
  createdAt
  expiresAt
  usedAt
}
fragment Account on ServiceAccount {
  id
  subject
  name
  createdBy
  createdAt
  tokens {
    ...AccountToken
  }
}` as Document<ServiceAccountsQuery, ServiceAccountsQueryVariables>;
export const CreateServiceAccountDocument = `
    mutation CreateServiceAccount($name: String!, $grants: [AccessGrant!], $scopes: [String!], $expiresAt: DateTime) {
  createServiceAccount(
    name: $name
    grants: $grants
    scopes: $scopes
    expiresAt: $expiresAt
  ) {
    account {
      ...Account
    }
    token {
      ...AccountToken
    }
    secret
  }
}
    fragment AccountToken on ServiceAccountToken {
  id
  scopes
  createdBy
  createdAt
  expiresAt
  usedAt
}
fragment Account on ServiceAccount {
  id
  subject
  name
  createdBy
  createdAt
  tokens {
    ...AccountToken
  }
}` as Document<CreateServiceAccountMutation, CreateServiceAccountMutationVariables>;
export const CreateServiceAccountTokenDocument = `
    mutation CreateServiceAccountToken($id: ID!, $scopes: [String!], $expiresAt: DateTime) {
  createServiceAccountToken(id: $id, scopes: $scopes, expiresAt: $expiresAt) {
    account {
      ...Account
    }
    token {
      ...AccountToken
    }
    secret
  }
}
    fragment AccountToken on ServiceAccountToken {
  id
  scopes
  createdBy
  createdAt
  expiresAt
  usedAt
}
fragment Account on ServiceAccount {
  id
  subject
  name
  createdBy
  createdAt
  tokens {
    ...AccountToken
  }
}` as Document<CreateServiceAccountTokenMutation, CreateServiceAccountTokenMutationVariables>;
export const RevokeServiceAccountTokenDocument = `
    mutation RevokeServiceAccountToken($id: ID!, $tokenId: ID!) {
  revokeServiceAccountToken(id: $id, tokenId: $tokenId)
}
    ` as Document<RevokeServiceAccountTokenMutation, RevokeServiceAccountTokenMutationVariables>;
export const DeleteServiceAccountDocument = `
    mutation DeleteServiceAccount($id: ID!) {
  deleteServiceAccount(id: $id)
}
    ` as Document<DeleteServiceAccountMutation, DeleteServiceAccountMutationVariables>;
export const AppIdDocument = `
    query AppId($name: String!) {
  app(name: $name) {
    id
  }
}
    ` as Document<AppIdQuery, AppIdQueryVariables>;
export const SettingsDocument = `
    query Settings($appID: ID!) {
  settings(appID: $appID) {
    ...Settings
  }
}
    fragment Settings on Settings {
  appId
  values
  schema
  version
  secretsSet
  updatedAt
  updatedBy
  conditions {
    type
    status
    reason
    message
    lastTransitionTime
  }
}` as Document<SettingsQuery, SettingsQueryVariables>;
export const UpdateSettingsDocument = `
    mutation UpdateSettings($appID: ID!, $settings: JSON!, $expectedVersion: Int) {
  updateSettings(
    appID: $appID
    settings: $settings
    expectedVersion: $expectedVersion
  ) {
    settings {
      ...Settings
    }
    error {
      ...Problem
    }
  }
}
    fragment Problem on Problem {
  code
  message
  details
}
fragment Settings on Settings {
  appId
  values
  schema
  version
  secretsSet
  updatedAt
  updatedBy
  conditions {
    type
    status
    reason
    message
    lastTransitionTime
  }
}` as Document<UpdateSettingsMutation, UpdateSettingsMutationVariables>;
export const DeleteSettingsDocument = `
    mutation DeleteSettings($appID: ID!, $expectedVersion: Int) {
  deleteSettings(appID: $appID, expectedVersion: $expectedVersion) {
    error {
      ...Problem
    }
  }
}
    fragment Problem on Problem {
  code
  message
  details
}` as Document<DeleteSettingsMutation, DeleteSettingsMutationVariables>;
export const SnapshotsOfAppDocument = `
    query SnapshotsOfApp($name: String!) {
  appSnapshots(name: $name) {
    ...Snapshot
  }
}
    fragment Snapshot on AppSnapshot {
  id
  appVersion
  reason
  label
  actor
  state
  error
  pausedMs
  databaseBytes
  storage {
    name
    usedBytes
  }
  createdAt
  finishedAt
  expiresAt
}` as Document<SnapshotsOfAppQuery, SnapshotsOfAppQueryVariables>;
export const CreateAppSnapshotDocument = `
    mutation CreateAppSnapshot($name: String!, $label: String) {
  result: createAppSnapshot(name: $name, label: $label) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<CreateAppSnapshotMutation, CreateAppSnapshotMutationVariables>;
export const RestoreAppSnapshotDocument = `
    mutation RestoreAppSnapshot($name: String!, $snapshot: ID!) {
  result: restoreAppSnapshot(name: $name, snapshot: $snapshot) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<RestoreAppSnapshotMutation, RestoreAppSnapshotMutationVariables>;
export const CloneAppDocument = `
    mutation CloneApp($name: String!, $snapshot: ID!, $as: String!) {
  result: cloneApp(name: $name, snapshot: $snapshot, as: $as) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<CloneAppMutation, CloneAppMutationVariables>;
export const DeleteAppSnapshotDocument = `
    mutation DeleteAppSnapshot($name: String!, $snapshot: ID!) {
  result: deleteAppSnapshot(name: $name, snapshot: $snapshot) {
    ...CommandResult
  }
}
    fragment App on App {
  id
  name
  displayName
  description
  version
  revision
  availableVersion
  availableDigest
  state
  enabled
  health
  asleepSince
  registeredAt
  installedAt
  updatedAt
  manifestDigest
  certificateFingerprint
  certificateExpiresAt
  lastError {
    ...Problem
  }
  api {
    publicUrl
  }
  ui {
    routeBase
    entryAsset {
      url
    }
  }
}
fragment Problem on Problem {
  code
  message
  details
}
fragment Operation on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  error {
    ...Problem
  }
  reason
  startedAt
  finishedAt
}
fragment CommandResult on AppMutationResult {
  id
  app {
    ...App
  }
  operation {
    ...Operation
  }
  warnings {
    ...Problem
  }
  error {
    ...Problem
  }
}` as Document<DeleteAppSnapshotMutation, DeleteAppSnapshotMutationVariables>;
export const TraceDocument = `
    query Trace($id: String!) {
  trace(id: $id) {
    id
    traceIds
    requestIds
    requests {
      ...TracedRequest
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
  client
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
}
fragment TracedRequest on TracedRequest {
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
  client
}` as Document<TraceQuery, TraceQueryVariables>;
export const TrustedPipelinesDocument = `
    query TrustedPipelines {
  trustedPipelines {
    ...Pipeline
  }
}
    fragment Pipeline on TrustedPipeline {
  id
  account
  accountId
  provider
  apps
  repository
  repositoryId
  ref
  environment
  issuer
  audience
  claims {
    name
    value
  }
  createdBy
  createdAt
  usedAt
}` as Document<TrustedPipelinesQuery, TrustedPipelinesQueryVariables>;
export const TrustPipelineDocument = `
    mutation TrustPipeline($account: String!, $provider: PipelineProvider!, $apps: [String!]!, $repository: String, $repositoryId: String, $ref: String, $environment: String, $issuer: String, $audience: String, $claims: [PipelineClaimInput!]) {
  trustPipeline(
    account: $account
    provider: $provider
    apps: $apps
    repository: $repository
    repositoryId: $repositoryId
    ref: $ref
    environment: $environment
    issuer: $issuer
    audience: $audience
    claims: $claims
  ) {
    ...Pipeline
  }
}
    fragment Pipeline on TrustedPipeline {
  id
  account
  accountId
  provider
  apps
  repository
  repositoryId
  ref
  environment
  issuer
  audience
  claims {
    name
    value
  }
  createdBy
  createdAt
  usedAt
}` as Document<TrustPipelineMutation, TrustPipelineMutationVariables>;
export const DistrustPipelineDocument = `
    mutation DistrustPipeline($id: ID!) {
  distrustPipeline(id: $id)
}
    ` as Document<DistrustPipelineMutation, DistrustPipelineMutationVariables>;