// Generated from the operations in apps/console/web by `npm run generate`. Do not edit.
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

export type UiMode =
  | 'FEDERATION'
  | 'WEB_COMPONENT'
  | 'ESM_COMPONENT';

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

export type BreakerState =
  | 'CLOSED'
  | 'OPEN'
  | 'HALF_OPEN';

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

/**
 * What an app waits for. `APPROVAL`: a permission is not approved. `CONDITION`: one of its conditions is False. `CERTIFICATE`: its
 * certificate expires within 30 days, or has expired.
 */
export type AppNeed =
  | 'APPROVAL'
  | 'CONDITION'
  | 'CERTIFICATE';

/** Apps that are equal in it are in the order of their names. `UPDATED`: by the time of the last change. */
export type AppOrder =
  | 'NAME'
  | 'STATE'
  | 'UPDATED';

/** `INSTALLED` matches every installed app: INSTALLED, RUNNING and UNHEALTHY. `needs`: apps with one of these needs. */
export type AppFilter = {
  readonly names?: ReadonlyArray<string> | null | undefined;
  readonly appNames?: ReadonlyArray<string> | null | undefined;
  readonly states?: ReadonlyArray<AppState> | null | undefined;
  readonly state?: AppState | null | undefined;
  readonly search?: string | null | undefined;
  readonly needs?: ReadonlyArray<AppNeed> | null | undefined;
};

export type SettingSource =
  | 'DEFAULT'
  | 'STORED';

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

export type BackupState =
  /** No process makes it yet. */
  | 'REQUESTED'
  | 'RUNNING'
  | 'COMPLETED'
  | 'FAILED';

export type NotificationTargetKind =
  | 'WEBHOOK'
  | 'SLACK'
  | 'MAIL';

/** What took time in the page of an app: `load`, `long task`, or a name of the page, of at most 64 characters. */
export type PageMark = {
  readonly name: string;
  readonly at: string;
  readonly durationMs: number;
};

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

export type PersonState =
  /** Invited, and not completed yet. */
  | 'INVITED'
  | 'ACTIVE'
  /** Cannot sign in. */
  | 'DISABLED';

export type AccessRequestFragment = { readonly id: string, readonly appName: string, readonly appDisplayName: string, readonly access: string, readonly reason: string | null | undefined, readonly state: AccessRequestState, readonly requestedAt: string, readonly person: { readonly id: string, readonly displayName: string | null | undefined } };

export type ClosedAppsQueryVariables = Exact<{ [key: string]: never; }>;


export type ClosedAppsQuery = { readonly closedApps: ReadonlyArray<{ readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly icon: string | null | undefined, readonly routeBase: string, readonly permissions: ReadonlyArray<string>, readonly hasOpenPages: boolean }> };

export type AccessRequestsQueryVariables = Exact<{
  own: boolean;
  first: number;
  after?: string | null | undefined;
}>;


export type AccessRequestsQuery = { readonly accessRequests: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly appName: string, readonly appDisplayName: string, readonly access: string, readonly reason: string | null | undefined, readonly state: AccessRequestState, readonly requestedAt: string, readonly person: { readonly id: string, readonly displayName: string | null | undefined } } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type RequestAccessMutationVariables = Exact<{
  appName: string;
  access: string;
  reason?: string | null | undefined;
}>;


export type RequestAccessMutation = { readonly requestAccess: { readonly id: string } };

export type DecideAccessRequestMutationVariables = Exact<{
  id: string;
  decision: AccessDecision;
}>;


export type DecideAccessRequestMutation = { readonly decideAccessRequest: { readonly id: string } };

export type TupleFragment = { readonly user: string, readonly relation: string, readonly object: string };

export type SourcedTupleFragment = { readonly source: string | null | undefined, readonly readAt: string | null | undefined, readonly user: string, readonly relation: string, readonly object: string };

export type PersonFragment = { readonly id: string, readonly displayName: string | null | undefined };

export type RolesQueryVariables = Exact<{ [key: string]: never; }>;


export type RolesQuery = { readonly roles: ReadonlyArray<{ readonly id: string, readonly isAdministrator: boolean, readonly assignees: ReadonlyArray<{ readonly id: string, readonly displayName: string | null | undefined }> }> };

export type GroupsQueryVariables = Exact<{ [key: string]: never; }>;


export type GroupsQuery = { readonly groups: ReadonlyArray<{ readonly id: string, readonly name: string, readonly members: ReadonlyArray<{ readonly id: string, readonly displayName: string | null | undefined }> }> };

export type AppMembersQueryVariables = Exact<{
  appName: string;
}>;


export type AppMembersQuery = { readonly appMembers: ReadonlyArray<{ readonly relation: string, readonly subject: { readonly id: string, readonly displayName: string | null | undefined } }> };

export type PermissionHoldersQueryVariables = Exact<{
  permission: string;
  appName?: string | null | undefined;
}>;


export type PermissionHoldersQuery = { readonly permissionHolders: ReadonlyArray<{ readonly subject: { readonly id: string, readonly displayName: string | null | undefined }, readonly via: ReadonlyArray<{ readonly source: string | null | undefined, readonly readAt: string | null | undefined, readonly user: string, readonly relation: string, readonly object: string }> }> };

export type HeldPermissionsQueryVariables = Exact<{
  subject: string;
}>;


export type HeldPermissionsQuery = { readonly heldPermissions: ReadonlyArray<{ readonly permission: string, readonly appName: string | null | undefined, readonly via: ReadonlyArray<{ readonly source: string | null | undefined, readonly readAt: string | null | undefined, readonly user: string, readonly relation: string, readonly object: string }> }> };

export type InvitePersonMutationVariables = Exact<{
  email: string;
  name?: string | null | undefined;
  roles?: ReadonlyArray<string> | string | null | undefined;
  withLink?: boolean | null | undefined;
}>;


export type InvitePersonMutation = { readonly invitePerson: { readonly link: string | null | undefined, readonly expiresAt: string } };

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

export type AccountTokenFragment = { readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined };

export type AccountFragment = { readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> };

export type IssuedTokenFragment = { readonly secret: string | null | undefined, readonly account: { readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> }, readonly token: { readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined } };

export type PipelineFragment = { readonly id: string, readonly accountId: string, readonly provider: PipelineProvider, readonly apps: ReadonlyArray<string>, readonly repository: string | null | undefined, readonly repositoryId: string | null | undefined, readonly ref: string | null | undefined, readonly environment: string | null | undefined, readonly issuer: string, readonly audience: string, readonly createdBy: string, readonly createdAt: string, readonly usedAt: string | null | undefined, readonly claims: ReadonlyArray<{ readonly name: string, readonly value: string }> };

export type TrustedPipelinesQueryVariables = Exact<{ [key: string]: never; }>;


export type TrustedPipelinesQuery = { readonly trustedPipelines: ReadonlyArray<{ readonly id: string, readonly accountId: string, readonly provider: PipelineProvider, readonly apps: ReadonlyArray<string>, readonly repository: string | null | undefined, readonly repositoryId: string | null | undefined, readonly ref: string | null | undefined, readonly environment: string | null | undefined, readonly issuer: string, readonly audience: string, readonly createdBy: string, readonly createdAt: string, readonly usedAt: string | null | undefined, readonly claims: ReadonlyArray<{ readonly name: string, readonly value: string }> }> };

export type DistrustPipelineMutationVariables = Exact<{
  id: string;
}>;


export type DistrustPipelineMutation = { readonly distrustPipeline: string };

export type ServiceAccountsQueryVariables = Exact<{ [key: string]: never; }>;


export type ServiceAccountsQuery = { readonly serviceAccounts: ReadonlyArray<{ readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> }> };

export type CreateServiceAccountMutationVariables = Exact<{
  name: string;
  grants?: ReadonlyArray<AccessGrant> | AccessGrant | null | undefined;
  scopes?: ReadonlyArray<string> | string | null | undefined;
  expiresAt?: string | null | undefined;
}>;


export type CreateServiceAccountMutation = { readonly issued: { readonly secret: string | null | undefined, readonly account: { readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> }, readonly token: { readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined } } };

export type CreateServiceAccountTokenMutationVariables = Exact<{
  id: string;
  scopes?: ReadonlyArray<string> | string | null | undefined;
  expiresAt?: string | null | undefined;
}>;


export type CreateServiceAccountTokenMutation = { readonly issued: { readonly secret: string | null | undefined, readonly account: { readonly id: string, readonly subject: string, readonly name: string, readonly createdBy: string, readonly createdAt: string, readonly tokens: ReadonlyArray<{ readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> }, readonly token: { readonly id: string, readonly scopes: ReadonlyArray<string> | null | undefined, readonly createdBy: string, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined } } };

export type RevokeServiceAccountTokenMutationVariables = Exact<{
  id: string;
  tokenId: string;
}>;


export type RevokeServiceAccountTokenMutation = { readonly revokeServiceAccountToken: string };

export type DeleteServiceAccountMutationVariables = Exact<{
  id: string;
}>;


export type DeleteServiceAccountMutation = { readonly deleteServiceAccount: string };

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


export type SetPersonActiveMutation = { readonly setPersonActive: { readonly id: string } };

export type RemovePersonMutationVariables = Exact<{
  id: string;
}>;


export type RemovePersonMutation = { readonly removePerson: string };

export type RunFragment = { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined };

export type ScheduleFragment = { readonly id: string, readonly appName: string, readonly activity: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined };

export type ActivityRunsQueryVariables = Exact<{
  appName?: string | null | undefined;
  status?: RunStatus | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type ActivityRunsQuery = { readonly activityRuns: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type ActivityRunQueryVariables = Exact<{
  id: string;
}>;


export type ActivityRunQuery = { readonly activityRun: { readonly input: unknown, readonly output: unknown, readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly startedAt: string, readonly finishedAt: string, readonly outcome: RunStatus, readonly error: { readonly code: string, readonly message: string } | null | undefined }>, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } | null | undefined };

export type RunChangesSubscriptionVariables = Exact<{
  runId: string;
}>;


export type RunChangesSubscription = { readonly activityProgress: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type DeclaredActivitiesQueryVariables = Exact<{
  appName: string;
}>;


export type DeclaredActivitiesQuery = { readonly activities: ReadonlyArray<{ readonly name: string, readonly inputSchema: unknown }> };

export type ActivitySchedulesQueryVariables = Exact<{
  appName?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type ActivitySchedulesQuery = { readonly activitySchedules: ReadonlyArray<{ readonly id: string, readonly appName: string, readonly activity: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined }> };

export type TriggerActivityMutationVariables = Exact<{
  appName: string;
  activity: string;
  input?: unknown;
}>;


export type TriggerActivityMutation = { readonly triggerActivity: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type CancelRunMutationVariables = Exact<{
  id: string;
}>;


export type CancelRunMutation = { readonly cancelActivityRun: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type RetryRunMutationVariables = Exact<{
  id: string;
}>;


export type RetryRunMutation = { readonly retryActivityRun: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type SetScheduleEnabledMutationVariables = Exact<{
  id: string;
  enabled: boolean;
}>;


export type SetScheduleEnabledMutation = { readonly setScheduleEnabled: { readonly id: string, readonly appName: string, readonly activity: string, readonly cron: string, readonly timezone: string, readonly enabled: boolean, readonly paused: boolean, readonly nextRunAt: string | null | undefined, readonly lastError: string | null | undefined } };

export type RunScheduleNowMutationVariables = Exact<{
  id: string;
}>;


export type RunScheduleNowMutation = { readonly runScheduleNow: { readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type AgentConsentsQueryVariables = Exact<{ [key: string]: never; }>;


export type AgentConsentsQuery = { readonly agentConsents: ReadonlyArray<{ readonly id: string, readonly clientId: string, readonly clientName: string, readonly apps: ReadonlyArray<string> | null | undefined, readonly isReadOnly: boolean, readonly createdAt: string, readonly expiresAt: string, readonly usedAt: string | null | undefined }> };

export type RevokeAgentConsentMutationVariables = Exact<{
  id: string;
}>;


export type RevokeAgentConsentMutation = { readonly revokeAgentConsent: string };

export type AppCursorsQueryVariables = Exact<{
  filter?: AppFilter | null | undefined;
  order?: AppOrder | null | undefined;
  descending?: boolean | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type AppCursorsQuery = { readonly apps: { readonly edges: ReadonlyArray<{ readonly cursor: string }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type AppRoutesQueryVariables = Exact<{
  name: string;
}>;


export type AppRoutesQuery = { readonly app: { readonly api: { readonly basePath: string, readonly publicUrl: string, readonly upstreamBaseUrl: string, readonly openapiUrl: string | null | undefined, readonly forwardHeaders: ReadonlyArray<string>, readonly breaker: BreakerState, readonly description: { readonly operations: number, readonly problem: string | null | undefined } | null | undefined, readonly routes: ReadonlyArray<{ readonly id: string, readonly pattern: string, readonly methods: ReadonlyArray<string>, readonly scopes: ReadonlyArray<string>, readonly isPublic: boolean, readonly timeoutMs: number, readonly rateLimit: { readonly limit: number, readonly windowSeconds: number, readonly burst: number | null | undefined, readonly keyPattern: string } | null | undefined }> } | null | undefined } | null | undefined };

export type AppMetricsQueryVariables = Exact<{
  name: string;
  minutes: number;
}>;


export type AppMetricsQuery = { readonly metrics: { readonly proxy: unknown, readonly resources: unknown, readonly sampledAt: string } };

export type AppPastQueryVariables = Exact<{
  name: string;
  history: number;
  deploymentEvents: number;
  deploys: number;
}>;


export type AppPastQuery = { readonly app: { readonly history: ReadonlyArray<{ readonly to: AppState, readonly reason: string, readonly actor: string | null | undefined, readonly at: string }>, readonly deploymentEvents: ReadonlyArray<{ readonly deploymentId: string, readonly to: DeploymentState, readonly at: string, readonly error: { readonly code: string, readonly message: string } | null | undefined }>, readonly versionHistory: ReadonlyArray<{ readonly kind: VersionChangeKind, readonly version: string, readonly revision: number, readonly manifestDigest: string, readonly actor: string | null | undefined, readonly at: string }> } | null | undefined };

export type AppAssetsQueryVariables = Exact<{
  name: string;
}>;


export type AppAssetsQuery = { readonly app: { readonly ui: { readonly mode: UiMode, readonly entryAsset: { readonly name: string } } | null | undefined, readonly assets: ReadonlyArray<{ readonly name: string, readonly mimeType: string, readonly size: number, readonly sha256: string, readonly integrity: string, readonly url: string, readonly signatureAlgorithm: string }> } | null | undefined };

export type OperationProgressFragment = { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined };

export type PermissionFragment = { readonly scope: string, readonly resourceType: string, readonly reason: string, readonly requiresApproval: boolean, readonly approved: boolean, readonly approvedBy: string | null | undefined, readonly approvedAt: string | null | undefined };

export type AppQueryVariables = Exact<{
  name: string;
}>;


export type AppQuery = { readonly app: { readonly revision: number, readonly availableDigest: string | null | undefined, readonly registeredAt: string, readonly installedAt: string | null | undefined, readonly manifestDigest: string, readonly certificateFingerprint: string, readonly certificateExpiresAt: string | null | undefined, readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly availableVersion: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly updatedAt: string, readonly image: { readonly digest: string | null | undefined } | null | undefined, readonly requiredPermissions: ReadonlyArray<{ readonly scope: string, readonly resourceType: string, readonly reason: string, readonly requiresApproval: boolean, readonly approved: boolean, readonly approvedBy: string | null | undefined, readonly approvedAt: string | null | undefined }>, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }>, readonly deployment: { readonly state: DeploymentState, readonly healthStatus: HealthState, readonly driver: string, readonly image: string | null | undefined, readonly imageDigest: string | null | undefined, readonly containerName: string | null | undefined, readonly generation: number, readonly restartCount: number, readonly outOfDate: boolean, readonly endpoint: string | null | undefined, readonly reason: string | null | undefined, readonly createdAt: string, readonly updatedAt: string, readonly lastError: { readonly code: string, readonly message: string } | null | undefined, readonly lastCrash: { readonly at: string, readonly exitCode: number | null | undefined, readonly output: ReadonlyArray<string> } | null | undefined } | null | undefined, readonly operation: { readonly id: string, readonly kind: string, readonly stage: string, readonly progress: number, readonly done: boolean, readonly appName: string, readonly version: string, readonly actor: string | null | undefined, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly releases: ReadonlyArray<{ readonly version: string, readonly revision: number, readonly manifestDigest: string, readonly registeredAt: string, readonly registeredBy: string | null | undefined, readonly servedAt: string | null | undefined, readonly isCurrent: boolean, readonly source: { readonly repository: string, readonly commit: string | null | undefined, readonly ref: string | null | undefined, readonly runUrl: string | null | undefined } | null | undefined }>, readonly lastError: { readonly code: string, readonly message: string } | null | undefined } | null | undefined };

export type AppOperationQueryVariables = Exact<{
  name: string;
}>;


export type AppOperationQuery = { readonly app: { readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined } | null | undefined };

export type OperationChangesSubscriptionVariables = Exact<{
  id: string;
}>;


export type OperationChangesSubscription = { readonly operationProgress: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type OperationQueryVariables = Exact<{
  id: string;
}>;


export type OperationQuery = { readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined };

export type AppRowFragment = { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly availableVersion: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly updatedAt: string, readonly lastError: { readonly code: string, readonly message: string } | null | undefined, readonly operation: { readonly id: string, readonly kind: string, readonly stage: string, readonly progress: number, readonly done: boolean } | null | undefined };

export type AppsQueryVariables = Exact<{
  filter?: AppFilter | null | undefined;
  order?: AppOrder | null | undefined;
  descending?: boolean | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type AppsQuery = { readonly apps: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly availableVersion: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly updatedAt: string, readonly lastError: { readonly code: string, readonly message: string } | null | undefined, readonly operation: { readonly id: string, readonly kind: string, readonly stage: string, readonly progress: number, readonly done: boolean } | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type LatestChangeQueryVariables = Exact<{ [key: string]: never; }>;


export type LatestChangeQuery = { readonly apps: { readonly edges: ReadonlyArray<{ readonly node: { readonly updatedAt: string } }> } };

export type AppChangesSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type AppChangesSubscription = { readonly appStateChanged: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly availableVersion: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly updatedAt: string, readonly lastError: { readonly code: string, readonly message: string } | null | undefined, readonly operation: { readonly id: string, readonly kind: string, readonly stage: string, readonly progress: number, readonly done: boolean } | null | undefined } };

export type HealthQueryVariables = Exact<{ [key: string]: never; }>;


export type HealthQuery = { readonly health: { readonly status: string, readonly version: string, readonly uptimeSeconds: number, readonly checks: ReadonlyArray<{ readonly name: string, readonly status: string, readonly latencyMs: number | null | undefined, readonly message: string | null | undefined }> } };

export type AttentionQueryVariables = Exact<{
  first: number;
  seesApps: boolean;
  seesHooks: boolean;
  deadLetters: number;
  seesRuns: boolean;
  runs: number;
  seesEvents: boolean;
}>;


export type AttentionQuery = { readonly incidents?: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly kind: IncidentKind, readonly message: string, readonly appName: string | null | undefined, readonly openedAt: string } }> }, readonly deadLetters?: { readonly edges: ReadonlyArray<{ readonly cursor: string }>, readonly pageInfo: { readonly hasNextPage: boolean } }, readonly failing?: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly name: string, readonly displayName: string, readonly state: AppState, readonly lastError: { readonly message: string } | null | undefined } }> }, readonly approvals?: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly name: string, readonly displayName: string, readonly requiredPermissions: ReadonlyArray<{ readonly requiresApproval: boolean, readonly approved: boolean }> } }> }, readonly conditions?: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly name: string, readonly displayName: string, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly message: string }> } }> }, readonly certificates?: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly name: string, readonly displayName: string, readonly certificateExpiresAt: string | null | undefined } }> }, readonly FAILED?: { readonly edges: ReadonlyArray<{ readonly node: { readonly finishedAt: string | null | undefined } }> }, readonly TIMED_OUT?: { readonly edges: ReadonlyArray<{ readonly node: { readonly finishedAt: string | null | undefined } }> }, readonly CRASHED?: { readonly edges: ReadonlyArray<{ readonly node: { readonly finishedAt: string | null | undefined } }> }, readonly EXPIRED?: { readonly edges: ReadonlyArray<{ readonly node: { readonly finishedAt: string | null | undefined } }> } };

export type EndedRunsFragment = { readonly edges: ReadonlyArray<{ readonly node: { readonly finishedAt: string | null | undefined } }> };

export type AuditRowFragment = { readonly id: string, readonly at: string, readonly actor: string, readonly client: string | null | undefined, readonly action: string, readonly target: string, readonly outcome: string, readonly details: unknown, readonly traceId: string | null | undefined };

export type AuditLogQueryVariables = Exact<{
  target?: string | null | undefined;
  actor?: string | null | undefined;
  client?: string | null | undefined;
  action?: string | null | undefined;
  outcome?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type AuditLogQuery = { readonly auditLog: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly at: string, readonly actor: string, readonly client: string | null | undefined, readonly action: string, readonly target: string, readonly outcome: string, readonly details: unknown, readonly traceId: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type BackupRowFragment = { readonly id: string, readonly state: BackupState, readonly requestedAt: string, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly location: string | null | undefined, readonly bytes: number | null | undefined, readonly error: string | null | undefined, readonly notOfOneMoment: ReadonlyArray<string>, readonly testedAt: string | null | undefined };

export type BackupSummaryQueryVariables = Exact<{ [key: string]: never; }>;


export type BackupSummaryQuery = { readonly backupSummary: { readonly schedule: string | null | undefined, readonly target: string | null | undefined, readonly problem: string | null | undefined, readonly lastCompleted: { readonly id: string, readonly state: BackupState, readonly requestedAt: string, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly location: string | null | undefined, readonly bytes: number | null | undefined, readonly error: string | null | undefined, readonly notOfOneMoment: ReadonlyArray<string>, readonly testedAt: string | null | undefined } | null | undefined, readonly lastTested: { readonly id: string, readonly state: BackupState, readonly requestedAt: string, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly location: string | null | undefined, readonly bytes: number | null | undefined, readonly error: string | null | undefined, readonly notOfOneMoment: ReadonlyArray<string>, readonly testedAt: string | null | undefined } | null | undefined } };

export type BackupsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type BackupsQuery = { readonly backups: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly state: BackupState, readonly requestedAt: string, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly location: string | null | undefined, readonly bytes: number | null | undefined, readonly error: string | null | undefined, readonly notOfOneMoment: ReadonlyArray<string>, readonly testedAt: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type StartBackupMutationVariables = Exact<{ [key: string]: never; }>;


export type StartBackupMutation = { readonly startBackup: { readonly id: string } };

export type CommandResultFragment = { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined };

export type InstallAppMutationVariables = Exact<{
  name: string;
  planDigest?: string | null | undefined;
}>;


export type InstallAppMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type UpgradeAppMutationVariables = Exact<{
  name: string;
  version?: string | null | undefined;
  planDigest?: string | null | undefined;
}>;


export type UpgradeAppMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type RollbackAppMutationVariables = Exact<{
  name: string;
  version?: string | null | undefined;
  planDigest?: string | null | undefined;
  withData?: boolean | null | undefined;
}>;


export type RollbackAppMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type SetAppEnabledMutationVariables = Exact<{
  name: string;
  enabled: boolean;
}>;


export type SetAppEnabledMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type RestartAppMutationVariables = Exact<{
  name: string;
}>;


export type RestartAppMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type UninstallAppMutationVariables = Exact<{
  name: string;
  purgeData: boolean;
}>;


export type UninstallAppMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type ApprovePermissionsMutationVariables = Exact<{
  name: string;
  scopes: ReadonlyArray<string> | string;
  manifestDigest?: string | null | undefined;
}>;


export type ApprovePermissionsMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type RevokePermissionsMutationVariables = Exact<{
  name: string;
  scopes: ReadonlyArray<string> | string;
}>;


export type RevokePermissionsMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type EventFragment = { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly operationId: string | null | undefined };

export type EventsQueryVariables = Exact<{
  types?: ReadonlyArray<SystemEventType> | SystemEventType | null | undefined;
  appName?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type EventsQuery = { readonly systemEvents: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly operationId: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type EventTailSubscriptionVariables = Exact<{
  types?: ReadonlyArray<SystemEventType> | SystemEventType | null | undefined;
  appName?: string | null | undefined;
}>;


export type EventTailSubscription = { readonly systemEvent: { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly operationId: string | null | undefined } };

export type FrontendsQueryVariables = Exact<{ [key: string]: never; }>;


export type FrontendsQuery = { readonly frontendFeed: ReadonlyArray<{ readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly routeBase: string, readonly translations: unknown, readonly state: AppState, readonly navigation: ReadonlyArray<{ readonly title: string, readonly href: string, readonly icon: string | null | undefined, readonly children: ReadonlyArray<{ readonly title: string, readonly href: string, readonly icon: string | null | undefined, readonly children: ReadonlyArray<{ readonly title: string, readonly href: string, readonly icon: string | null | undefined }> }> }> }>, readonly viewer: { readonly unreadMessages: ReadonlyArray<{ readonly appName: string, readonly count: number }> } };

export type NavigationEntryFragment = { readonly title: string, readonly href: string, readonly icon: string | null | undefined };

export type FrontendQueryVariables = Exact<{
  name: string;
}>;


export type FrontendQuery = { readonly frontendPage: { readonly name: string, readonly displayName: string, readonly version: string, readonly mode: UiMode, readonly url: string, readonly integrity: string, readonly exposedModule: string | null | undefined, readonly renderedUrl: string | null | undefined, readonly routeBase: string, readonly translations: unknown, readonly state: AppState, readonly sandboxed: boolean, readonly permissions: ReadonlyArray<string>, readonly scripts: ReadonlyArray<{ readonly url: string, readonly integrity: string }> } | null | undefined };

export type GalleryQueryVariables = Exact<{ [key: string]: never; }>;


export type GalleryQuery = { readonly gallery: ReadonlyArray<{ readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly icon: string | null | undefined, readonly translations: unknown, readonly obstacle: string | null | undefined, readonly app: { readonly state: AppState } | null | undefined }> };

export type TryAppMutationVariables = Exact<{
  name: string;
}>;


export type TryAppMutation = { readonly result: { readonly success: boolean, readonly operation: { readonly id: string, readonly appName: string, readonly kind: string, readonly version: string, readonly actor: string | null | undefined, readonly stage: string, readonly progress: number, readonly done: boolean, readonly startedAt: string, readonly finishedAt: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined } | null | undefined, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type DeliveryFragment = { readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> };

export type HookDeliveriesQueryVariables = Exact<{
  hookName?: string | null | undefined;
  appName?: string | null | undefined;
  status?: DeliveryStatus | null | undefined;
  eventId?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type HookDeliveriesQuery = { readonly hookDeliveries: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type DeadLetterCountFragment = { readonly edges: ReadonlyArray<{ readonly cursor: string }>, readonly pageInfo: { readonly hasNextPage: boolean } };

export type DeadLettersQueryVariables = Exact<{
  first: number;
}>;


export type DeadLettersQuery = { readonly hookDeliveries: { readonly edges: ReadonlyArray<{ readonly cursor: string }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type HookEventSummaryFragment = { readonly id: string, readonly hookName: string, readonly sourceApp: string | null | undefined, readonly triggeredAt: string, readonly triggeredBy: string | null | undefined, readonly traceId: string | null | undefined };

export type HookEventsQueryVariables = Exact<{
  hookName?: string | null | undefined;
  appName?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type HookEventsQuery = { readonly hookEvents: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly hookName: string, readonly sourceApp: string | null | undefined, readonly triggeredAt: string, readonly triggeredBy: string | null | undefined, readonly traceId: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type HookEventQueryVariables = Exact<{
  id: string;
}>;


export type HookEventQuery = { readonly hookEvent: { readonly data: unknown, readonly id: string, readonly hookName: string, readonly sourceApp: string | null | undefined, readonly triggeredAt: string, readonly triggeredBy: string | null | undefined, readonly traceId: string | null | undefined } | null | undefined };

export type HookTailSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type HookTailSubscription = { readonly hookTriggered: { readonly id: string } };

export type TriggerHookMutationVariables = Exact<{
  name: string;
  data?: unknown;
}>;


export type TriggerHookMutation = { readonly triggerHook: { readonly success: boolean, readonly eventId: string, readonly hookName: string, readonly subscribers: number, readonly deliveries: ReadonlyArray<{ readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> }>, readonly error: { readonly code: string, readonly message: string } | null | undefined } };

export type ResendDeliveryMutationVariables = Exact<{
  id: string;
}>;


export type ResendDeliveryMutation = { readonly resendHookDelivery: { readonly id: string, readonly status: DeliveryStatus } };

export type RecoverDeliveriesMutationVariables = Exact<{
  hookName: string;
  since: string;
  until?: string | null | undefined;
}>;


export type RecoverDeliveriesMutation = { readonly recoverHookDeliveries: number };

export type AppInstancesQueryVariables = Exact<{
  name: string;
}>;


export type AppInstancesQuery = { readonly app: { readonly deployment: { readonly wantedInstances: number | null | undefined, readonly instances: ReadonlyArray<{ readonly id: string, readonly place: string | null | undefined, readonly ready: boolean, readonly startedAt: string | null | undefined, readonly restarts: number, readonly problem: string | null | undefined, readonly lastEnd: { readonly at: string, readonly exitCode: number | null | undefined, readonly cause: string } | null | undefined }> } | null | undefined } | null | undefined };

export type LogLineFragment = { readonly time: string, readonly stream: LogStream, readonly text: string, readonly isCut: boolean, readonly container: string, readonly generation: number };

export type AppLogTailSubscriptionVariables = Exact<{
  name: string;
  tail?: number | null | undefined;
  instance?: string | null | undefined;
}>;


export type AppLogTailSubscription = { readonly appLog: { readonly container: string | null | undefined, readonly generation: number | null | undefined, readonly isStart: boolean, readonly linesLeftOut: number, readonly lines: ReadonlyArray<{ readonly time: string, readonly stream: LogStream, readonly text: string, readonly isCut: boolean, readonly container: string, readonly generation: number }> } };

export type AppMessagesQueryVariables = Exact<{
  first: number;
}>;


export type AppMessagesQuery = { readonly appMessages: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly appName: string, readonly title: string, readonly text: string | null | undefined, readonly path: string, readonly sentAt: string, readonly isRead: boolean } }> } };

export type MarkMessagesReadMutationVariables = Exact<{
  ids?: ReadonlyArray<string> | string | null | undefined;
}>;


export type MarkMessagesReadMutation = { readonly markMessagesRead: number };

export type TargetFragment = { readonly id: string, readonly name: string, readonly kind: NotificationTargetKind, readonly address: string, readonly types: ReadonlyArray<SystemEventType> | null | undefined, readonly isEnabled: boolean, readonly isConfigured: boolean, readonly createdAt: string, readonly createdBy: string, readonly waiting: number, readonly deadLetters: number };

export type TargetDeliveryFragment = { readonly id: string, readonly eventId: string, readonly type: SystemEventType, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> };

export type NotificationTargetsQueryVariables = Exact<{ [key: string]: never; }>;


export type NotificationTargetsQuery = { readonly notificationTargets: ReadonlyArray<{ readonly id: string, readonly name: string, readonly kind: NotificationTargetKind, readonly address: string, readonly types: ReadonlyArray<SystemEventType> | null | undefined, readonly isEnabled: boolean, readonly isConfigured: boolean, readonly createdAt: string, readonly createdBy: string, readonly waiting: number, readonly deadLetters: number }> };

export type NotificationDeliveriesQueryVariables = Exact<{
  targetId: string;
  status?: DeliveryStatus | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type NotificationDeliveriesQuery = { readonly notificationDeliveries: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly eventId: string, readonly type: SystemEventType, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type CreateTargetMutationVariables = Exact<{
  name: string;
  kind: NotificationTargetKind;
  url?: string | null | undefined;
  addresses?: ReadonlyArray<string> | string | null | undefined;
  types?: ReadonlyArray<SystemEventType> | SystemEventType | null | undefined;
}>;


export type CreateTargetMutation = { readonly createNotificationTarget: { readonly secret: string | null | undefined, readonly target: { readonly id: string, readonly name: string } } };

export type EnableTargetMutationVariables = Exact<{
  id: string;
  isEnabled: boolean;
}>;


export type EnableTargetMutation = { readonly updateNotificationTarget: { readonly id: string } };

export type DeleteTargetMutationVariables = Exact<{
  id: string;
}>;


export type DeleteTargetMutation = { readonly deleteNotificationTarget: string };

export type TestTargetMutationVariables = Exact<{
  id: string;
}>;


export type TestTargetMutation = { readonly testNotificationTarget: { readonly isDelivered: boolean, readonly error: string | null | undefined, readonly durationMs: number } };

export type ResendNotificationMutationVariables = Exact<{
  id: string;
}>;


export type ResendNotificationMutation = { readonly resendNotificationDelivery: { readonly id: string, readonly status: DeliveryStatus } };

export type AppWallQueryVariables = Exact<{
  first: number;
}>;


export type AppWallQuery = { readonly all: { readonly totalCount: number, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly name: string, readonly displayName: string, readonly description: string | null | undefined, readonly version: string, readonly availableVersion: string | null | undefined, readonly state: AppState, readonly enabled: boolean, readonly health: HealthState, readonly asleepSince: string | null | undefined, readonly updatedAt: string, readonly lastError: { readonly code: string, readonly message: string } | null | undefined, readonly operation: { readonly id: string, readonly kind: string, readonly stage: string, readonly progress: number, readonly done: boolean } | null | undefined } }> }, readonly registered: { readonly totalCount: number }, readonly installing: { readonly totalCount: number }, readonly installed: { readonly totalCount: number }, readonly running: { readonly totalCount: number }, readonly unhealthy: { readonly totalCount: number }, readonly failed: { readonly totalCount: number }, readonly uninstalling: { readonly totalCount: number }, readonly uninstalled: { readonly totalCount: number } };

export type LastHourQueryVariables = Exact<{ [key: string]: never; }>;


export type LastHourQuery = { readonly metrics: { readonly proxy: unknown, readonly sampledAt: string } };

export type OverviewEventsQueryVariables = Exact<{
  recent: number;
  deploys: number;
}>;


export type OverviewEventsQuery = { readonly recent: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly operationId: string | null | undefined } }> }, readonly deploys: { readonly edges: ReadonlyArray<{ readonly node: { readonly timestamp: string, readonly message: string, readonly actor: string | null | undefined } }> } };

export type StepFragment = { readonly action: string, readonly appName: string, readonly version: string, readonly reason: string, readonly image: { readonly digest: string | null | undefined } | null | undefined };

export type FindingFragment = { readonly code: string, readonly message: string, readonly details: unknown };

export type InstallPlanQueryVariables = Exact<{
  name: string;
}>;


export type InstallPlanQuery = { readonly installPlan: { readonly digest: string, readonly app: { readonly name: string, readonly displayName: string, readonly manifestDigest: string, readonly state: AppState }, readonly image: { readonly digest: string | null | undefined } | null | undefined, readonly steps: ReadonlyArray<{ readonly action: string, readonly appName: string, readonly version: string, readonly reason: string, readonly image: { readonly digest: string | null | undefined } | null | undefined }>, readonly blockers: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly approvalsNeeded: ReadonlyArray<{ readonly scope: string, readonly resourceType: string, readonly reason: string, readonly requiresApproval: boolean, readonly approved: boolean, readonly approvedBy: string | null | undefined, readonly approvedAt: string | null | undefined }> } };

export type UpgradePlanQueryVariables = Exact<{
  name: string;
  version?: string | null | undefined;
}>;


export type UpgradePlanQuery = { readonly upgradePlan: { readonly version: string, readonly differences: unknown, readonly digest: string, readonly app: { readonly name: string, readonly displayName: string, readonly version: string, readonly availableVersion: string | null | undefined, readonly availableDigest: string | null | undefined, readonly releases: ReadonlyArray<{ readonly version: string, readonly manifestDigest: string }> }, readonly image: { readonly digest: string | null | undefined } | null | undefined, readonly steps: ReadonlyArray<{ readonly action: string, readonly appName: string, readonly version: string, readonly reason: string, readonly image: { readonly digest: string | null | undefined } | null | undefined }>, readonly blockers: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly warnings: ReadonlyArray<{ readonly code: string, readonly message: string, readonly details: unknown }>, readonly approvalsNeeded: ReadonlyArray<{ readonly scope: string, readonly resourceType: string, readonly reason: string, readonly requiresApproval: boolean, readonly approved: boolean, readonly approvedBy: string | null | undefined, readonly approvedAt: string | null | undefined }> } };

export type PlatformQueryVariables = Exact<{ [key: string]: never; }>;


export type PlatformQuery = { readonly platform: { readonly version: string, readonly nodeVersion: string, readonly options: ReadonlyArray<{ readonly section: string, readonly name: string, readonly value: string, readonly origin: string }> } };

export type ProcessesQueryVariables = Exact<{ [key: string]: never; }>;


export type ProcessesQuery = { readonly metrics: { readonly process: unknown } };

export type SettingsFieldsFragment = { readonly appId: string, readonly values: unknown, readonly schema: unknown, readonly version: number, readonly secretsSet: ReadonlyArray<string>, readonly updatedAt: string | null | undefined, readonly updatedBy: string | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }> };

export type SettingsResultFragment = { readonly success: boolean, readonly settings: { readonly appId: string, readonly values: unknown, readonly schema: unknown, readonly version: number, readonly secretsSet: ReadonlyArray<string>, readonly updatedAt: string | null | undefined, readonly updatedBy: string | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }> } | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined };

export type AppSettingsQueryVariables = Exact<{
  appId: string;
}>;


export type AppSettingsQuery = { readonly settings: { readonly appId: string, readonly values: unknown, readonly schema: unknown, readonly version: number, readonly secretsSet: ReadonlyArray<string>, readonly updatedAt: string | null | undefined, readonly updatedBy: string | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }> } | null | undefined };

export type UpdateSettingsMutationVariables = Exact<{
  appId: string;
  settings: unknown;
  expectedVersion?: number | null | undefined;
}>;


export type UpdateSettingsMutation = { readonly result: { readonly success: boolean, readonly settings: { readonly appId: string, readonly values: unknown, readonly schema: unknown, readonly version: number, readonly secretsSet: ReadonlyArray<string>, readonly updatedAt: string | null | undefined, readonly updatedBy: string | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }> } | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type DeleteSettingsMutationVariables = Exact<{
  appId: string;
  expectedVersion?: number | null | undefined;
}>;


export type DeleteSettingsMutation = { readonly result: { readonly success: boolean, readonly settings: { readonly appId: string, readonly values: unknown, readonly schema: unknown, readonly version: number, readonly secretsSet: ReadonlyArray<string>, readonly updatedAt: string | null | undefined, readonly updatedBy: string | null | undefined, readonly conditions: ReadonlyArray<{ readonly type: string, readonly status: string, readonly reason: string, readonly message: string, readonly lastTransitionTime: string }> } | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined } };

export type SourceFragment = { readonly key: string, readonly source: SettingSource };

export type SettingSourcesQueryVariables = Exact<{
  appId: string;
  k0: string;
  k1: string;
  k2: string;
  k3: string;
  k4: string;
}>;


export type SettingSourcesQuery = { readonly s0: { readonly key: string, readonly source: SettingSource } | null | undefined, readonly s1: { readonly key: string, readonly source: SettingSource } | null | undefined, readonly s2: { readonly key: string, readonly source: SettingSource } | null | undefined, readonly s3: { readonly key: string, readonly source: SettingSource } | null | undefined, readonly s4: { readonly key: string, readonly source: SettingSource } | null | undefined };

export type SnapshotsQueryVariables = Exact<{
  name: string;
}>;


export type SnapshotsQuery = { readonly appSnapshots: ReadonlyArray<{ readonly id: string, readonly appVersion: string, readonly reason: SnapshotReason, readonly label: string | null | undefined, readonly actor: string | null | undefined, readonly state: SnapshotState, readonly error: string | null | undefined, readonly databaseBytes: number | null | undefined, readonly createdAt: string, readonly storage: ReadonlyArray<{ readonly usedBytes: number }> }> };

export type SubjectsQueryVariables = Exact<{
  ids: ReadonlyArray<string> | string;
}>;


export type SubjectsQuery = { readonly subjects: ReadonlyArray<{ readonly id: string, readonly displayName: string | null | undefined }> };

export type PeopleQueryVariables = Exact<{
  search: string;
  first: number;
}>;


export type PeopleQuery = { readonly people: ReadonlyArray<{ readonly id: string, readonly displayName: string | null | undefined }> };

export type AppNamesQueryVariables = Exact<{
  names: ReadonlyArray<string> | string;
  first: number;
}>;


export type AppNamesQuery = { readonly apps: { readonly edges: ReadonlyArray<{ readonly node: { readonly name: string, readonly displayName: string } }> } };

export type TracedRequestFragment = { readonly requestId: string, readonly traceId: string, readonly at: string, readonly appName: string | null | undefined, readonly route: string | null | undefined, readonly method: string, readonly status: number, readonly durationMs: number, readonly upstreamMs: number | null | undefined, readonly reason: string | null | undefined, readonly caller: string, readonly client: string | null | undefined };

export type RequestsQueryVariables = Exact<{
  appName?: string | null | undefined;
  failed?: boolean | null | undefined;
  slowerThanMs?: number | null | undefined;
  caller?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type RequestsQuery = { readonly requests: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly requestId: string, readonly traceId: string, readonly at: string, readonly appName: string | null | undefined, readonly route: string | null | undefined, readonly method: string, readonly status: number, readonly durationMs: number, readonly upstreamMs: number | null | undefined, readonly reason: string | null | undefined, readonly caller: string, readonly client: string | null | undefined } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null | undefined } } };

export type TraceQueryVariables = Exact<{
  id: string;
}>;


export type TraceQuery = { readonly trace: { readonly id: string, readonly traceIds: ReadonlyArray<string>, readonly requestIds: ReadonlyArray<string>, readonly truncated: boolean, readonly hidden: ReadonlyArray<string>, readonly requests: ReadonlyArray<{ readonly requestId: string, readonly traceId: string, readonly at: string, readonly appName: string | null | undefined, readonly route: string | null | undefined, readonly method: string, readonly status: number, readonly durationMs: number, readonly upstreamMs: number | null | undefined, readonly reason: string | null | undefined, readonly caller: string, readonly client: string | null | undefined }>, readonly hookEvents: ReadonlyArray<{ readonly id: string, readonly hookName: string, readonly sourceApp: string | null | undefined, readonly triggeredAt: string, readonly triggeredBy: string | null | undefined }>, readonly deliveries: ReadonlyArray<{ readonly id: string, readonly eventId: string, readonly hookName: string, readonly appName: string, readonly status: DeliveryStatus, readonly attempt: number, readonly nextAttemptAt: string | null | undefined, readonly updatedAt: string, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string } | null | undefined, readonly attempts: ReadonlyArray<{ readonly number: number, readonly at: string, readonly durationMs: number, readonly outcome: string, readonly error: string | null | undefined }> }>, readonly runs: ReadonlyArray<{ readonly id: string, readonly appName: string, readonly activity: string, readonly status: RunStatus, readonly attempt: number, readonly progress: number | null | undefined, readonly stage: string | null | undefined, readonly scheduledFor: string | null | undefined, readonly queuedAt: string | null | undefined, readonly startedAt: string | null | undefined, readonly finishedAt: string | null | undefined, readonly retryOf: string | null | undefined, readonly traceId: string | null | undefined, readonly error: { readonly code: string, readonly message: string, readonly details: unknown } | null | undefined }>, readonly events: ReadonlyArray<{ readonly id: string, readonly type: SystemEventType, readonly severity: Severity, readonly appName: string | null | undefined, readonly message: string, readonly timestamp: string, readonly actor: string | null | undefined, readonly traceId: string | null | undefined, readonly operationId: string | null | undefined }>, readonly audit: ReadonlyArray<{ readonly id: string, readonly at: string, readonly actor: string, readonly client: string | null | undefined, readonly action: string, readonly target: string, readonly outcome: string, readonly details: unknown, readonly traceId: string | null | undefined }> } | null | undefined };

export type TraceLogsQueryVariables = Exact<{
  id: string;
}>;


export type TraceLogsQuery = { readonly trace: { readonly id: string, readonly logsIncomplete: ReadonlyArray<string>, readonly logs: ReadonlyArray<{ readonly appName: string, readonly time: string, readonly stream: LogStream, readonly text: string, readonly isCut: boolean, readonly container: string, readonly generation: number }> } | null | undefined };

export type RecordPageMutationVariables = Exact<{
  appName: string;
  traceId: string;
  marks: ReadonlyArray<PageMark> | PageMark;
}>;


export type RecordPageMutation = { readonly recordPage: number };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { readonly viewer: { readonly subject: string | null | undefined, readonly kind: string, readonly displayName: string | null | undefined, readonly permissions: ReadonlyArray<string> } };

export const ClosedAppsDocument = `
    query ClosedApps {
  closedApps {
    name
    displayName
    description
    icon
    routeBase
    permissions
    hasOpenPages
  }
}
    ` as Document<ClosedAppsQuery, ClosedAppsQueryVariables>;
export const AccessRequestsDocument = `
    query AccessRequests($own: Boolean!, $first: Int!, $after: String) {
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
    totalCount
  }
}
    fragment AccessRequest on AccessRequest {
  id
  person {
    id
    displayName
  }
  appName
  appDisplayName
  access
  reason
  state
  requestedAt
}` as Document<AccessRequestsQuery, AccessRequestsQueryVariables>;
export const RequestAccessDocument = `
    mutation RequestAccess($appName: String!, $access: String!, $reason: String) {
  requestAccess(appName: $appName, access: $access, reason: $reason) {
    id
  }
}
    ` as Document<RequestAccessMutation, RequestAccessMutationVariables>;
export const DecideAccessRequestDocument = `
    mutation DecideAccessRequest($id: ID!, $decision: AccessDecision!) {
  decideAccessRequest(id: $id, decision: $decision) {
    id
  }
}
    ` as Document<DecideAccessRequestMutation, DecideAccessRequestMutationVariables>;
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
export const PermissionHoldersDocument = `
    query PermissionHolders($permission: String!, $appName: String) {
  permissionHolders(permission: $permission, appName: $appName) {
    subject {
      ...Person
    }
    via {
      ...SourcedTuple
    }
  }
}
    fragment Tuple on AccessTuple {
  user
  relation
  object
}
fragment SourcedTuple on AccessTuple {
  ...Tuple
  source
  readAt
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
      ...SourcedTuple
    }
  }
}
    fragment Tuple on AccessTuple {
  user
  relation
  object
}
fragment SourcedTuple on AccessTuple {
  ...Tuple
  source
  readAt
}` as Document<HeldPermissionsQuery, HeldPermissionsQueryVariables>;
export const InvitePersonDocument = `
    mutation InvitePerson($email: String!, $name: String, $roles: [String!], $withLink: Boolean) {
  invitePerson(email: $email, name: $name, roles: $roles, withLink: $withLink) {
    link
    expiresAt
  }
}
    ` as Document<InvitePersonMutation, InvitePersonMutationVariables>;
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
export const TrustedPipelinesDocument = `
    query TrustedPipelines {
  trustedPipelines {
    ...Pipeline
  }
}
    fragment Pipeline on TrustedPipeline {
  id
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
export const DistrustPipelineDocument = `
    mutation DistrustPipeline($id: ID!) {
  distrustPipeline(id: $id)
}
    ` as Document<DistrustPipelineMutation, DistrustPipelineMutationVariables>;
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
  issued: createServiceAccount(
    name: $name
    grants: $grants
    scopes: $scopes
    expiresAt: $expiresAt
  ) {
    ...IssuedToken
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
}
fragment IssuedToken on IssuedServiceAccountToken {
  account {
    ...Account
  }
  token {
    ...AccountToken
  }
  secret
}` as Document<CreateServiceAccountMutation, CreateServiceAccountMutationVariables>;
export const CreateServiceAccountTokenDocument = `
    mutation CreateServiceAccountToken($id: ID!, $scopes: [String!], $expiresAt: DateTime) {
  issued: createServiceAccountToken(
    id: $id
    scopes: $scopes
    expiresAt: $expiresAt
  ) {
    ...IssuedToken
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
}
fragment IssuedToken on IssuedServiceAccountToken {
  account {
    ...Account
  }
  token {
    ...AccountToken
  }
  secret
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
  }
}
    ` as Document<SetPersonActiveMutation, SetPersonActiveMutationVariables>;
export const RemovePersonDocument = `
    mutation RemovePerson($id: ID!) {
  removePerson(id: $id)
}
    ` as Document<RemovePersonMutation, RemovePersonMutationVariables>;
export const ActivityRunsDocument = `
    query ActivityRuns($appName: String, $status: RunStatus, $first: Int!, $after: String) {
  activityRuns(appName: $appName, status: $status, first: $first, after: $after) {
    edges {
      cursor
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
export const ActivityRunDocument = `
    query ActivityRun($id: ID!) {
  activityRun(id: $id) {
    ...Run
    input
    output
    attempts {
      number
      startedAt
      finishedAt
      outcome
      error {
        code
        message
      }
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
}` as Document<ActivityRunQuery, ActivityRunQueryVariables>;
export const RunChangesDocument = `
    subscription RunChanges($runId: ID!) {
  activityProgress(runId: $runId) {
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
}` as Document<RunChangesSubscription, RunChangesSubscriptionVariables>;
export const DeclaredActivitiesDocument = `
    query DeclaredActivities($appName: String!) {
  activities(appName: $appName) {
    name
    inputSchema
  }
}
    ` as Document<DeclaredActivitiesQuery, DeclaredActivitiesQueryVariables>;
export const ActivitySchedulesDocument = `
    query ActivitySchedules($appName: String, $first: Int!, $after: ID) {
  activitySchedules(appName: $appName, first: $first, after: $after) {
    ...Schedule
  }
}
    fragment Schedule on ActivitySchedule {
  id
  appName
  activity
  cron
  timezone
  enabled
  paused
  nextRunAt
  lastError
}` as Document<ActivitySchedulesQuery, ActivitySchedulesQueryVariables>;
export const TriggerActivityDocument = `
    mutation TriggerActivity($appName: String!, $activity: String!, $input: JSON) {
  triggerActivity(appName: $appName, activity: $activity, input: $input) {
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
export const CancelRunDocument = `
    mutation CancelRun($id: ID!) {
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
}` as Document<CancelRunMutation, CancelRunMutationVariables>;
export const RetryRunDocument = `
    mutation RetryRun($id: ID!) {
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
}` as Document<RetryRunMutation, RetryRunMutationVariables>;
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
  cron
  timezone
  enabled
  paused
  nextRunAt
  lastError
}` as Document<SetScheduleEnabledMutation, SetScheduleEnabledMutationVariables>;
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
export const AgentConsentsDocument = `
    query AgentConsents {
  agentConsents {
    id
    clientId
    clientName
    apps
    isReadOnly
    createdAt
    expiresAt
    usedAt
  }
}
    ` as Document<AgentConsentsQuery, AgentConsentsQueryVariables>;
export const RevokeAgentConsentDocument = `
    mutation RevokeAgentConsent($id: ID!) {
  revokeAgentConsent(id: $id)
}
    ` as Document<RevokeAgentConsentMutation, RevokeAgentConsentMutationVariables>;
export const AppCursorsDocument = `
    query AppCursors($filter: AppFilter, $order: AppOrder, $descending: Boolean, $first: Int!, $after: String) {
  apps(
    filter: $filter
    order: $order
    descending: $descending
    first: $first
    after: $after
  ) {
    edges {
      cursor
    }
    pageInfo {
      hasNextPage
    }
  }
}
    ` as Document<AppCursorsQuery, AppCursorsQueryVariables>;
export const AppRoutesDocument = `
    query AppRoutes($name: String!) {
  app(name: $name) {
    api {
      basePath
      publicUrl
      upstreamBaseUrl
      openapiUrl
      description {
        operations
        problem
      }
      forwardHeaders
      breaker
      routes {
        id
        pattern
        methods
        scopes
        isPublic
        timeoutMs
        rateLimit {
          limit
          windowSeconds
          burst
          keyPattern
        }
      }
    }
  }
}
    ` as Document<AppRoutesQuery, AppRoutesQueryVariables>;
export const AppMetricsDocument = `
    query AppMetrics($name: String!, $minutes: Int!) {
  metrics(appName: $name, minutes: $minutes) {
    proxy
    resources
    sampledAt
  }
}
    ` as Document<AppMetricsQuery, AppMetricsQueryVariables>;
export const AppPastDocument = `
    query AppPast($name: String!, $history: Int!, $deploymentEvents: Int!, $deploys: Int!) {
  app(name: $name) {
    history(first: $history) {
      to
      reason
      actor
      at
    }
    deploymentEvents(first: $deploymentEvents) {
      deploymentId
      to
      error {
        code
        message
      }
      at
    }
    versionHistory(first: $deploys) {
      kind
      version
      revision
      manifestDigest
      actor
      at
    }
  }
}
    ` as Document<AppPastQuery, AppPastQueryVariables>;
export const AppAssetsDocument = `
    query AppAssets($name: String!) {
  app(name: $name) {
    ui {
      mode
      entryAsset {
        name
      }
    }
    assets {
      name
      mimeType
      size
      sha256
      integrity
      url
      signatureAlgorithm
    }
  }
}
    ` as Document<AppAssetsQuery, AppAssetsQueryVariables>;
export const AppDocument = `
    query App($name: String!) {
  app(name: $name) {
    ...AppRow
    revision
    availableDigest
    registeredAt
    installedAt
    manifestDigest
    certificateFingerprint
    certificateExpiresAt
    image {
      digest
    }
    requiredPermissions {
      ...Permission
    }
    conditions {
      type
      status
      reason
      message
      lastTransitionTime
    }
    deployment {
      state
      healthStatus
      driver
      image
      imageDigest
      containerName
      generation
      restartCount
      outOfDate
      endpoint
      reason
      lastError {
        code
        message
      }
      lastCrash {
        at
        exitCode
        output
      }
      createdAt
      updatedAt
    }
    operation {
      ...OperationProgress
    }
    releases {
      version
      revision
      manifestDigest
      registeredAt
      registeredBy
      source {
        repository
        commit
        ref
        runUrl
      }
      servedAt
      isCurrent
    }
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment Permission on AppPermission {
  scope
  resourceType
  reason
  requiresApproval
  approved
  approvedBy
  approvedAt
}
fragment AppRow on App {
  id
  name
  displayName
  description
  version
  availableVersion
  state
  enabled
  health
  asleepSince
  updatedAt
  lastError {
    code
    message
  }
  operation {
    id
    kind
    stage
    progress
    done
  }
}` as Document<AppQuery, AppQueryVariables>;
export const AppOperationDocument = `
    query AppOperation($name: String!) {
  app(name: $name) {
    operation {
      ...OperationProgress
    }
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}` as Document<AppOperationQuery, AppOperationQueryVariables>;
export const OperationChangesDocument = `
    subscription OperationChanges($id: ID!) {
  operationProgress(id: $id) {
    ...OperationProgress
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}` as Document<OperationChangesSubscription, OperationChangesSubscriptionVariables>;
export const OperationDocument = `
    query Operation($id: ID!) {
  operation(id: $id) {
    ...OperationProgress
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}` as Document<OperationQuery, OperationQueryVariables>;
export const AppsDocument = `
    query Apps($filter: AppFilter, $order: AppOrder, $descending: Boolean, $first: Int!, $after: String) {
  apps(
    filter: $filter
    order: $order
    descending: $descending
    first: $first
    after: $after
  ) {
    edges {
      cursor
      node {
        ...AppRow
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    totalCount
  }
}
    fragment AppRow on App {
  id
  name
  displayName
  description
  version
  availableVersion
  state
  enabled
  health
  asleepSince
  updatedAt
  lastError {
    code
    message
  }
  operation {
    id
    kind
    stage
    progress
    done
  }
}` as Document<AppsQuery, AppsQueryVariables>;
export const LatestChangeDocument = `
    query LatestChange {
  apps(order: UPDATED, descending: true, first: 1) {
    edges {
      node {
        updatedAt
      }
    }
  }
}
    ` as Document<LatestChangeQuery, LatestChangeQueryVariables>;
export const AppChangesDocument = `
    subscription AppChanges {
  appStateChanged {
    ...AppRow
  }
}
    fragment AppRow on App {
  id
  name
  displayName
  description
  version
  availableVersion
  state
  enabled
  health
  asleepSince
  updatedAt
  lastError {
    code
    message
  }
  operation {
    id
    kind
    stage
    progress
    done
  }
}` as Document<AppChangesSubscription, AppChangesSubscriptionVariables>;
export const HealthDocument = `
    query Health {
  health {
    status
    version
    uptimeSeconds
    checks {
      name
      status
      latencyMs
      message
    }
  }
}
    ` as Document<HealthQuery, HealthQueryVariables>;
export const AttentionDocument = `
    query Attention($first: Int!, $seesApps: Boolean!, $seesHooks: Boolean!, $deadLetters: Int!, $seesRuns: Boolean!, $runs: Int!, $seesEvents: Boolean!) {
  incidents(isOpen: true, first: 20) @include(if: $seesEvents) {
    edges {
      node {
        id
        kind
        message
        appName
        openedAt
      }
    }
  }
  deadLetters: hookDeliveries(status: DEAD, first: $deadLetters) @include(if: $seesHooks) {
    ...DeadLetterCount
  }
  failing: apps(filter: { states: [FAILED, UNHEALTHY] }, first: 20) @include(if: $seesApps) {
    edges {
      node {
        name
        displayName
        state
        lastError {
          message
        }
      }
    }
    totalCount
  }
  approvals: apps(
    filter: { states: [REGISTERED, INSTALLED, FAILED], needs: [APPROVAL] }
    first: $first
  ) @include(if: $seesApps) {
    edges {
      node {
        name
        displayName
        requiredPermissions {
          requiresApproval
          approved
        }
      }
    }
    totalCount
  }
  conditions: apps(
    filter: { states: [REGISTERED, INSTALLED, FAILED], needs: [CONDITION] }
    first: $first
  ) @include(if: $seesApps) {
    edges {
      node {
        name
        displayName
        conditions {
          type
          status
          message
        }
      }
    }
    totalCount
  }
  certificates: apps(
    filter: { states: [REGISTERED, INSTALLED, FAILED], needs: [CERTIFICATE] }
    first: $first
  ) @include(if: $seesApps) {
    edges {
      node {
        name
        displayName
        certificateExpiresAt
      }
    }
    totalCount
  }
  FAILED: activityRuns(status: FAILED, first: $runs) @include(if: $seesRuns) {
    ...EndedRuns
  }
  TIMED_OUT: activityRuns(status: TIMED_OUT, first: $runs) @include(if: $seesRuns) {
    ...EndedRuns
  }
  CRASHED: activityRuns(status: CRASHED, first: $runs) @include(if: $seesRuns) {
    ...EndedRuns
  }
  EXPIRED: activityRuns(status: EXPIRED, first: $runs) @include(if: $seesRuns) {
    ...EndedRuns
  }
}
    fragment EndedRuns on ActivityRunConnection {
  edges {
    node {
      finishedAt
    }
  }
}
fragment DeadLetterCount on HookDeliveryConnection {
  edges {
    cursor
  }
  pageInfo {
    hasNextPage
  }
}` as Document<AttentionQuery, AttentionQueryVariables>;
export const AuditLogDocument = `
    query AuditLog($target: String, $actor: String, $client: String, $action: String, $outcome: String, $since: DateTime, $until: DateTime, $first: Int!, $after: String) {
  auditLog(
    target: $target
    actor: $actor
    client: $client
    action: $action
    outcome: $outcome
    since: $since
    until: $until
    first: $first
    after: $after
  ) {
    edges {
      cursor
      node {
        ...AuditRow
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment AuditRow on AuditEntry {
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
export const BackupSummaryDocument = `
    query BackupSummary {
  backupSummary {
    schedule
    target
    problem
    lastCompleted {
      ...BackupRow
    }
    lastTested {
      ...BackupRow
    }
  }
}
    fragment BackupRow on Backup {
  id
  state
  requestedAt
  startedAt
  finishedAt
  location
  bytes
  error
  notOfOneMoment
  testedAt
}` as Document<BackupSummaryQuery, BackupSummaryQueryVariables>;
export const BackupsDocument = `
    query Backups($first: Int!, $after: String) {
  backups(first: $first, after: $after) {
    edges {
      cursor
      node {
        ...BackupRow
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment BackupRow on Backup {
  id
  state
  requestedAt
  startedAt
  finishedAt
  location
  bytes
  error
  notOfOneMoment
  testedAt
}` as Document<BackupsQuery, BackupsQueryVariables>;
export const StartBackupDocument = `
    mutation StartBackup {
  startBackup {
    id
  }
}
    ` as Document<StartBackupMutation, StartBackupMutationVariables>;
export const InstallAppDocument = `
    mutation InstallApp($name: String!, $planDigest: String) {
  result: installApp(name: $name, planDigest: $planDigest) {
    ...CommandResult
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
  }
}` as Document<InstallAppMutation, InstallAppMutationVariables>;
export const UpgradeAppDocument = `
    mutation UpgradeApp($name: String!, $version: String, $planDigest: String) {
  result: upgradeApp(name: $name, version: $version, planDigest: $planDigest) {
    ...CommandResult
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
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
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
  }
}` as Document<RollbackAppMutation, RollbackAppMutationVariables>;
export const SetAppEnabledDocument = `
    mutation SetAppEnabled($name: String!, $enabled: Boolean!) {
  result: setAppEnabled(name: $name, enabled: $enabled) {
    ...CommandResult
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
  }
}` as Document<SetAppEnabledMutation, SetAppEnabledMutationVariables>;
export const RestartAppDocument = `
    mutation RestartApp($name: String!) {
  result: restartApp(name: $name) {
    ...CommandResult
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
  }
}` as Document<RestartAppMutation, RestartAppMutationVariables>;
export const UninstallAppDocument = `
    mutation UninstallApp($name: String!, $purgeData: Boolean!) {
  result: uninstallApp(name: $name, purgeData: $purgeData) {
    ...CommandResult
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
  }
}` as Document<UninstallAppMutation, UninstallAppMutationVariables>;
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
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
  }
}` as Document<ApprovePermissionsMutation, ApprovePermissionsMutationVariables>;
export const RevokePermissionsDocument = `
    mutation RevokePermissions($name: String!, $scopes: [String!]!) {
  result: revokePermissions(name: $name, scopes: $scopes) {
    ...CommandResult
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
  }
}` as Document<RevokePermissionsMutation, RevokePermissionsMutationVariables>;
export const EventsDocument = `
    query Events($types: [SystemEventType!], $appName: String, $first: Int!, $after: String) {
  systemEvents(types: $types, appName: $appName, first: $first, after: $after) {
    edges {
      cursor
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
  timestamp
  actor
  traceId
  operationId
}` as Document<EventsQuery, EventsQueryVariables>;
export const EventTailDocument = `
    subscription EventTail($types: [SystemEventType!], $appName: String) {
  systemEvent(types: $types, appName: $appName) {
    ...Event
  }
}
    fragment Event on SystemEvent {
  id
  type
  severity
  appName
  message
  timestamp
  actor
  traceId
  operationId
}` as Document<EventTailSubscription, EventTailSubscriptionVariables>;
export const FrontendsDocument = `
    query Frontends {
  frontendFeed {
    name
    displayName
    description
    routeBase
    translations
    state
    navigation {
      ...NavigationEntry
      children {
        ...NavigationEntry
        children {
          ...NavigationEntry
        }
      }
    }
  }
  viewer {
    unreadMessages {
      appName
      count
    }
  }
}
    fragment NavigationEntry on NavigationRoute {
  title
  href
  icon
}` as Document<FrontendsQuery, FrontendsQueryVariables>;
export const FrontendDocument = `
    query Frontend($name: String!) {
  frontendPage(name: $name) {
    name
    displayName
    version
    mode
    url
    integrity
    exposedModule
    renderedUrl
    routeBase
    translations
    state
    sandboxed
    permissions
    scripts {
      url
      integrity
    }
  }
}
    ` as Document<FrontendQuery, FrontendQueryVariables>;
export const GalleryDocument = `
    query Gallery {
  gallery {
    name
    displayName
    description
    icon
    translations
    obstacle
    app {
      state
    }
  }
}
    ` as Document<GalleryQuery, GalleryQueryVariables>;
export const TryAppDocument = `
    mutation TryApp($name: String!) {
  result: tryApp(name: $name) {
    ...CommandResult
  }
}
    fragment OperationProgress on Operation {
  id
  appName
  kind
  version
  actor
  stage
  progress
  done
  startedAt
  finishedAt
  error {
    code
    message
  }
}
fragment CommandResult on AppMutationResult {
  success
  operation {
    ...OperationProgress
  }
  warnings {
    code
    message
  }
  error {
    code
    message
  }
}` as Document<TryAppMutation, TryAppMutationVariables>;
export const HookDeliveriesDocument = `
    query HookDeliveries($hookName: String, $appName: String, $status: DeliveryStatus, $eventId: ID, $first: Int!, $after: String) {
  hookDeliveries(
    hookName: $hookName
    appName: $appName
    status: $status
    eventId: $eventId
    first: $first
    after: $after
  ) {
    edges {
      cursor
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
export const DeadLettersDocument = `
    query DeadLetters($first: Int!) {
  hookDeliveries(status: DEAD, first: $first) {
    ...DeadLetterCount
  }
}
    fragment DeadLetterCount on HookDeliveryConnection {
  edges {
    cursor
  }
  pageInfo {
    hasNextPage
  }
}` as Document<DeadLettersQuery, DeadLettersQueryVariables>;
export const HookEventsDocument = `
    query HookEvents($hookName: String, $appName: String, $first: Int!, $after: String) {
  hookEvents(hookName: $hookName, appName: $appName, first: $first, after: $after) {
    edges {
      cursor
      node {
        ...HookEventSummary
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment HookEventSummary on HookEvent {
  id
  hookName
  sourceApp
  triggeredAt
  triggeredBy
  traceId
}` as Document<HookEventsQuery, HookEventsQueryVariables>;
export const HookEventDocument = `
    query HookEvent($id: ID!) {
  hookEvent(id: $id) {
    ...HookEventSummary
    data
  }
}
    fragment HookEventSummary on HookEvent {
  id
  hookName
  sourceApp
  triggeredAt
  triggeredBy
  traceId
}` as Document<HookEventQuery, HookEventQueryVariables>;
export const HookTailDocument = `
    subscription HookTail {
  hookTriggered {
    id
  }
}
    ` as Document<HookTailSubscription, HookTailSubscriptionVariables>;
export const TriggerHookDocument = `
    mutation TriggerHook($name: String!, $data: JSON) {
  triggerHook(name: $name, data: $data) {
    success
    eventId
    hookName
    subscribers
    deliveries {
      ...Delivery
    }
    error {
      code
      message
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
}` as Document<TriggerHookMutation, TriggerHookMutationVariables>;
export const ResendDeliveryDocument = `
    mutation ResendDelivery($id: ID!) {
  resendHookDelivery(id: $id) {
    id
    status
  }
}
    ` as Document<ResendDeliveryMutation, ResendDeliveryMutationVariables>;
export const RecoverDeliveriesDocument = `
    mutation RecoverDeliveries($hookName: String!, $since: DateTime!, $until: DateTime) {
  recoverHookDeliveries(hookName: $hookName, since: $since, until: $until)
}
    ` as Document<RecoverDeliveriesMutation, RecoverDeliveriesMutationVariables>;
export const AppInstancesDocument = `
    query AppInstances($name: String!) {
  app(name: $name) {
    deployment {
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
    }
  }
}
    ` as Document<AppInstancesQuery, AppInstancesQueryVariables>;
export const AppLogTailDocument = `
    subscription AppLogTail($name: String!, $tail: Int, $instance: String) {
  appLog(name: $name, tail: $tail, instance: $instance) {
    container
    generation
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
}` as Document<AppLogTailSubscription, AppLogTailSubscriptionVariables>;
export const AppMessagesDocument = `
    query AppMessages($first: Int!) {
  appMessages(first: $first) {
    edges {
      node {
        id
        appName
        title
        text
        path
        sentAt
        isRead
      }
    }
  }
}
    ` as Document<AppMessagesQuery, AppMessagesQueryVariables>;
export const MarkMessagesReadDocument = `
    mutation MarkMessagesRead($ids: [ID!]) {
  markMessagesRead(ids: $ids)
}
    ` as Document<MarkMessagesReadMutation, MarkMessagesReadMutationVariables>;
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
    query NotificationDeliveries($targetId: ID!, $status: DeliveryStatus, $first: Int!, $after: String) {
  notificationDeliveries(
    targetId: $targetId
    status: $status
    first: $first
    after: $after
  ) {
    edges {
      cursor
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
}` as Document<NotificationDeliveriesQuery, NotificationDeliveriesQueryVariables>;
export const CreateTargetDocument = `
    mutation CreateTarget($name: String!, $kind: NotificationTargetKind!, $url: String, $addresses: [String!], $types: [SystemEventType!]) {
  createNotificationTarget(
    name: $name
    kind: $kind
    url: $url
    addresses: $addresses
    types: $types
  ) {
    target {
      id
      name
    }
    secret
  }
}
    ` as Document<CreateTargetMutation, CreateTargetMutationVariables>;
export const EnableTargetDocument = `
    mutation EnableTarget($id: ID!, $isEnabled: Boolean!) {
  updateNotificationTarget(id: $id, isEnabled: $isEnabled) {
    id
  }
}
    ` as Document<EnableTargetMutation, EnableTargetMutationVariables>;
export const DeleteTargetDocument = `
    mutation DeleteTarget($id: ID!) {
  deleteNotificationTarget(id: $id)
}
    ` as Document<DeleteTargetMutation, DeleteTargetMutationVariables>;
export const TestTargetDocument = `
    mutation TestTarget($id: ID!) {
  testNotificationTarget(id: $id) {
    isDelivered
    error
    durationMs
  }
}
    ` as Document<TestTargetMutation, TestTargetMutationVariables>;
export const ResendNotificationDocument = `
    mutation ResendNotification($id: ID!) {
  resendNotificationDelivery(id: $id) {
    id
    status
  }
}
    ` as Document<ResendNotificationMutation, ResendNotificationMutationVariables>;
export const AppWallDocument = `
    query AppWall($first: Int!) {
  all: apps(first: $first) {
    edges {
      node {
        ...AppRow
      }
    }
    totalCount
  }
  registered: apps(filter: { states: [REGISTERED] }, first: 1) {
    totalCount
  }
  installing: apps(filter: { states: [INSTALLING] }, first: 1) {
    totalCount
  }
  installed: apps(filter: { states: [INSTALLED] }, first: 1) {
    totalCount
  }
  running: apps(filter: { states: [RUNNING] }, first: 1) {
    totalCount
  }
  unhealthy: apps(filter: { states: [UNHEALTHY] }, first: 1) {
    totalCount
  }
  failed: apps(filter: { states: [FAILED] }, first: 1) {
    totalCount
  }
  uninstalling: apps(filter: { states: [UNINSTALLING] }, first: 1) {
    totalCount
  }
  uninstalled: apps(filter: { states: [UNINSTALLED] }, first: 1) {
    totalCount
  }
}
    fragment AppRow on App {
  id
  name
  displayName
  description
  version
  availableVersion
  state
  enabled
  health
  asleepSince
  updatedAt
  lastError {
    code
    message
  }
  operation {
    id
    kind
    stage
    progress
    done
  }
}` as Document<AppWallQuery, AppWallQueryVariables>;
export const LastHourDocument = `
    query LastHour {
  metrics(minutes: 60) {
    proxy
    sampledAt
  }
}
    ` as Document<LastHourQuery, LastHourQueryVariables>;
export const OverviewEventsDocument = `
    query OverviewEvents($recent: Int!, $deploys: Int!) {
  recent: systemEvents(first: $recent) {
    edges {
      node {
        ...Event
      }
    }
  }
  deploys: systemEvents(
    types: [APP_INSTALLED, APP_UPGRADED, APP_ROLLED_BACK]
    first: $deploys
  ) {
    edges {
      node {
        timestamp
        message
        actor
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
  timestamp
  actor
  traceId
  operationId
}` as Document<OverviewEventsQuery, OverviewEventsQueryVariables>;
export const InstallPlanDocument = `
    query InstallPlan($name: String!) {
  installPlan(name: $name) {
    app {
      name
      displayName
      manifestDigest
      state
    }
    image {
      digest
    }
    steps {
      ...Step
    }
    blockers {
      ...Finding
    }
    warnings {
      ...Finding
    }
    approvalsNeeded {
      ...Permission
    }
    digest
  }
}
    fragment Permission on AppPermission {
  scope
  resourceType
  reason
  requiresApproval
  approved
  approvedBy
  approvedAt
}
fragment Step on PlanStep {
  action
  appName
  version
  image {
    digest
  }
  reason
}
fragment Finding on Problem {
  code
  message
  details
}` as Document<InstallPlanQuery, InstallPlanQueryVariables>;
export const UpgradePlanDocument = `
    query UpgradePlan($name: String!, $version: String) {
  upgradePlan(name: $name, version: $version) {
    app {
      name
      displayName
      version
      availableVersion
      availableDigest
      releases {
        version
        manifestDigest
      }
    }
    version
    image {
      digest
    }
    steps {
      ...Step
    }
    blockers {
      ...Finding
    }
    warnings {
      ...Finding
    }
    approvalsNeeded {
      ...Permission
    }
    differences
    digest
  }
}
    fragment Permission on AppPermission {
  scope
  resourceType
  reason
  requiresApproval
  approved
  approvedBy
  approvedAt
}
fragment Step on PlanStep {
  action
  appName
  version
  image {
    digest
  }
  reason
}
fragment Finding on Problem {
  code
  message
  details
}` as Document<UpgradePlanQuery, UpgradePlanQueryVariables>;
export const PlatformDocument = `
    query Platform {
  platform {
    version
    nodeVersion
    options {
      section
      name
      value
      origin
    }
  }
}
    ` as Document<PlatformQuery, PlatformQueryVariables>;
export const ProcessesDocument = `
    query Processes {
  metrics(minutes: 1) {
    process
  }
}
    ` as Document<ProcessesQuery, ProcessesQueryVariables>;
export const AppSettingsDocument = `
    query AppSettings($appId: ID!) {
  settings(appID: $appId) {
    ...SettingsFields
  }
}
    fragment SettingsFields on Settings {
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
}` as Document<AppSettingsQuery, AppSettingsQueryVariables>;
export const UpdateSettingsDocument = `
    mutation UpdateSettings($appId: ID!, $settings: JSON!, $expectedVersion: Int) {
  result: updateSettings(
    appID: $appId
    settings: $settings
    expectedVersion: $expectedVersion
  ) {
    ...SettingsResult
  }
}
    fragment SettingsFields on Settings {
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
}
fragment SettingsResult on SettingsMutationResult {
  success
  settings {
    ...SettingsFields
  }
  error {
    code
    message
    details
  }
}` as Document<UpdateSettingsMutation, UpdateSettingsMutationVariables>;
export const DeleteSettingsDocument = `
    mutation DeleteSettings($appId: ID!, $expectedVersion: Int) {
  result: deleteSettings(appID: $appId, expectedVersion: $expectedVersion) {
    ...SettingsResult
  }
}
    fragment SettingsFields on Settings {
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
}
fragment SettingsResult on SettingsMutationResult {
  success
  settings {
    ...SettingsFields
  }
  error {
    code
    message
    details
  }
}` as Document<DeleteSettingsMutation, DeleteSettingsMutationVariables>;
export const SettingSourcesDocument = `
    query SettingSources($appId: ID!, $k0: String!, $k1: String!, $k2: String!, $k3: String!, $k4: String!) {
  s0: settingValue(appID: $appId, key: $k0) {
    ...Source
  }
  s1: settingValue(appID: $appId, key: $k1) {
    ...Source
  }
  s2: settingValue(appID: $appId, key: $k2) {
    ...Source
  }
  s3: settingValue(appID: $appId, key: $k3) {
    ...Source
  }
  s4: settingValue(appID: $appId, key: $k4) {
    ...Source
  }
}
    fragment Source on SettingValue {
  key
  source
}` as Document<SettingSourcesQuery, SettingSourcesQueryVariables>;
export const SnapshotsDocument = `
    query Snapshots($name: String!) {
  appSnapshots(name: $name) {
    id
    appVersion
    reason
    label
    actor
    state
    error
    databaseBytes
    storage {
      usedBytes
    }
    createdAt
  }
}
    ` as Document<SnapshotsQuery, SnapshotsQueryVariables>;
export const SubjectsDocument = `
    query Subjects($ids: [String!]!) {
  subjects(ids: $ids) {
    ...Person
  }
}
    fragment Person on Subject {
  id
  displayName
}` as Document<SubjectsQuery, SubjectsQueryVariables>;
export const PeopleDocument = `
    query People($search: String!, $first: Int!) {
  people(search: $search, first: $first) {
    ...Person
  }
}
    fragment Person on Subject {
  id
  displayName
}` as Document<PeopleQuery, PeopleQueryVariables>;
export const AppNamesDocument = `
    query AppNames($names: [String!]!, $first: Int!) {
  apps(filter: { names: $names }, first: $first) {
    edges {
      node {
        name
        displayName
      }
    }
  }
}
    ` as Document<AppNamesQuery, AppNamesQueryVariables>;
export const RequestsDocument = `
    query Requests($appName: String, $failed: Boolean, $slowerThanMs: Int, $caller: String, $since: DateTime, $until: DateTime, $first: Int!, $after: String) {
  requests(
    appName: $appName
    failed: $failed
    slowerThanMs: $slowerThanMs
    caller: $caller
    since: $since
    until: $until
    first: $first
    after: $after
  ) {
    edges {
      cursor
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
export const TraceDocument = `
    query Trace($id: String!) {
  trace(id: $id) {
    id
    traceIds
    requestIds
    truncated
    hidden
    requests {
      ...TracedRequest
    }
    hookEvents {
      id
      hookName
      sourceApp
      triggeredAt
      triggeredBy
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
      ...AuditRow
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
}
fragment AuditRow on AuditEntry {
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
  timestamp
  actor
  traceId
  operationId
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
export const TraceLogsDocument = `
    query TraceLogs($id: String!) {
  trace(id: $id) {
    id
    logsIncomplete
    logs {
      appName
      time
      stream
      text
      isCut
      container
      generation
    }
  }
}
    ` as Document<TraceLogsQuery, TraceLogsQueryVariables>;
export const RecordPageDocument = `
    mutation RecordPage($appName: String!, $traceId: String!, $marks: [PageMark!]!) {
  recordPage(appName: $appName, traceId: $traceId, marks: $marks)
}
    ` as Document<RecordPageMutation, RecordPageMutationVariables>;
export const ViewerDocument = `
    query Viewer {
  viewer {
    subject
    kind
    displayName
    permissions
  }
}
    ` as Document<ViewerQuery, ViewerQueryVariables>;