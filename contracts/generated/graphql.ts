// Generated from contracts/graphql/schema.graphql by `npm run generate`. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
export type Maybe<T> = T | null | undefined;
export type InputMaybe<T> = T | null | undefined;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** An arbitrary JSON value. */
  JSON: { input: unknown; output: unknown; }
  /** RFC 3339, UTC, milliseconds. */
  DateTime: { input: string; output: Date | string; }
};

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

export type UiMode =
  | 'FEDERATION'
  | 'WEB_COMPONENT'
  | 'ESM_COMPONENT';

/** A registered application. `id` and `appId` are the same UUIDv7; both names are supported. */
export type App = {
  readonly __typename?: 'App';
  readonly id: Scalars['ID']['output'];
  readonly appId: Scalars['ID']['output'];
  readonly name: Scalars['String']['output'];
  readonly displayName: Scalars['String']['output'];
  /** What the app is for, in one sentence. Null if its manifest does not say so. */
  readonly description?: Maybe<Scalars['String']['output']>;
  readonly version: Scalars['String']['output'];
  /** 1, or higher where a development platform accepted changed content under the same version. */
  readonly revision: Scalars['Int']['output'];
  /** A newer release that is registered but not installed. */
  readonly availableVersion?: Maybe<Scalars['String']['output']>;
  /** Digest of its manifest. approvePermissions accepts it. */
  readonly availableDigest?: Maybe<Scalars['String']['output']>;
  readonly state: AppState;
  readonly enabled: Scalars['Boolean']['output'];
  readonly health: HealthState;
  /** Since when its container is stopped because the app was idle. The app stays RUNNING. */
  readonly asleepSince?: Maybe<Scalars['DateTime']['output']>;
  readonly registeredAt: Scalars['DateTime']['output'];
  readonly installedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly updatedAt: Scalars['DateTime']['output'];
  readonly manifestDigest: Scalars['String']['output'];
  readonly certificateFingerprint: Scalars['String']['output'];
  readonly certificateExpiresAt?: Maybe<Scalars['DateTime']['output']>;
  readonly requiredPermissions: ReadonlyArray<AppPermission>;
  readonly dependencies: ReadonlyArray<AppDependency>;
  readonly ui?: Maybe<AppUi>;
  readonly api?: Maybe<AppApi>;
  readonly assets: ReadonlyArray<Asset>;
  /** The image of the version that serves, or that an installation would use. Null: the platform runs no container of the app. */
  readonly image?: Maybe<AppImage>;
  readonly deployment?: Maybe<Deployment>;
  readonly conditions: ReadonlyArray<Condition>;
  readonly lastError?: Maybe<Problem>;
  /** The running operation, or the last one. */
  readonly operation?: Maybe<Operation>;
  readonly history: ReadonlyArray<AppTransition>;
  /** The transitions of the app's deployments in the last 30 days, newest first. */
  readonly deploymentEvents: ReadonlyArray<DeploymentEvent>;
  /** The releases that are kept, newest first. upgradeApp and rollbackApp accept their versions. */
  readonly releases: ReadonlyArray<AppRelease>;
  /** The releases that served, each with the time of the switch to it, newest first. `first`: 1 to 250. */
  readonly versionHistory: ReadonlyArray<VersionChange>;
  /** What the app keeps on disk, sorted by name. Includes what an earlier version declared and what is kept until it is deleted. */
  readonly storage: ReadonlyArray<AppStorage>;
  /** The database of the app. Null until it is measured. */
  readonly database?: Maybe<AppDatabase>;
};


/** A registered application. `id` and `appId` are the same UUIDv7; both names are supported. */
export type AppHistoryArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** A registered application. `id` and `appId` are the same UUIDv7; both names are supported. */
export type AppDeploymentEventsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** A registered application. `id` and `appId` are the same UUIDv7; both names are supported. */
export type AppVersionHistoryArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
};

/**
 * The image of a version. `digest`: the one that its signed manifest names, `sha256:…`. Null: the tag of the stage names the image, so
 * the registry decides what runs.
 */
export type AppImage = {
  readonly __typename?: 'AppImage';
  readonly digest?: Maybe<Scalars['String']['output']>;
};

/**
 * A folder that outlives the containers of an app. `createdAt`: null until it is made for the first container. `usedBytes`: the
 * size of its files when it was last measured, a whole number; null until then. `declared`: whether the installed version has it.
 */
export type AppStorage = {
  readonly __typename?: 'AppStorage';
  readonly name: Scalars['String']['output'];
  readonly mountPath: Scalars['String']['output'];
  readonly size: Scalars['String']['output'];
  readonly declared: Scalars['Boolean']['output'];
  readonly createdAt?: Maybe<Scalars['DateTime']['output']>;
  readonly usedBytes?: Maybe<Scalars['Float']['output']>;
  readonly measuredAt?: Maybe<Scalars['DateTime']['output']>;
};

/**
 * The database of an app. `usedBytes`, `limitBytes`: whole numbers. `fullSince`: since when it is over its limit and the app gets no
 * connections; null while it is within it.
 */
export type AppDatabase = {
  readonly __typename?: 'AppDatabase';
  readonly usedBytes: Scalars['Float']['output'];
  readonly limitBytes: Scalars['Float']['output'];
  readonly fullSince?: Maybe<Scalars['DateTime']['output']>;
  readonly measuredAt: Scalars['DateTime']['output'];
};

/**
 * A copy of the data of an app, of one moment. `appVersion`: the one that the app had. `actor`: null if the platform took it. `pausedMs`:
 * how long the app was paused for it; null if it did not run. `databaseBytes`: a whole number; null without a database. `expiresAt`:
 * null if it is kept among the newest.
 */
export type AppSnapshot = {
  readonly __typename?: 'AppSnapshot';
  readonly id: Scalars['ID']['output'];
  readonly appVersion: Scalars['String']['output'];
  readonly reason: SnapshotReason;
  readonly label?: Maybe<Scalars['String']['output']>;
  readonly actor?: Maybe<Scalars['String']['output']>;
  readonly state: SnapshotState;
  /** Why it failed. */
  readonly error?: Maybe<Scalars['String']['output']>;
  readonly pausedMs?: Maybe<Scalars['Int']['output']>;
  readonly databaseBytes?: Maybe<Scalars['Float']['output']>;
  readonly storage: ReadonlyArray<SnapshotStorage>;
  readonly createdAt: Scalars['DateTime']['output'];
  readonly finishedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly expiresAt?: Maybe<Scalars['DateTime']['output']>;
};

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

/** `usedBytes`: a whole number. */
export type SnapshotStorage = {
  readonly __typename?: 'SnapshotStorage';
  readonly name: Scalars['String']['output'];
  readonly usedBytes: Scalars['Float']['output'];
};

/** A registered revision of a version. `servedAt`: when it last began to serve, or null. */
export type AppRelease = {
  readonly __typename?: 'AppRelease';
  readonly version: Scalars['String']['output'];
  readonly revision: Scalars['Int']['output'];
  readonly manifestDigest: Scalars['String']['output'];
  readonly imageDigest?: Maybe<Scalars['String']['output']>;
  readonly registeredAt: Scalars['DateTime']['output'];
  readonly registeredBy?: Maybe<Scalars['String']['output']>;
  /** Null unless a trusted pipeline registered it. */
  readonly source?: Maybe<ReleaseSource>;
  readonly servedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly isCurrent: Scalars['Boolean']['output'];
};

/** A change of the release that serves. `REVERT`: an upgrade or rollback that was given up, with the reason. */
export type VersionChange = {
  readonly __typename?: 'VersionChange';
  readonly kind: VersionChangeKind;
  readonly fromVersion?: Maybe<Scalars['String']['output']>;
  readonly version: Scalars['String']['output'];
  readonly revision: Scalars['Int']['output'];
  readonly manifestDigest: Scalars['String']['output'];
  readonly imageDigest?: Maybe<Scalars['String']['output']>;
  readonly actor?: Maybe<Scalars['String']['output']>;
  readonly reason?: Maybe<Scalars['String']['output']>;
  readonly at: Scalars['DateTime']['output'];
};

export type VersionChangeKind =
  | 'INSTALL'
  | 'UPGRADE'
  | 'ROLLBACK'
  | 'REDEPLOY'
  | 'REVERT';

export type AppPermission = {
  readonly __typename?: 'AppPermission';
  readonly scope: Scalars['String']['output'];
  readonly resourceType: Scalars['String']['output'];
  readonly reason: Scalars['String']['output'];
  readonly requiresApproval: Scalars['Boolean']['output'];
  readonly approved: Scalars['Boolean']['output'];
  readonly approvedBy?: Maybe<Scalars['String']['output']>;
  readonly approvedAt?: Maybe<Scalars['DateTime']['output']>;
};

export type AppDependency = {
  readonly __typename?: 'AppDependency';
  readonly appName: Scalars['String']['output'];
  readonly kind: DependencyKind;
  readonly versionConstraint?: Maybe<Scalars['String']['output']>;
  readonly resolvedVersion?: Maybe<Scalars['String']['output']>;
  readonly satisfied: Scalars['Boolean']['output'];
};

/** `navigation` contains only routes that the caller may see, and none while the app is disabled. */
export type AppUi = {
  readonly __typename?: 'AppUI';
  readonly mode: UiMode;
  readonly entryAsset: Asset;
  readonly exposedModule?: Maybe<Scalars['String']['output']>;
  readonly routeBase: Scalars['String']['output'];
  readonly ssr: Scalars['Boolean']['output'];
  readonly navigation: ReadonlyArray<NavigationRoute>;
};

export type NavigationRoute = {
  readonly __typename?: 'NavigationRoute';
  readonly title: Scalars['String']['output'];
  readonly href: Scalars['String']['output'];
  readonly icon?: Maybe<Scalars['String']['output']>;
  readonly requiredPermissions: ReadonlyArray<Scalars['String']['output']>;
  readonly children: ReadonlyArray<NavigationRoute>;
  readonly metadata: Scalars['JSON']['output'];
};

export type AppApi = {
  readonly __typename?: 'AppApi';
  readonly basePath: Scalars['String']['output'];
  readonly publicUrl: Scalars['String']['output'];
  readonly upstreamBaseUrl: Scalars['String']['output'];
  /** The URL of the app's API description, as declared in its manifest. */
  readonly openapiUrl?: Maybe<Scalars['String']['output']>;
  /** What the platform has read there for the release that serves. Null before the first reading, and without `openapiUrl`. */
  readonly description?: Maybe<ApiDescription>;
  /** Names of the request headers that the proxy forwards in addition to those that it always forwards. */
  readonly forwardHeaders: ReadonlyArray<Scalars['String']['output']>;
  readonly routes: ReadonlyArray<ApiRoute>;
  readonly breaker: BreakerState;
};

/** Operations of an app's API that its OpenAPI document describes. The document is read when the release begins to serve. */
export type ApiDescription = {
  readonly __typename?: 'ApiDescription';
  /** SHA-256 of the document, hex. Null if none could be read. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** How many operations are described. */
  readonly operations: Scalars['Int']['output'];
  /** Why the last reading failed. The description is then that of an earlier reading of the same release, if there is one. */
  readonly problem?: Maybe<Scalars['String']['output']>;
  readonly readAt: Scalars['DateTime']['output'];
};

export type ApiRoute = {
  readonly __typename?: 'ApiRoute';
  readonly id: Scalars['ID']['output'];
  readonly pattern: Scalars['String']['output'];
  readonly methods: ReadonlyArray<Scalars['String']['output']>;
  readonly scopes: ReadonlyArray<Scalars['String']['output']>;
  readonly isPublic: Scalars['Boolean']['output'];
  readonly timeoutMs: Scalars['Int']['output'];
  readonly rateLimit?: Maybe<RateLimit>;
};

export type RateLimit = {
  readonly __typename?: 'RateLimit';
  readonly limit: Scalars['Int']['output'];
  readonly windowSeconds: Scalars['Int']['output'];
  readonly burst?: Maybe<Scalars['Int']['output']>;
  readonly keyPattern: Scalars['String']['output'];
};

export type BreakerState =
  | 'CLOSED'
  | 'OPEN'
  | 'HALF_OPEN';

/** A file of an app's frontend. `integrity` is `sha256-<base64>`; `url` is versioned and immutable. */
export type Asset = {
  readonly __typename?: 'Asset';
  readonly appName: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  readonly mimeType: Scalars['String']['output'];
  readonly size: Scalars['Int']['output'];
  readonly sha256: Scalars['String']['output'];
  readonly integrity: Scalars['String']['output'];
  readonly etag: Scalars['String']['output'];
  readonly url: Scalars['String']['output'];
  readonly signatureAlgorithm: Scalars['String']['output'];
};

/** The orchestrator's record of one app's container (docs/interface/states.md#deployment-record). */
export type Deployment = {
  readonly __typename?: 'Deployment';
  readonly id: Scalars['ID']['output'];
  readonly appId: Scalars['ID']['output'];
  readonly appVersion: Scalars['String']['output'];
  readonly state: DeploymentState;
  readonly containerId?: Maybe<Scalars['String']['output']>;
  readonly healthStatus: HealthState;
  readonly driver: Scalars['String']['output'];
  readonly image?: Maybe<Scalars['String']['output']>;
  readonly imageDigest?: Maybe<Scalars['String']['output']>;
  readonly containerName?: Maybe<Scalars['String']['output']>;
  readonly generation: Scalars['Int']['output'];
  readonly restartCount: Scalars['Int']['output'];
  /**
   * Whether the container was created with another configuration than it should have now. The platform replaces it by itself. If the
   * replacement fails, it stays true until the configuration changes again.
   */
  readonly outOfDate: Scalars['Boolean']['output'];
  readonly endpoint?: Maybe<Scalars['String']['output']>;
  /** How many instances the app should have. Null while it is not reachable. */
  readonly wantedInstances?: Maybe<Scalars['Int']['output']>;
  /** The copies that the app runs as. Empty while it is not reachable. */
  readonly instances: ReadonlyArray<AppInstance>;
  readonly lastError?: Maybe<Problem>;
  /** Why the app does not run, in one sentence. Null while its container is healthy. */
  readonly reason?: Maybe<Scalars['String']['output']>;
  /** How the app last ended by itself, in this deployment or the failed one that it continues. */
  readonly lastCrash?: Maybe<Crash>;
  /** What the container was created with. Null before that. */
  readonly limits?: Maybe<ContainerLimits>;
  /** Null if the app counts as healthy while it runs, and before its container is created. */
  readonly healthCheck?: Maybe<HealthCheck>;
  readonly createdAt: Scalars['DateTime']['output'];
  readonly updatedAt: Scalars['DateTime']['output'];
};

/**
 * `output`: the last lines that the app printed, oldest first, at most 20 of at most 1,000 characters. Empty for a caller without
 * `app:logs`.
 */
export type Crash = {
  readonly __typename?: 'Crash';
  readonly at: Scalars['DateTime']['output'];
  readonly exitCode?: Maybe<Scalars['Int']['output']>;
  readonly output: ReadonlyArray<Scalars['String']['output']>;
};

/**
 * One of the copies that an app runs as. `place`: the machine that runs it, if the container engine has several. `restarts`: how often the
 * engine has restarted it. `problem`: why it does not run or is not ready.
 */
export type AppInstance = {
  readonly __typename?: 'AppInstance';
  readonly id: Scalars['String']['output'];
  readonly place?: Maybe<Scalars['String']['output']>;
  readonly ready: Scalars['Boolean']['output'];
  readonly startedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly restarts: Scalars['Int']['output'];
  readonly lastEnd?: Maybe<InstanceEnd>;
  readonly problem?: Maybe<Scalars['String']['output']>;
};

/** `cause`: `exit`, or `memory` if it was ended because it used more than its limit. */
export type InstanceEnd = {
  readonly __typename?: 'InstanceEnd';
  readonly at: Scalars['DateTime']['output'];
  readonly exitCode?: Maybe<Scalars['Int']['output']>;
  readonly cause: Scalars['String']['output'];
};

/** `memoryMb`: MiB. */
export type ContainerLimits = {
  readonly __typename?: 'ContainerLimits';
  readonly memoryMb: Scalars['Int']['output'];
  readonly cpuShares: Scalars['Int']['output'];
  readonly pids: Scalars['Int']['output'];
};

/** `threshold`: failures in a row that make the app unhealthy. */
export type HealthCheck = {
  readonly __typename?: 'HealthCheck';
  readonly path: Scalars['String']['output'];
  readonly intervalMs: Scalars['Int']['output'];
  readonly timeoutMs: Scalars['Int']['output'];
  readonly threshold: Scalars['Int']['output'];
};

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

export type Condition = {
  readonly __typename?: 'Condition';
  readonly type: Scalars['String']['output'];
  readonly status: Scalars['String']['output'];
  readonly reason: Scalars['String']['output'];
  readonly message: Scalars['String']['output'];
  readonly lastTransitionTime: Scalars['DateTime']['output'];
};

export type AppTransition = {
  readonly __typename?: 'AppTransition';
  readonly from?: Maybe<AppState>;
  readonly to: AppState;
  readonly reason: Scalars['String']['output'];
  readonly actor?: Maybe<Scalars['String']['output']>;
  readonly at: Scalars['DateTime']['output'];
};

/** A transition of a deployment, or a new finding while its state stays the same (docs/interface/states.md#deployment-transitions). */
export type DeploymentEvent = {
  readonly __typename?: 'DeploymentEvent';
  readonly deploymentId: Scalars['ID']['output'];
  readonly from?: Maybe<DeploymentState>;
  readonly to: DeploymentState;
  readonly error?: Maybe<Problem>;
  readonly at: Scalars['DateTime']['output'];
};

/** The reason for a refusal or failure. `code` is a code of the error catalogue. */
export type Problem = {
  readonly __typename?: 'Problem';
  readonly code: Scalars['String']['output'];
  readonly message: Scalars['String']['output'];
  readonly details?: Maybe<Scalars['JSON']['output']>;
};

/**
 * A long-running command. `progress` is 0..1 and includes the pull of an image. `version`: the version that it installs or
 * switches to.
 */
export type Operation = {
  readonly __typename?: 'Operation';
  readonly id: Scalars['ID']['output'];
  readonly appName: Scalars['String']['output'];
  readonly kind: Scalars['String']['output'];
  readonly version: Scalars['String']['output'];
  readonly actor?: Maybe<Scalars['String']['output']>;
  readonly stage: Scalars['String']['output'];
  readonly progress: Scalars['Float']['output'];
  readonly done: Scalars['Boolean']['output'];
  readonly error?: Maybe<Problem>;
  /** Why it is not done yet: the number of the attempt and the last failure of its deployment. Null before a failure. */
  readonly reason?: Maybe<Scalars['String']['output']>;
  readonly startedAt: Scalars['DateTime']['output'];
  readonly finishedAt?: Maybe<Scalars['DateTime']['output']>;
};

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
  readonly names?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  readonly appNames?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  readonly states?: InputMaybe<ReadonlyArray<AppState>>;
  readonly state?: InputMaybe<AppState>;
  readonly search?: InputMaybe<Scalars['String']['input']>;
  readonly needs?: InputMaybe<ReadonlyArray<AppNeed>>;
};

/** `INSTALLED` matches every installed app: INSTALLED, RUNNING and UNHEALTHY. */
export type AppStateFilter = {
  readonly appNames?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  readonly states?: InputMaybe<ReadonlyArray<AppState>>;
};

export type AppConnection = {
  readonly __typename?: 'AppConnection';
  readonly edges: ReadonlyArray<AppEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type AppEdge = {
  readonly __typename?: 'AppEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: App;
};

/** Relay cursor connections. */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  readonly hasNextPage: Scalars['Boolean']['output'];
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  readonly startCursor?: Maybe<Scalars['String']['output']>;
  readonly endCursor?: Maybe<Scalars['String']['output']>;
};

export type Settings = {
  readonly __typename?: 'Settings';
  readonly appId: Scalars['ID']['output'];
  readonly values: Scalars['JSON']['output'];
  readonly schema: Scalars['JSON']['output'];
  readonly version: Scalars['Int']['output'];
  /** The values that are set, without defaults and secrets. */
  readonly stored: Scalars['JSON']['output'];
  readonly secretsSet: ReadonlyArray<Scalars['String']['output']>;
  readonly updatedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly updatedBy?: Maybe<Scalars['String']['output']>;
  /** Problems of stored values: a value does not match the schema, cannot be decrypted, or is missing. */
  readonly conditions: ReadonlyArray<Condition>;
};

export type SettingValue = {
  readonly __typename?: 'SettingValue';
  readonly key: Scalars['String']['output'];
  readonly value?: Maybe<Scalars['JSON']['output']>;
  readonly dataType: Scalars['String']['output'];
  readonly sensitive: Scalars['Boolean']['output'];
  readonly isSet: Scalars['Boolean']['output'];
  readonly source: SettingSource;
  readonly updatedAt?: Maybe<Scalars['DateTime']['output']>;
};

export type SettingSource =
  | 'DEFAULT'
  | 'STORED';

export type SettingsMutationResult = {
  readonly __typename?: 'SettingsMutationResult';
  readonly success: Scalars['Boolean']['output'];
  readonly settings?: Maybe<Settings>;
  readonly error?: Maybe<Problem>;
};

export type AppMutationResult = {
  readonly __typename?: 'AppMutationResult';
  readonly success: Scalars['Boolean']['output'];
  readonly id?: Maybe<Scalars['ID']['output']>;
  readonly app?: Maybe<App>;
  readonly operation?: Maybe<Operation>;
  readonly warnings: ReadonlyArray<Problem>;
  readonly error?: Maybe<Problem>;
};

/** `image`: of the app itself; null if the platform runs no container of it. */
export type InstallPlan = {
  readonly __typename?: 'InstallPlan';
  readonly app: App;
  readonly image?: Maybe<AppImage>;
  readonly steps: ReadonlyArray<PlanStep>;
  readonly blockers: ReadonlyArray<Problem>;
  readonly warnings: ReadonlyArray<Problem>;
  readonly approvalsNeeded: ReadonlyArray<AppPermission>;
  /** Digest of the manifests that the steps would install. installApp accepts it, and refuses if the manifests have changed. */
  readonly digest: Scalars['String']['output'];
};

/** What an upgrade or a rollback would do. `app` is as it is now. `image`: of the version; null if it has no container. */
export type UpgradePlan = {
  readonly __typename?: 'UpgradePlan';
  readonly app: App;
  readonly version: Scalars['String']['output'];
  readonly image?: Maybe<AppImage>;
  readonly steps: ReadonlyArray<PlanStep>;
  readonly blockers: ReadonlyArray<Problem>;
  readonly warnings: ReadonlyArray<Problem>;
  readonly approvalsNeeded: ReadonlyArray<AppPermission>;
  /**
   * What the manifest changes: permissions, ownScopes, routes, navigation, hooks, activities, settings, dependencies, translations,
   * storage, environment and resources, each with `added`, `removed` and, where it applies, `changed`; replicas, irreversibleMigration,
   * description, imageDigest, user, uiMode, routeBase and basePath.
   */
  readonly differences: Scalars['JSON']['output'];
  /** Digest of the manifests before and after. upgradeApp and rollbackApp accept it, and refuse if they have changed. */
  readonly digest: Scalars['String']['output'];
};

/** `image`: null if the platform runs no container of the app. */
export type PlanStep = {
  readonly __typename?: 'PlanStep';
  readonly action: Scalars['String']['output'];
  readonly appName: Scalars['String']['output'];
  readonly version: Scalars['String']['output'];
  readonly manifestDigest: Scalars['String']['output'];
  readonly image?: Maybe<AppImage>;
  readonly reason: Scalars['String']['output'];
};

export type HookTriggerResult = {
  readonly __typename?: 'HookTriggerResult';
  readonly success: Scalars['Boolean']['output'];
  readonly eventId: Scalars['ID']['output'];
  readonly hookName: Scalars['String']['output'];
  readonly subscribers: Scalars['Int']['output'];
  readonly deliveries: ReadonlyArray<HookDelivery>;
  readonly error?: Maybe<Problem>;
};

export type HookEvent = {
  readonly __typename?: 'HookEvent';
  readonly id: Scalars['ID']['output'];
  readonly hookName: Scalars['String']['output'];
  readonly sourceApp?: Maybe<Scalars['String']['output']>;
  readonly data?: Maybe<Scalars['JSON']['output']>;
  readonly triggeredAt: Scalars['DateTime']['output'];
  readonly triggeredBy?: Maybe<Scalars['String']['output']>;
  readonly traceId?: Maybe<Scalars['String']['output']>;
};

export type HookDelivery = {
  readonly __typename?: 'HookDelivery';
  readonly id: Scalars['ID']['output'];
  readonly eventId: Scalars['ID']['output'];
  readonly hookName: Scalars['String']['output'];
  readonly appName: Scalars['String']['output'];
  readonly status: DeliveryStatus;
  readonly attempt: Scalars['Int']['output'];
  readonly nextAttemptAt?: Maybe<Scalars['DateTime']['output']>;
  readonly error?: Maybe<Problem>;
  readonly updatedAt: Scalars['DateTime']['output'];
  readonly attempts: ReadonlyArray<DeliveryAttempt>;
  readonly traceId?: Maybe<Scalars['String']['output']>;
};

export type DeliveryAttempt = {
  readonly __typename?: 'DeliveryAttempt';
  readonly number: Scalars['Int']['output'];
  readonly at: Scalars['DateTime']['output'];
  readonly durationMs: Scalars['Int']['output'];
  readonly outcome: Scalars['String']['output'];
  readonly error?: Maybe<Scalars['String']['output']>;
};

export type DeliveryStatus =
  | 'PENDING'
  | 'SENDING'
  | 'DELIVERED'
  | 'RETRYING'
  | 'DEAD'
  | 'DROPPED';

export type ActivityRun = {
  readonly __typename?: 'ActivityRun';
  readonly id: Scalars['ID']['output'];
  readonly appName: Scalars['String']['output'];
  readonly activity: Scalars['String']['output'];
  readonly status: RunStatus;
  readonly attempt: Scalars['Int']['output'];
  readonly progress?: Maybe<Scalars['Float']['output']>;
  readonly stage?: Maybe<Scalars['String']['output']>;
  /** Whether it was requested to stop. */
  readonly cancelRequested: Scalars['Boolean']['output'];
  readonly input?: Maybe<Scalars['JSON']['output']>;
  readonly output?: Maybe<Scalars['JSON']['output']>;
  readonly error?: Maybe<Problem>;
  readonly scheduledFor?: Maybe<Scalars['DateTime']['output']>;
  readonly queuedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly startedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly finishedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The run that this one repeats. That run may be deleted. */
  readonly retryOf?: Maybe<Scalars['ID']['output']>;
  readonly traceId?: Maybe<Scalars['String']['output']>;
  /** The attempts that have ended, in their order. */
  readonly attempts: ReadonlyArray<RunAttempt>;
};

/** An attempt of a run. `outcome`: COMPLETED, FAILED, CANCELED, TIMED_OUT or CRASHED. */
export type RunAttempt = {
  readonly __typename?: 'RunAttempt';
  readonly number: Scalars['Int']['output'];
  readonly startedAt: Scalars['DateTime']['output'];
  readonly finishedAt: Scalars['DateTime']['output'];
  readonly outcome: RunStatus;
  readonly error?: Maybe<Problem>;
};

/**
 * A declared activity of an installed app. `inputSchema`: the JSON Schema of its input; null if it takes any. `maxRetries`: attempts
 * after the first. `concurrency`: runs at a time; null if they are unlimited.
 */
export type Activity = {
  readonly __typename?: 'Activity';
  readonly appName: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  readonly inputSchema?: Maybe<Scalars['JSON']['output']>;
  readonly timeoutMs: Scalars['Int']['output'];
  readonly maxRetries: Scalars['Int']['output'];
  readonly concurrency?: Maybe<Scalars['Int']['output']>;
  readonly singletonKey?: Maybe<Scalars['String']['output']>;
  readonly schedules: ReadonlyArray<ActivitySchedule>;
};

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

export type ActivitySchedule = {
  readonly __typename?: 'ActivitySchedule';
  readonly id: Scalars['ID']['output'];
  readonly appName: Scalars['String']['output'];
  readonly activity: Scalars['String']['output'];
  /** Distinguishes several schedules of one activity. */
  readonly key: Scalars['String']['output'];
  readonly cron: Scalars['String']['output'];
  readonly timezone: Scalars['String']['output'];
  /** False if the app switched it off, or if it is paused. */
  readonly enabled: Scalars['Boolean']['output'];
  /** Whether a user paused it. The app cannot resume it. */
  readonly paused: Scalars['Boolean']['output'];
  /** After a failure to start a run, when the platform tries again. */
  readonly nextRunAt?: Maybe<Scalars['DateTime']['output']>;
  /** Why the platform could not start a run. Null once it could again. */
  readonly lastError?: Maybe<Scalars['String']['output']>;
};

export type SystemEvent = {
  readonly __typename?: 'SystemEvent';
  readonly id: Scalars['ID']['output'];
  readonly type: SystemEventType;
  readonly severity: Severity;
  readonly appName?: Maybe<Scalars['String']['output']>;
  readonly message: Scalars['String']['output'];
  readonly data?: Maybe<Scalars['JSON']['output']>;
  readonly timestamp: Scalars['DateTime']['output'];
  readonly actor?: Maybe<Scalars['String']['output']>;
  readonly traceId?: Maybe<Scalars['String']['output']>;
  /** The operation on the app that it is a step of. Null if it is a step of none. */
  readonly operationId?: Maybe<Scalars['ID']['output']>;
  readonly sequence: Scalars['Int']['output'];
};

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

/**
 * Something that people have to look at, from its beginning to its end. There is one incident of a kind and a subject at a time.
 * `closedAt`: null as long as it lasts.
 */
export type Incident = {
  readonly __typename?: 'Incident';
  readonly id: Scalars['ID']['output'];
  readonly kind: IncidentKind;
  /** What it is about: an app, a host, a folder, `backup`, or a notification target. */
  readonly subject: Scalars['String']['output'];
  /** Null if it concerns no app. */
  readonly appName?: Maybe<Scalars['String']['output']>;
  readonly message: Scalars['String']['output'];
  readonly openedAt: Scalars['DateTime']['output'];
  readonly closedAt?: Maybe<Scalars['DateTime']['output']>;
};

export type BackupState =
  /** No process makes it yet. */
  | 'REQUESTED'
  | 'RUNNING'
  | 'COMPLETED'
  | 'FAILED';

/** A backup of the whole platform, and what became of it. */
export type Backup = {
  readonly __typename?: 'Backup';
  readonly id: Scalars['ID']['output'];
  readonly state: BackupState;
  /** The time of the schedule. Null for a backup that was requested otherwise. */
  readonly dueAt?: Maybe<Scalars['DateTime']['output']>;
  readonly requestedAt: Scalars['DateTime']['output'];
  readonly startedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly finishedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Where the file is. */
  readonly location?: Maybe<Scalars['String']['output']>;
  readonly bytes?: Maybe<Scalars['Float']['output']>;
  readonly error?: Maybe<Scalars['String']['output']>;
  /** What was copied at other moments than the rest, in sentences. */
  readonly notOfOneMoment: ReadonlyArray<Scalars['String']['output']>;
  /** When the file was last restored on trial. */
  readonly testedAt?: Maybe<Scalars['DateTime']['output']>;
};

/** `problem`: why no backup can be made, in one sentence. Null if it can. */
export type BackupSummary = {
  readonly __typename?: 'BackupSummary';
  /** A cron expression in UTC. Null if only requested backups are made. */
  readonly schedule?: Maybe<Scalars['String']['output']>;
  /** Where backups are kept. */
  readonly target?: Maybe<Scalars['String']['output']>;
  readonly problem?: Maybe<Scalars['String']['output']>;
  readonly lastCompleted?: Maybe<Backup>;
  /** The one whose file was tested last. */
  readonly lastTested?: Maybe<Backup>;
};

export type NotificationTargetKind =
  | 'WEBHOOK'
  | 'SLACK'
  | 'MAIL';

/**
 * A receiver of system events outside of the platform. `address`: the URL of a webhook, the origin of a Slack URL, or addresses
 * separated by commas. `types`: null for every type. `isConfigured`: whether the options of the platform define it; then no operation
 * changes it.
 */
export type NotificationTarget = {
  readonly __typename?: 'NotificationTarget';
  readonly id: Scalars['ID']['output'];
  readonly name: Scalars['String']['output'];
  readonly kind: NotificationTargetKind;
  readonly address: Scalars['String']['output'];
  readonly types?: Maybe<ReadonlyArray<SystemEventType>>;
  readonly isEnabled: Scalars['Boolean']['output'];
  readonly isConfigured: Scalars['Boolean']['output'];
  readonly createdAt: Scalars['DateTime']['output'];
  readonly createdBy: Scalars['String']['output'];
  /** Deliveries that wait or are being sent, up to 10,000. */
  readonly waiting: Scalars['Int']['output'];
  /** Deliveries that were given up, up to 10,000. */
  readonly deadLetters: Scalars['Int']['output'];
};

export type CreatedNotificationTarget = {
  readonly __typename?: 'CreatedNotificationTarget';
  readonly target: NotificationTarget;
  /**
   * The key of the signatures of a webhook, which is shown only here. Null for other kinds, and in the response to a repeated request with
   * the same `Idempotency-Key`.
   */
  readonly secret?: Maybe<Scalars['String']['output']>;
};

/** A message to a target. `type` is that of the event. */
export type NotificationDelivery = {
  readonly __typename?: 'NotificationDelivery';
  readonly id: Scalars['ID']['output'];
  readonly targetId: Scalars['ID']['output'];
  readonly eventId: Scalars['ID']['output'];
  readonly type: SystemEventType;
  readonly status: DeliveryStatus;
  readonly attempt: Scalars['Int']['output'];
  readonly nextAttemptAt?: Maybe<Scalars['DateTime']['output']>;
  readonly error?: Maybe<Problem>;
  readonly updatedAt: Scalars['DateTime']['output'];
  readonly attempts: ReadonlyArray<DeliveryAttempt>;
};

/** What became of a test message. `error`: why the receiver does not have it. */
export type NotificationTest = {
  readonly __typename?: 'NotificationTest';
  readonly isDelivered: Scalars['Boolean']['output'];
  readonly error?: Maybe<Scalars['String']['output']>;
  readonly durationMs: Scalars['Int']['output'];
};

export type HealthStatus = {
  readonly __typename?: 'HealthStatus';
  readonly status: Scalars['String']['output'];
  readonly version: Scalars['String']['output'];
  readonly uptimeSeconds: Scalars['Float']['output'];
  readonly checks: ReadonlyArray<HealthCheckResult>;
};

export type HealthCheckResult = {
  readonly __typename?: 'HealthCheckResult';
  readonly name: Scalars['String']['output'];
  readonly status: Scalars['String']['output'];
  readonly latencyMs?: Maybe<Scalars['Float']['output']>;
  readonly message?: Maybe<Scalars['String']['output']>;
};

export type Metrics = {
  readonly __typename?: 'Metrics';
  readonly apps: Scalars['JSON']['output'];
  readonly proxy: Scalars['JSON']['output'];
  readonly resources: Scalars['JSON']['output'];
  readonly hooks: Scalars['JSON']['output'];
  readonly activities: Scalars['JSON']['output'];
  readonly process: Scalars['JSON']['output'];
  readonly sampledAt: Scalars['DateTime']['output'];
};

/** The server that answers. */
export type Platform = {
  readonly __typename?: 'Platform';
  readonly version: Scalars['String']['output'];
  readonly nodeVersion: Scalars['String']['output'];
  /** Those in force, in the order of the reference. */
  readonly options: ReadonlyArray<PlatformOption>;
};

export type PlatformOption = {
  readonly __typename?: 'PlatformOption';
  /** The key of its part in the configuration file. */
  readonly section: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  /** Secrets are masked. Empty if it is not set. */
  readonly value: Scalars['String']['output'];
  /** Where the value is from: `default`, a flag, a variable, or the configuration file with its line. */
  readonly origin: Scalars['String']['output'];
};

/** `client`: the program of the language model that acted for the actor, null if none did. `said: ` before its name: it named itself so. */
export type AuditEntry = {
  readonly __typename?: 'AuditEntry';
  readonly id: Scalars['ID']['output'];
  readonly at: Scalars['DateTime']['output'];
  readonly actor: Scalars['String']['output'];
  readonly client?: Maybe<Scalars['String']['output']>;
  readonly action: Scalars['String']['output'];
  readonly target: Scalars['String']['output'];
  readonly outcome: Scalars['String']['output'];
  readonly details?: Maybe<Scalars['JSON']['output']>;
  readonly traceId?: Maybe<Scalars['String']['output']>;
};

/** One request with everything that it caused, in all apps. Each list is ordered by time, oldest first, and has at most 200 entries. */
export type Trace = {
  readonly __typename?: 'Trace';
  /** The id that was looked up. */
  readonly id: Scalars['String']['output'];
  /** Several, if requests of several traces carried the request id. At most 10. */
  readonly traceIds: ReadonlyArray<Scalars['String']['output']>;
  readonly requestIds: ReadonlyArray<Scalars['String']['output']>;
  readonly requests: ReadonlyArray<TracedRequest>;
  readonly hookEvents: ReadonlyArray<HookEvent>;
  readonly deliveries: ReadonlyArray<HookDelivery>;
  readonly runs: ReadonlyArray<ActivityRun>;
  readonly events: ReadonlyArray<SystemEvent>;
  readonly audit: ReadonlyArray<AuditEntry>;
  /** The lines that contain one of the ids, among the last 1,000 of each app of the trace. The logs are read only if this is selected. */
  readonly logs: ReadonlyArray<TracedLogLine>;
  /** Apps whose log could not be read, or could be searched only in part. */
  readonly logsIncomplete: ReadonlyArray<Scalars['String']['output']>;
  /** Whether a list, except `logs`, lacks entries beyond the first 200. */
  readonly truncated: Scalars['Boolean']['output'];
  /** The lists that the caller may not see. They are empty. */
  readonly hidden: ReadonlyArray<Scalars['String']['output']>;
};

/** What took time in the page of an app: `load`, `long task`, or a name of the page, of at most 64 characters. */
export type PageMark = {
  readonly name: Scalars['String']['input'];
  readonly at: Scalars['DateTime']['input'];
  readonly durationMs: Scalars['Float']['input'];
};

/**
 * A request of the last hour. `appName`: null for a request to the platform itself. `route`: the pattern of the route that matched,
 * never the path. `reason`: why it was refused or aborted. `caller`, `client`: as the actor and the client of an audit entry.
 */
export type TracedRequest = {
  readonly __typename?: 'TracedRequest';
  readonly requestId: Scalars['String']['output'];
  readonly traceId: Scalars['String']['output'];
  readonly at: Scalars['DateTime']['output'];
  readonly appName?: Maybe<Scalars['String']['output']>;
  readonly route?: Maybe<Scalars['String']['output']>;
  readonly method: Scalars['String']['output'];
  readonly status: Scalars['Int']['output'];
  readonly durationMs: Scalars['Float']['output'];
  readonly upstreamMs?: Maybe<Scalars['Float']['output']>;
  readonly reason?: Maybe<Scalars['String']['output']>;
  readonly caller: Scalars['String']['output'];
  readonly client?: Maybe<Scalars['String']['output']>;
};

/** A line of the log of an app, as `AppLogLine`. */
export type TracedLogLine = {
  readonly __typename?: 'TracedLogLine';
  readonly appName: Scalars['String']['output'];
  readonly time: Scalars['DateTime']['output'];
  readonly stream: LogStream;
  readonly text: Scalars['String']['output'];
  readonly isCut: Scalars['Boolean']['output'];
  readonly container: Scalars['String']['output'];
  readonly generation: Scalars['Int']['output'];
  readonly instance?: Maybe<Scalars['String']['output']>;
};

/**
 * The caller. `subject`: null for an anonymous caller and for the platform itself. `kind`: user, machine, app, anonymous or system.
 * `permissions`: those of the platform that it holds. `mayRegister`: whether it may register apps without the registration token.
 * `navigation`: of all installed apps that are enabled, as it may see it.
 */
export type Viewer = {
  readonly __typename?: 'Viewer';
  readonly subject?: Maybe<Scalars['String']['output']>;
  readonly kind: Scalars['String']['output'];
  readonly displayName?: Maybe<Scalars['String']['output']>;
  readonly permissions: ReadonlyArray<Scalars['String']['output']>;
  readonly mayRegister: Scalars['Boolean']['output'];
  readonly navigation: ReadonlyArray<NavigationRoute>;
  /** The apps with messages that the caller has not read. */
  readonly unreadMessages: ReadonlyArray<UnreadMessages>;
};

export type UnreadMessages = {
  readonly __typename?: 'UnreadMessages';
  readonly appName: Scalars['String']['output'];
  readonly count: Scalars['Int']['output'];
};

/**
 * What a person has given to a program that runs a language model. `clientName`: as the program names itself. `apps`: the only apps that it may
 * use; null for what the person may use. `isReadOnly`: whether it changes nothing.
 */
export type AgentConsent = {
  readonly __typename?: 'AgentConsent';
  readonly id: Scalars['ID']['output'];
  readonly clientId: Scalars['String']['output'];
  readonly clientName: Scalars['String']['output'];
  readonly apps?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  readonly isReadOnly: Scalars['Boolean']['output'];
  readonly createdAt: Scalars['DateTime']['output'];
  readonly expiresAt: Scalars['DateTime']['output'];
  readonly usedAt?: Maybe<Scalars['DateTime']['output']>;
};

/** What an app tells a person. `path`: the page of the app that it leads to, with query and fragment. */
export type AppMessage = {
  readonly __typename?: 'AppMessage';
  readonly id: Scalars['ID']['output'];
  readonly appName: Scalars['String']['output'];
  readonly title: Scalars['String']['output'];
  readonly text?: Maybe<Scalars['String']['output']>;
  readonly path: Scalars['String']['output'];
  readonly sentAt: Scalars['DateTime']['output'];
  readonly isRead: Scalars['Boolean']['output'];
};

export type AppMessageEdge = {
  readonly __typename?: 'AppMessageEdge';
  readonly node: AppMessage;
  readonly cursor: Scalars['String']['output'];
};

export type AppMessageConnection = {
  readonly __typename?: 'AppMessageConnection';
  readonly edges: ReadonlyArray<AppMessageEdge>;
  readonly pageInfo: PageInfo;
};

/** The page of an app, with all that a shell needs to load it. */
export type FrontendPage = {
  readonly __typename?: 'FrontendPage';
  readonly name: Scalars['String']['output'];
  readonly displayName: Scalars['String']['output'];
  readonly description?: Maybe<Scalars['String']['output']>;
  readonly version: Scalars['String']['output'];
  readonly mode: UiMode;
  /** Of the entry asset, in the release that serves. */
  readonly url: Scalars['String']['output'];
  readonly integrity: Scalars['String']['output'];
  readonly exposedModule?: Maybe<Scalars['String']['output']>;
  /** The path below which the app renders the page itself (`ssr`). Null if it does not. */
  readonly renderedUrl?: Maybe<Scalars['String']['output']>;
  readonly routeBase: Scalars['String']['output'];
  /**
   * The texts of the app in other languages, by the tag of the language: `{ "de": { "displayName", "description", "titles" } }`, with titles by
   * those of the navigation.
   */
  readonly translations: Scalars['JSON']['output'];
  readonly state: AppState;
  /** Whether the page must run in a frame of its own, without the platform's origin: unless the app holds `page:origin`. */
  readonly sandboxed: Scalars['Boolean']['output'];
  /** The app's own permissions that the caller holds, of the first 500 that its routes and navigation name. For what a page shows: each call is checked. */
  readonly permissions: ReadonlyArray<Scalars['String']['output']>;
  /** Every script of the release that serves. */
  readonly scripts: ReadonlyArray<PageScript>;
  /** The entries that the caller may see. */
  readonly navigation: ReadonlyArray<NavigationRoute>;
};

/**
 * An app with pages that the caller may not open. `icon`: of the first page that has one. `permissions`: those of the app that its pages
 * need and that the caller lacks, in the order of the manifest. `hasOpenPages`: whether the caller may open other pages of it.
 */
export type ClosedApp = {
  readonly __typename?: 'ClosedApp';
  readonly name: Scalars['String']['output'];
  readonly displayName: Scalars['String']['output'];
  readonly description?: Maybe<Scalars['String']['output']>;
  readonly icon?: Maybe<Scalars['String']['output']>;
  readonly routeBase: Scalars['String']['output'];
  readonly permissions: ReadonlyArray<Scalars['String']['output']>;
  readonly hasOpenPages: Scalars['Boolean']['output'];
};

/**
 * An app that the platform brings. `obstacle`: why this platform cannot run it, as a sentence. `app`: the app that is registered under its name.
 * `icon` and `translations`: as of FrontendPage, and the icon of the first entry of the navigation that has one.
 */
export type GalleryApp = {
  readonly __typename?: 'GalleryApp';
  readonly name: Scalars['String']['output'];
  readonly displayName: Scalars['String']['output'];
  readonly description?: Maybe<Scalars['String']['output']>;
  readonly icon?: Maybe<Scalars['String']['output']>;
  readonly translations: Scalars['JSON']['output'];
  readonly obstacle?: Maybe<Scalars['String']['output']>;
  readonly app?: Maybe<App>;
};

export type PageScript = {
  readonly __typename?: 'PageScript';
  readonly url: Scalars['String']['output'];
  readonly integrity: Scalars['String']['output'];
};

export type AccessRequestState =
  | 'OPEN'
  | 'GRANTED'
  | 'DECLINED';

export type AccessDecision =
  | 'GRANT'
  | 'DECLINE';

/**
 * What a person asks for. `access`: a level of the app, `viewer`, `editor` or `owner`, or a permission of the app: `notes:read`.
 * `appDisplayName`: the name of an app that was deleted.
 */
export type AccessRequest = {
  readonly __typename?: 'AccessRequest';
  readonly id: Scalars['ID']['output'];
  readonly person: Subject;
  readonly appName: Scalars['String']['output'];
  readonly appDisplayName: Scalars['String']['output'];
  readonly access: Scalars['String']['output'];
  readonly reason?: Maybe<Scalars['String']['output']>;
  readonly state: AccessRequestState;
  readonly requestedAt: Scalars['DateTime']['output'];
  readonly decidedAt?: Maybe<Scalars['DateTime']['output']>;
};

export type AccessRequestEdge = {
  readonly __typename?: 'AccessRequestEdge';
  readonly node: AccessRequest;
  readonly cursor: Scalars['String']['output'];
};

export type AccessRequestConnection = {
  readonly __typename?: 'AccessRequestConnection';
  readonly edges: ReadonlyArray<AccessRequestEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type Query = {
  readonly __typename?: 'Query';
  /** A cursor belongs to one order. */
  readonly apps: AppConnection;
  readonly app?: Maybe<App>;
  readonly asset?: Maybe<Asset>;
  readonly settings?: Maybe<Settings>;
  readonly settingValue?: Maybe<SettingValue>;
  readonly health: HealthStatus;
  /** What happened within the last minutes, 1 to 1,440, to all apps or to one, and the processes of the platform. */
  readonly metrics: Metrics;
  readonly platform: Platform;
  readonly viewer: Viewer;
  /** The pages of all installed and enabled apps that the caller may see, also of those that have failed since their installation. */
  readonly frontendFeed: ReadonlyArray<FrontendPage>;
  /** The page of one app. Null if the caller may not see it, or the app is not installed or disabled. */
  readonly frontendPage?: Maybe<FrontendPage>;
  /** The installed and enabled apps with pages that the caller may not open, and can ask for. Only people have any. */
  readonly closedApps: ReadonlyArray<ClosedApp>;
  /** The apps that the platform brings, by name. Empty on a platform that brings none. */
  readonly gallery: ReadonlyArray<GalleryApp>;
  readonly installPlan: InstallPlan;
  /** Default version: the newest registered one. A version below the one that serves is planned as a rollback. */
  readonly upgradePlan: UpgradePlan;
  readonly operation?: Maybe<Operation>;
  /** The snapshots of the data of an app, newest first. */
  readonly appSnapshots: ReadonlyArray<AppSnapshot>;
  readonly hookDeliveries: HookDeliveryConnection;
  /** Events of hooks, newest first, for as long as a delivery of them is kept. `appName`: the app whose hook it is. */
  readonly hookEvents: HookEventConnection;
  readonly hookEvent?: Maybe<HookEvent>;
  readonly activityRun?: Maybe<ActivityRun>;
  readonly activityRuns: ActivityRunConnection;
  /** Sorted by app and activity. `first`: 1 to 250, and without it all. `after`: the id of the last one seen. */
  readonly activitySchedules: ReadonlyArray<ActivitySchedule>;
  /** The activities that installed apps declare, with their schedules. */
  readonly activities: ReadonlyArray<Activity>;
  /**
   * Events of the last 30 days, newest first, without HOOK_TRIGGERED and ACTIVITY_EXECUTED: `hookDeliveries` and `activityRuns`
   * list these.
   */
  readonly systemEvents: SystemEventConnection;
  readonly systemEventById?: Maybe<SystemEvent>;
  /** Incidents of the last 90 days: those that last first, each part newest first. */
  readonly incidents: IncidentConnection;
  /** The last 500 backups of the platform, newest first. */
  readonly backups: BackupConnection;
  readonly backupSummary: BackupSummary;
  /** Notification targets by name. At most 100, and those of the options. */
  readonly notificationTargets: ReadonlyArray<NotificationTarget>;
  /** Deliveries to a notification target, newest first, of the last 7 days; those that were given up of the last 30 days. */
  readonly notificationDeliveries: NotificationDeliveryConnection;
  /** Who holds a permission of the platform, or of an app, and why. At most 1,000. */
  readonly permissionHolders: ReadonlyArray<PermissionHolder>;
  /**
   * What a subject holds, and why: `user:<id>`, `machine:<id>`, `app:<name>`, `group:<name>#member`, `role:<name>#assignee`. At
   * most 1,000.
   */
  readonly heldPermissions: ReadonlyArray<HeldPermission>;
  /**
   * What was given directly, by hand or by a source, ordered by subject: roles, levels of apps and permissions. Also what installations
   * gave to apps. `first`: 1 to 250, default 50.
   */
  readonly grants: AccessTupleConnection;
  /** The requests that wait for a decision, newest first. `own`: those of the caller instead, also the decided ones. */
  readonly accessRequests: AccessRequestConnection;
  /** The messages of apps to the caller, newest first. The last 200 are kept, and of those that are not read the last 100. */
  readonly appMessages: AppMessageConnection;
  /** What programs that run language models may do for the caller, newest first. */
  readonly agentConsents: ReadonlyArray<AgentConsent>;
  readonly roles: ReadonlyArray<Role>;
  readonly groups: ReadonlyArray<Group>;
  readonly appMembers: ReadonlyArray<AppMember>;
  /** Users by name, whose sign-in address, id or name matches; without a search the first ones. `first`: 1 to 50, default 10. */
  readonly people: ReadonlyArray<Subject>;
  /** Subjects with their names, in the order of `ids`; at most 100. */
  readonly subjects: ReadonlyArray<Subject>;
  /** The account of a person, `user:<id>`. Null if there is none, or the identity provider makes its accounts itself. */
  readonly personAccount?: Maybe<PersonAccount>;
  /**
   * What is stored of a person, `user:<id>`: account, sessions, permissions, groups, and the person's entries of the audit log. It has no
   * secrets. The audit log has who asked.
   */
  readonly personRecords: Scalars['JSON']['output'];
  /** Service accounts by name, with their tokens. At most 500. */
  readonly serviceAccounts: ReadonlyArray<ServiceAccount>;
  /** The pipelines whose tokens are exchanged for those of service accounts, oldest first. At most 200. */
  readonly trustedPipelines: ReadonlyArray<TrustedPipeline>;
  /** `outcome`: success, denied or failure. Texts match as a whole. `since`: from this time on; `until`: before this time. */
  readonly auditLog: AuditConnection;
  /**
   * What is known of the request or the trace with this id: a request id, as every response has it in X-Request-ID, a trace id or a
   * traceparent. Null if nothing is known, or nothing that the caller may see.
   */
  readonly trace?: Maybe<Trace>;
  /**
   * Requests of the last hour that are stored, newest first. Texts match as a whole. `failed`: only those with a status of 400 or above, or
   * a reason. `slowerThanMs`: only those that took longer. `since`: that began from this time on; `until`: before this time. `first`: 1 to
   * 100, default 50.
   */
  readonly requests: TracedRequestConnection;
  /**
   * The last lines that the app printed, oldest first. `tail`: 0 to 1,000, default 100, with `since` 1,000. `instance`: the beginning of
   * the id of an instance, of which alone lines are wanted.
   */
  readonly appLogs: AppLogs;
};


export type QueryAppsArgs = {
  filter?: InputMaybe<AppFilter>;
  order?: InputMaybe<AppOrder>;
  descending?: InputMaybe<Scalars['Boolean']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryAppArgs = {
  name: Scalars['String']['input'];
};


export type QueryAssetArgs = {
  appName: Scalars['String']['input'];
  assetName: Scalars['String']['input'];
};


export type QuerySettingsArgs = {
  appID: Scalars['ID']['input'];
};


export type QuerySettingValueArgs = {
  appID: Scalars['ID']['input'];
  key: Scalars['String']['input'];
};


export type QueryMetricsArgs = {
  appName?: InputMaybe<Scalars['String']['input']>;
  minutes?: InputMaybe<Scalars['Int']['input']>;
};


export type QueryFrontendPageArgs = {
  name: Scalars['String']['input'];
};


export type QueryInstallPlanArgs = {
  name: Scalars['String']['input'];
  version?: InputMaybe<Scalars['String']['input']>;
  withDependencies?: InputMaybe<Scalars['Boolean']['input']>;
};


export type QueryUpgradePlanArgs = {
  name: Scalars['String']['input'];
  version?: InputMaybe<Scalars['String']['input']>;
};


export type QueryOperationArgs = {
  id: Scalars['ID']['input'];
};


export type QueryAppSnapshotsArgs = {
  name: Scalars['String']['input'];
};


export type QueryHookDeliveriesArgs = {
  hookName?: InputMaybe<Scalars['String']['input']>;
  appName?: InputMaybe<Scalars['String']['input']>;
  status?: InputMaybe<DeliveryStatus>;
  eventId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryHookEventsArgs = {
  hookName?: InputMaybe<Scalars['String']['input']>;
  appName?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryHookEventArgs = {
  id: Scalars['ID']['input'];
};


export type QueryActivityRunArgs = {
  id: Scalars['ID']['input'];
};


export type QueryActivityRunsArgs = {
  appName?: InputMaybe<Scalars['String']['input']>;
  status?: InputMaybe<RunStatus>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryActivitySchedulesArgs = {
  appName?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['ID']['input']>;
};


export type QueryActivitiesArgs = {
  appName?: InputMaybe<Scalars['String']['input']>;
};


export type QuerySystemEventsArgs = {
  types?: InputMaybe<ReadonlyArray<SystemEventType>>;
  appName?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QuerySystemEventByIdArgs = {
  id: Scalars['ID']['input'];
};


export type QueryIncidentsArgs = {
  isOpen?: InputMaybe<Scalars['Boolean']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryBackupsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryNotificationDeliveriesArgs = {
  targetId: Scalars['ID']['input'];
  status?: InputMaybe<DeliveryStatus>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryPermissionHoldersArgs = {
  permission: Scalars['String']['input'];
  appName?: InputMaybe<Scalars['String']['input']>;
};


export type QueryHeldPermissionsArgs = {
  subject: Scalars['String']['input'];
};


export type QueryGrantsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryAccessRequestsArgs = {
  own?: InputMaybe<Scalars['Boolean']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryAppMessagesArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryAppMembersArgs = {
  appName: Scalars['String']['input'];
};


export type QueryPeopleArgs = {
  search?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


export type QuerySubjectsArgs = {
  ids: ReadonlyArray<Scalars['String']['input']>;
};


export type QueryPersonAccountArgs = {
  id: Scalars['ID']['input'];
};


export type QueryPersonRecordsArgs = {
  id: Scalars['ID']['input'];
};


export type QueryAuditLogArgs = {
  target?: InputMaybe<Scalars['String']['input']>;
  actor?: InputMaybe<Scalars['String']['input']>;
  client?: InputMaybe<Scalars['String']['input']>;
  action?: InputMaybe<Scalars['String']['input']>;
  outcome?: InputMaybe<Scalars['String']['input']>;
  since?: InputMaybe<Scalars['DateTime']['input']>;
  until?: InputMaybe<Scalars['DateTime']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryTraceArgs = {
  id: Scalars['String']['input'];
};


export type QueryRequestsArgs = {
  appName?: InputMaybe<Scalars['String']['input']>;
  failed?: InputMaybe<Scalars['Boolean']['input']>;
  minStatus?: InputMaybe<Scalars['Int']['input']>;
  slowerThanMs?: InputMaybe<Scalars['Int']['input']>;
  caller?: InputMaybe<Scalars['String']['input']>;
  method?: InputMaybe<Scalars['String']['input']>;
  since?: InputMaybe<Scalars['DateTime']['input']>;
  until?: InputMaybe<Scalars['DateTime']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryAppLogsArgs = {
  name: Scalars['String']['input'];
  tail?: InputMaybe<Scalars['Int']['input']>;
  since?: InputMaybe<Scalars['DateTime']['input']>;
  instance?: InputMaybe<Scalars['String']['input']>;
};

export type Mutation = {
  readonly __typename?: 'Mutation';
  /**
   * Gives a role (`assignee` of `role:<name>`), a level of an app (`owner`, `editor`, `viewer` of `app:<name>`) or a permission
   * (`holder` of its object). Repeatable.
   */
  readonly grantAccess: AccessTuple;
  readonly revokeAccess: AccessTuple;
  /**
   * Asks administrators for a level of an app (`viewer`, `editor`, `owner`) or one of its permissions, once a day for each. `reason`: one
   * line of at most 200 characters. Only people ask.
   */
  readonly requestAccess: AccessRequest;
  /** Gives what a person has asked for, as grantAccess does, or declines it. */
  readonly decideAccessRequest: AccessRequest;
  /** Marks messages of apps to the caller as read: those with these ids, at most 200, or all. Returns how many were unread. */
  readonly markMessagesRead: Scalars['Int']['output'];
  /** Takes from a program what the caller has given to it. Its tokens end at once. */
  readonly revokeAgentConsent: Scalars['ID']['output'];
  /**
   * Creates an account for programs, with its first token. `grants`: what it is given, as for `grantAccess`. `scopes`: what the token
   * allows of that, without them all of it: a permission of the platform (`app:install`) or of an app (`<app>/notes:read`), or `<app>/*`.
   * `expiresAt`: the end of the token, within 366 days; default: in 90 days.
   */
  readonly createServiceAccount: IssuedServiceAccountToken;
  /** Adds a token to a service account. `scopes` and `expiresAt` as for `createServiceAccount`. */
  readonly createServiceAccountToken: IssuedServiceAccountToken;
  /** Ends a token. Returns its id. */
  readonly revokeServiceAccountToken: Scalars['ID']['output'];
  /** Deletes a service account with its tokens and all that it was given. Returns its id. */
  readonly deleteServiceAccount: Scalars['ID']['output'];
  /**
   * Trusts a pipeline: its OpenID token is exchanged for a token of the service account that acts on `apps` only. `account`: its name.
   * GITHUB and GITLAB need `repository`, `repositoryId` and `ref`, and have an `issuer` of their own unless one is given; `environment`:
   * exactly that of the job, without it the job has none. OIDC needs `issuer` and `claims`. `audience`: of the token, default: the public
   * address of the platform.
   */
  readonly trustPipeline: TrustedPipeline;
  /** Ends the trust in a pipeline and every token that it has got. Returns its id. */
  readonly distrustPipeline: Scalars['ID']['output'];
  /** Disables an account, which ends all its sessions, or enables it. INVALID_STATE for the last administrator who can sign in. */
  readonly setPersonActive: PersonAccount;
  /**
   * Deletes an account and all that the person was given. Audit entries keep the id. INVALID_STATE for the last administrator who can
   * sign in. Returns the id.
   */
  readonly removePerson: Scalars['ID']['output'];
  /**
   * Makes an account with roles (`easy`: administrators), which its owner completes by a link. A letter to the address brings it; where
   * the platform sends no letters, or `withLink` is true, it is returned instead. `validHours`: 1 to 720, default 168, for administrators
   * 1. An account that is not complete gets another link in place of the earlier one.
   */
  readonly invitePerson: Invitation;
  /**
   * planDigest: the digest of the reviewed plan. CONFLICT if the plan has changed. Without withDependencies, missing HARD
   * dependencies are refused instead of installed.
   */
  readonly installApp: AppMutationResult;
  /** Registers an app of the gallery, approves what it requests if the caller may approve, and installs it. */
  readonly tryApp: AppMutationResult;
  /** purgeData: also delete its settings and the other data that the platform stores for it. */
  readonly uninstallApp: AppMutationResult;
  readonly updateSettings: SettingsMutationResult;
  readonly deleteSettings: SettingsMutationResult;
  /**
   * Adds what took time in the page of an app to the trace of its requests. At most 50 marks, within 10 minutes of the platform's time.
   * For users. Returns their number.
   */
  readonly recordPage: Scalars['Int']['output'];
  /** orderingKey: subscribers receive the app's hooks with the same key in order. */
  readonly triggerHook: HookTriggerResult;
  /** Starts the switch to a newer version; default: the newest. The operation shows when it has ended. */
  readonly upgradeApp: AppMutationResult;
  /**
   * Starts the switch to an earlier version that is kept; default: the one that served before. Without a version, a running
   * switch is cancelled instead. withData: with the data of the snapshot that was taken before the upgrade from that version; needs
   * app:backup, too.
   */
  readonly rollbackApp: AppMutationResult;
  /** Deploys the same version again while the running deployment serves. pull: resolve the tag of its image again. */
  readonly redeployApp: AppMutationResult;
  readonly setAppEnabled: AppMutationResult;
  readonly restartApp: AppMutationResult;
  /** Deletes the registration, with name, key and data. The result has the id of the app, and no app. */
  readonly deleteApp: AppMutationResult;
  /** Deletes one storage of an app that does not run. It is deleted after the response. */
  readonly deleteStorage: AppMutationResult;
  /**
   * Takes a snapshot of the data of an app. The operation has the id of the snapshot, and shows when it is complete. label: at most
   * 200 characters.
   */
  readonly createAppSnapshot: AppMutationResult;
  /** Replaces the data of an app by that of a snapshot, after another snapshot of what is there. The operation shows when it is done. */
  readonly restoreAppSnapshot: AppMutationResult;
  /**
   * Registers a copy of an app under the name `as`, with the data of a snapshot. It has no hooks, schedules and permissions on others, and
   * does not run before it is installed. The result is the clone; the operation shows when its data is there.
   */
  readonly cloneApp: AppMutationResult;
  /** Deletes a snapshot. It is deleted after the response. */
  readonly deleteAppSnapshot: AppMutationResult;
  /** certificate: PEM. */
  readonly replaceKey: AppMutationResult;
  /** Withdraws approvals, and what they granted. The app keeps running. */
  readonly revokePermissions: AppMutationResult;
  /** manifestDigest: the digest of the reviewed manifest. CONFLICT if the app has a different manifest. */
  readonly approvePermissions: AppMutationResult;
  readonly resendHookDelivery: HookDelivery;
  readonly recoverHookDeliveries: Scalars['Int']['output'];
  /** Creates a receiver of the events from now on. WEBHOOK and SLACK need a `url`, MAIL needs `addresses`. `types`: without it every type. */
  readonly createNotificationTarget: CreatedNotificationTarget;
  /**
   * Changes what is given. The kind and the secret of the signatures stay. `types`: null for every type. A target that is disabled gets no events;
   * what waits for it is sent when it is enabled again.
   */
  readonly updateNotificationTarget: NotificationTarget;
  /** Deletes a target with its deliveries. Returns its id. */
  readonly deleteNotificationTarget: Scalars['ID']['output'];
  /** Sends one message to a target, and waits for the response. */
  readonly testNotificationTarget: NotificationTest;
  /** Sends a finished delivery to a target again. */
  readonly resendNotificationDelivery: NotificationDelivery;
  /** Requests a backup of the platform, which begins within 15 s. Returns the one that waits already, if there is one. */
  readonly startBackup: Backup;
  /** runAt: the earliest start, within a year. Default: now. */
  readonly triggerActivity: ActivityRun;
  /** Sets a schedule; the same key replaces it. One of cron and intervalSeconds. timezone: IANA name. */
  readonly scheduleActivity: ActivitySchedule;
  /**
   * Ends an attempt of a run of the calling app, with at most one of output, error and canceled. `attempt`: as the app received it.
   * `error`: a message, with an optional `code` and `details`, an object; with `retry` of false in it no further attempt follows.
   */
  readonly finishActivityRun: ActivityRun;
  /** Stores the progress of a run of the calling app. `progress`: 0 to 1. `stage`: at most 200 characters. */
  readonly reportActivityProgress: ActivityRun;
  readonly cancelActivityRun: ActivityRun;
  /** Starts a new run with the activity and the input of a run that has ended. */
  readonly retryActivityRun: ActivityRun;
  /**
   * Pauses or resumes a schedule. It continues with its next time, not with those that passed. The app itself switches its own
   * schedule off or on instead.
   */
  readonly setScheduleEnabled: ActivitySchedule;
  /** Deletes a schedule. Throws INVALID_STATE for one that the app declares: it is paused instead. */
  readonly deleteSchedule: ActivitySchedule;
  /** Starts one run with the input of the schedule, also while it is paused. Its next time stays the same. */
  readonly runScheduleNow: ActivityRun;
};


export type MutationGrantAccessArgs = {
  user: Scalars['String']['input'];
  relation: Scalars['String']['input'];
  object: Scalars['String']['input'];
};


export type MutationRevokeAccessArgs = {
  user: Scalars['String']['input'];
  relation: Scalars['String']['input'];
  object: Scalars['String']['input'];
};


export type MutationRequestAccessArgs = {
  appName: Scalars['String']['input'];
  access: Scalars['String']['input'];
  reason?: InputMaybe<Scalars['String']['input']>;
};


export type MutationDecideAccessRequestArgs = {
  id: Scalars['ID']['input'];
  decision: AccessDecision;
};


export type MutationMarkMessagesReadArgs = {
  ids?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
};


export type MutationRevokeAgentConsentArgs = {
  id: Scalars['ID']['input'];
};


export type MutationCreateServiceAccountArgs = {
  name: Scalars['String']['input'];
  grants?: InputMaybe<ReadonlyArray<AccessGrant>>;
  scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
};


export type MutationCreateServiceAccountTokenArgs = {
  id: Scalars['ID']['input'];
  scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
};


export type MutationRevokeServiceAccountTokenArgs = {
  id: Scalars['ID']['input'];
  tokenId: Scalars['ID']['input'];
};


export type MutationDeleteServiceAccountArgs = {
  id: Scalars['ID']['input'];
};


export type MutationTrustPipelineArgs = {
  account: Scalars['String']['input'];
  provider: PipelineProvider;
  apps: ReadonlyArray<Scalars['String']['input']>;
  repository?: InputMaybe<Scalars['String']['input']>;
  repositoryId?: InputMaybe<Scalars['String']['input']>;
  ref?: InputMaybe<Scalars['String']['input']>;
  environment?: InputMaybe<Scalars['String']['input']>;
  issuer?: InputMaybe<Scalars['String']['input']>;
  audience?: InputMaybe<Scalars['String']['input']>;
  claims?: InputMaybe<ReadonlyArray<PipelineClaimInput>>;
};


export type MutationDistrustPipelineArgs = {
  id: Scalars['ID']['input'];
};


export type MutationSetPersonActiveArgs = {
  id: Scalars['ID']['input'];
  isActive: Scalars['Boolean']['input'];
};


export type MutationRemovePersonArgs = {
  id: Scalars['ID']['input'];
};


export type MutationInvitePersonArgs = {
  email: Scalars['String']['input'];
  name?: InputMaybe<Scalars['String']['input']>;
  roles?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  validHours?: InputMaybe<Scalars['Int']['input']>;
  withLink?: InputMaybe<Scalars['Boolean']['input']>;
};


export type MutationInstallAppArgs = {
  name: Scalars['String']['input'];
  withDependencies?: InputMaybe<Scalars['Boolean']['input']>;
  planDigest?: InputMaybe<Scalars['String']['input']>;
};


export type MutationTryAppArgs = {
  name: Scalars['String']['input'];
};


export type MutationUninstallAppArgs = {
  name: Scalars['String']['input'];
  purgeData?: InputMaybe<Scalars['Boolean']['input']>;
};


export type MutationUpdateSettingsArgs = {
  appID: Scalars['ID']['input'];
  settings: Scalars['JSON']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
};


export type MutationDeleteSettingsArgs = {
  appID: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
};


export type MutationRecordPageArgs = {
  appName: Scalars['String']['input'];
  traceId: Scalars['String']['input'];
  marks: ReadonlyArray<PageMark>;
};


export type MutationTriggerHookArgs = {
  name: Scalars['String']['input'];
  data?: InputMaybe<Scalars['JSON']['input']>;
  orderingKey?: InputMaybe<Scalars['String']['input']>;
};


export type MutationUpgradeAppArgs = {
  name: Scalars['String']['input'];
  version?: InputMaybe<Scalars['String']['input']>;
  planDigest?: InputMaybe<Scalars['String']['input']>;
};


export type MutationRollbackAppArgs = {
  name: Scalars['String']['input'];
  version?: InputMaybe<Scalars['String']['input']>;
  planDigest?: InputMaybe<Scalars['String']['input']>;
  withData?: InputMaybe<Scalars['Boolean']['input']>;
};


export type MutationRedeployAppArgs = {
  name: Scalars['String']['input'];
  pull?: InputMaybe<Scalars['Boolean']['input']>;
};


export type MutationSetAppEnabledArgs = {
  name: Scalars['String']['input'];
  enabled: Scalars['Boolean']['input'];
};


export type MutationRestartAppArgs = {
  name: Scalars['String']['input'];
};


export type MutationDeleteAppArgs = {
  name: Scalars['String']['input'];
};


export type MutationDeleteStorageArgs = {
  name: Scalars['String']['input'];
  storage: Scalars['String']['input'];
};


export type MutationCreateAppSnapshotArgs = {
  name: Scalars['String']['input'];
  label?: InputMaybe<Scalars['String']['input']>;
};


export type MutationRestoreAppSnapshotArgs = {
  name: Scalars['String']['input'];
  snapshot: Scalars['ID']['input'];
};


export type MutationCloneAppArgs = {
  name: Scalars['String']['input'];
  snapshot: Scalars['ID']['input'];
  as: Scalars['String']['input'];
};


export type MutationDeleteAppSnapshotArgs = {
  name: Scalars['String']['input'];
  snapshot: Scalars['ID']['input'];
};


export type MutationReplaceKeyArgs = {
  name: Scalars['String']['input'];
  certificate: Scalars['String']['input'];
};


export type MutationRevokePermissionsArgs = {
  name: Scalars['String']['input'];
  scopes: ReadonlyArray<Scalars['String']['input']>;
};


export type MutationApprovePermissionsArgs = {
  name: Scalars['String']['input'];
  scopes: ReadonlyArray<Scalars['String']['input']>;
  manifestDigest?: InputMaybe<Scalars['String']['input']>;
};


export type MutationResendHookDeliveryArgs = {
  id: Scalars['ID']['input'];
};


export type MutationRecoverHookDeliveriesArgs = {
  hookName: Scalars['String']['input'];
  since: Scalars['DateTime']['input'];
  until?: InputMaybe<Scalars['DateTime']['input']>;
};


export type MutationCreateNotificationTargetArgs = {
  name: Scalars['String']['input'];
  kind: NotificationTargetKind;
  url?: InputMaybe<Scalars['String']['input']>;
  addresses?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  types?: InputMaybe<ReadonlyArray<SystemEventType>>;
};


export type MutationUpdateNotificationTargetArgs = {
  id: Scalars['ID']['input'];
  name?: InputMaybe<Scalars['String']['input']>;
  url?: InputMaybe<Scalars['String']['input']>;
  addresses?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  types?: InputMaybe<ReadonlyArray<SystemEventType>>;
  isEnabled?: InputMaybe<Scalars['Boolean']['input']>;
};


export type MutationDeleteNotificationTargetArgs = {
  id: Scalars['ID']['input'];
};


export type MutationTestNotificationTargetArgs = {
  id: Scalars['ID']['input'];
};


export type MutationResendNotificationDeliveryArgs = {
  id: Scalars['ID']['input'];
};


export type MutationTriggerActivityArgs = {
  appName: Scalars['String']['input'];
  activity: Scalars['String']['input'];
  input?: InputMaybe<Scalars['JSON']['input']>;
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  runAt?: InputMaybe<Scalars['DateTime']['input']>;
};


export type MutationScheduleActivityArgs = {
  appName: Scalars['String']['input'];
  activity: Scalars['String']['input'];
  key?: InputMaybe<Scalars['String']['input']>;
  cron?: InputMaybe<Scalars['String']['input']>;
  intervalSeconds?: InputMaybe<Scalars['Int']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
  input?: InputMaybe<Scalars['JSON']['input']>;
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
};


export type MutationFinishActivityRunArgs = {
  id: Scalars['ID']['input'];
  attempt: Scalars['Int']['input'];
  output?: InputMaybe<Scalars['JSON']['input']>;
  error?: InputMaybe<Scalars['String']['input']>;
  code?: InputMaybe<Scalars['String']['input']>;
  details?: InputMaybe<Scalars['JSON']['input']>;
  canceled?: InputMaybe<Scalars['Boolean']['input']>;
};


export type MutationReportActivityProgressArgs = {
  id: Scalars['ID']['input'];
  attempt: Scalars['Int']['input'];
  progress: Scalars['Float']['input'];
  stage?: InputMaybe<Scalars['String']['input']>;
};


export type MutationCancelActivityRunArgs = {
  id: Scalars['ID']['input'];
};


export type MutationRetryActivityRunArgs = {
  id: Scalars['ID']['input'];
};


export type MutationSetScheduleEnabledArgs = {
  id: Scalars['ID']['input'];
  enabled: Scalars['Boolean']['input'];
};


export type MutationDeleteScheduleArgs = {
  id: Scalars['ID']['input'];
};


export type MutationRunScheduleNowArgs = {
  id: Scalars['ID']['input'];
};

export type Subscription = {
  readonly __typename?: 'Subscription';
  readonly appStateChanged: App;
  readonly hookTriggered: HookEvent;
  /** Each event from now on. With `after`, the id of an event, first those that followed it. */
  readonly systemEvent: SystemEvent;
  readonly activityProgress: ActivityRun;
  /** The operation now, and after each change, until it is done. */
  readonly operationProgress: Operation;
  /**
   * The last lines that the app printed, and what it prints, over restarts and switches. `tail`: 0 to 10,000; default
   * 100, with `since` all. Without `follow` it ends after the last lines. `instance`: as in `appLogs`.
   */
  readonly appLog: AppLogEntry;
};


export type SubscriptionAppStateChangedArgs = {
  filter?: InputMaybe<AppStateFilter>;
};


export type SubscriptionHookTriggeredArgs = {
  hookName?: InputMaybe<Scalars['String']['input']>;
};


export type SubscriptionSystemEventArgs = {
  types?: InputMaybe<ReadonlyArray<SystemEventType>>;
  appName?: InputMaybe<Scalars['String']['input']>;
  after?: InputMaybe<Scalars['ID']['input']>;
};


export type SubscriptionActivityProgressArgs = {
  runId: Scalars['ID']['input'];
};


export type SubscriptionOperationProgressArgs = {
  id: Scalars['ID']['input'];
};


export type SubscriptionAppLogArgs = {
  name: Scalars['String']['input'];
  tail?: InputMaybe<Scalars['Int']['input']>;
  since?: InputMaybe<Scalars['DateTime']['input']>;
  follow?: InputMaybe<Scalars['Boolean']['input']>;
  instance?: InputMaybe<Scalars['String']['input']>;
};

/** Lines of an app, at most 1 MiB. `linesLeftOut`: the lines before them that exceed this, or did not arrive. */
export type AppLogs = {
  readonly __typename?: 'AppLogs';
  readonly lines: ReadonlyArray<AppLogLine>;
  readonly linesLeftOut: Scalars['Int']['output'];
};

/**
 * Lines of one instance that follow each other. `isStart`: they are the first of an instance that has started; there may be none
 * yet. `linesLeftOut`: the lines before them that were not sent, because the subscriber was too slow.
 */
export type AppLogEntry = {
  readonly __typename?: 'AppLogEntry';
  readonly container?: Maybe<Scalars['String']['output']>;
  readonly generation?: Maybe<Scalars['Int']['output']>;
  readonly instance?: Maybe<Scalars['String']['output']>;
  readonly isStart: Scalars['Boolean']['output'];
  readonly linesLeftOut: Scalars['Int']['output'];
  readonly lines: ReadonlyArray<AppLogLine>;
};

/** `UNKNOWN`: the engine reports both as one. */
export type LogStream =
  | 'STDOUT'
  | 'STDERR'
  | 'UNKNOWN';

/** `isCut`: the line was longer than 16 KiB. `container`, `generation` and `instance`: what printed it. */
export type AppLogLine = {
  readonly __typename?: 'AppLogLine';
  readonly time: Scalars['DateTime']['output'];
  readonly stream: LogStream;
  readonly text: Scalars['String']['output'];
  readonly isCut: Scalars['Boolean']['output'];
  readonly container: Scalars['String']['output'];
  readonly generation: Scalars['Int']['output'];
  readonly instance?: Maybe<Scalars['String']['output']>;
};

export type HookDeliveryConnection = {
  readonly __typename?: 'HookDeliveryConnection';
  readonly edges: ReadonlyArray<HookDeliveryEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type HookDeliveryEdge = {
  readonly __typename?: 'HookDeliveryEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: HookDelivery;
};

export type NotificationDeliveryConnection = {
  readonly __typename?: 'NotificationDeliveryConnection';
  readonly edges: ReadonlyArray<NotificationDeliveryEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type NotificationDeliveryEdge = {
  readonly __typename?: 'NotificationDeliveryEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: NotificationDelivery;
};

export type IncidentConnection = {
  readonly __typename?: 'IncidentConnection';
  readonly edges: ReadonlyArray<IncidentEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type IncidentEdge = {
  readonly __typename?: 'IncidentEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: Incident;
};

export type BackupConnection = {
  readonly __typename?: 'BackupConnection';
  readonly edges: ReadonlyArray<BackupEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type BackupEdge = {
  readonly __typename?: 'BackupEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: Backup;
};

export type HookEventConnection = {
  readonly __typename?: 'HookEventConnection';
  readonly edges: ReadonlyArray<HookEventEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type HookEventEdge = {
  readonly __typename?: 'HookEventEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: HookEvent;
};

export type ActivityRunConnection = {
  readonly __typename?: 'ActivityRunConnection';
  readonly edges: ReadonlyArray<ActivityRunEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type ActivityRunEdge = {
  readonly __typename?: 'ActivityRunEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: ActivityRun;
};

/** A relationship tuple: a user, an app or the assignees of a role have a relation to an object. */
export type AccessTuple = {
  readonly __typename?: 'AccessTuple';
  readonly user: Scalars['String']['output'];
  readonly relation: Scalars['String']['output'];
  readonly object: Scalars['String']['output'];
  /**
   * Who wrote it, if no person did. Of membership in a group: `oidc:<provider>` or `scim`; of what a group is given by the option:
   * `identity.groups`.
   */
  readonly source?: Maybe<Scalars['String']['output']>;
  /** When the source told it last. */
  readonly readAt?: Maybe<Scalars['DateTime']['output']>;
};

export type AccessTupleConnection = {
  readonly __typename?: 'AccessTupleConnection';
  readonly edges: ReadonlyArray<AccessTupleEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type AccessTupleEdge = {
  readonly __typename?: 'AccessTupleEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: AccessTuple;
};

export type Subject = {
  readonly __typename?: 'Subject';
  /** `user:<id>`, `user:*`, `machine:<id>`, `app:<name>`, `group:<name>#member` or `role:<name>#assignee`. */
  readonly id: Scalars['String']['output'];
  /** Name of the person or the service account. Null for others, and if the identity provider does not tell. */
  readonly displayName?: Maybe<Scalars['String']['output']>;
};

export type PermissionHolder = {
  readonly __typename?: 'PermissionHolder';
  readonly subject: Subject;
  /** The tuples that give the permission, from the subject to the permission. */
  readonly via: ReadonlyArray<AccessTuple>;
};

export type HeldPermission = {
  readonly __typename?: 'HeldPermission';
  readonly permission: Scalars['String']['output'];
  /** The app that owns the permission. Null: the platform. */
  readonly appName?: Maybe<Scalars['String']['output']>;
  readonly via: ReadonlyArray<AccessTuple>;
};

/**
 * What `createServiceAccount` gives: a role (`assignee` of `role:<name>`), a level of an app (`owner`, `editor`, `viewer` of
 * `app:<name>`) or a permission (`holder` of its object).
 */
export type AccessGrant = {
  readonly relation: Scalars['String']['input'];
  readonly object: Scalars['String']['input'];
};

/** An account for programs. */
export type ServiceAccount = {
  readonly __typename?: 'ServiceAccount';
  readonly id: Scalars['ID']['output'];
  /** `machine:<id>`, which is granted access as a user is. */
  readonly subject: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  /** As the actor of an audit entry. */
  readonly createdBy: Scalars['String']['output'];
  readonly createdAt: Scalars['DateTime']['output'];
  /** The newest first. At most 20. */
  readonly tokens: ReadonlyArray<ServiceAccountToken>;
};

export type ServiceAccountToken = {
  readonly __typename?: 'ServiceAccountToken';
  readonly id: Scalars['ID']['output'];
  /** What it allows of what its account holds. Null: all of it. */
  readonly scopes?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  readonly createdBy: Scalars['String']['output'];
  readonly createdAt: Scalars['DateTime']['output'];
  readonly expiresAt: Scalars['DateTime']['output'];
  /** Exact to a minute. Null if it was never used. */
  readonly usedAt?: Maybe<Scalars['DateTime']['output']>;
};

export type IssuedServiceAccountToken = {
  readonly __typename?: 'IssuedServiceAccountToken';
  readonly account: ServiceAccount;
  readonly token: ServiceAccountToken;
  /** The token itself, which is shown only here. Null in the response to a repeated request with the same `Idempotency-Key`. */
  readonly secret?: Maybe<Scalars['String']['output']>;
};

export type PipelineProvider =
  | 'GITHUB'
  | 'GITLAB'
  | 'OIDC';

/** A claim that the token must have, with exactly this value. */
export type PipelineClaimInput = {
  readonly name: Scalars['String']['input'];
  readonly value: Scalars['String']['input'];
};

export type PipelineClaim = {
  readonly __typename?: 'PipelineClaim';
  readonly name: Scalars['String']['output'];
  readonly value: Scalars['String']['output'];
};

/** A pipeline whose OpenID token is exchanged for a token of a service account, which acts on `apps` only and ends after 15 minutes. */
export type TrustedPipeline = {
  readonly __typename?: 'TrustedPipeline';
  readonly id: Scalars['ID']['output'];
  /** Name of the service account. */
  readonly account: Scalars['String']['output'];
  readonly accountId: Scalars['ID']['output'];
  readonly provider: PipelineProvider;
  readonly apps: ReadonlyArray<Scalars['String']['output']>;
  readonly repository?: Maybe<Scalars['String']['output']>;
  readonly repositoryId?: Maybe<Scalars['String']['output']>;
  /** `refs/heads/main`. One below `refs/tags/` may end with `*`. */
  readonly ref?: Maybe<Scalars['String']['output']>;
  /** Null: the job has none. */
  readonly environment?: Maybe<Scalars['String']['output']>;
  readonly issuer: Scalars['String']['output'];
  readonly audience: Scalars['String']['output'];
  readonly claims: ReadonlyArray<PipelineClaim>;
  /** As the actor of an audit entry. */
  readonly createdBy: Scalars['String']['output'];
  readonly createdAt: Scalars['DateTime']['output'];
  /** When it last got a token. Null: never. */
  readonly usedAt?: Maybe<Scalars['DateTime']['output']>;
};

/** The run of a pipeline that registered a release, as the token of the pipeline says it. */
export type ReleaseSource = {
  readonly __typename?: 'ReleaseSource';
  readonly provider: PipelineProvider;
  readonly repository: Scalars['String']['output'];
  readonly commit?: Maybe<Scalars['String']['output']>;
  readonly ref?: Maybe<Scalars['String']['output']>;
  /** Address of the run, of `http` or `https`. */
  readonly runUrl?: Maybe<Scalars['String']['output']>;
};

export type Role = {
  readonly __typename?: 'Role';
  /** `role:<name>` */
  readonly id: Scalars['String']['output'];
  /** Whether those who have the role are administrators. */
  readonly isAdministrator: Scalars['Boolean']['output'];
  readonly assignees: ReadonlyArray<Subject>;
};

export type PersonState =
  /** Invited, and not completed yet. */
  | 'INVITED'
  | 'ACTIVE'
  /** Cannot sign in. */
  | 'DISABLED';

export type PersonAccount = {
  readonly __typename?: 'PersonAccount';
  /** `user:<id>` */
  readonly id: Scalars['ID']['output'];
  readonly state: PersonState;
  readonly createdAt: Scalars['DateTime']['output'];
};

export type Invitation = {
  readonly __typename?: 'Invitation';
  readonly subject: Subject;
  /**
   * Path of the platform, with a secret in its fragment. It works once. It is returned only here. Null: a letter to the address
   * brings it.
   */
  readonly link?: Maybe<Scalars['String']['output']>;
  readonly expiresAt: Scalars['DateTime']['output'];
};

/** A group of the identity provider. */
export type Group = {
  readonly __typename?: 'Group';
  /** `group:<name>#member` */
  readonly id: Scalars['String']['output'];
  readonly name: Scalars['String']['output'];
  readonly members: ReadonlyArray<Subject>;
};

export type AppMember = {
  readonly __typename?: 'AppMember';
  /** `owner`, `editor` or `viewer`. */
  readonly relation: Scalars['String']['output'];
  readonly subject: Subject;
};

export type SystemEventConnection = {
  readonly __typename?: 'SystemEventConnection';
  readonly edges: ReadonlyArray<SystemEventEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type SystemEventEdge = {
  readonly __typename?: 'SystemEventEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: SystemEvent;
};

export type AuditConnection = {
  readonly __typename?: 'AuditConnection';
  readonly edges: ReadonlyArray<AuditEdge>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

export type AuditEdge = {
  readonly __typename?: 'AuditEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: AuditEntry;
};

export type TracedRequestConnection = {
  readonly __typename?: 'TracedRequestConnection';
  readonly edges: ReadonlyArray<TracedRequestEdge>;
  readonly pageInfo: PageInfo;
};

export type TracedRequestEdge = {
  readonly __typename?: 'TracedRequestEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: TracedRequest;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  AppState: AppState;
  HealthState: HealthState;
  DependencyKind: DependencyKind;
  UIMode: UiMode;
  App: ResolverTypeWrapper<App>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  AppImage: ResolverTypeWrapper<AppImage>;
  AppStorage: ResolverTypeWrapper<AppStorage>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  AppDatabase: ResolverTypeWrapper<AppDatabase>;
  AppSnapshot: ResolverTypeWrapper<AppSnapshot>;
  SnapshotReason: SnapshotReason;
  SnapshotState: SnapshotState;
  SnapshotStorage: ResolverTypeWrapper<SnapshotStorage>;
  AppRelease: ResolverTypeWrapper<AppRelease>;
  VersionChange: ResolverTypeWrapper<VersionChange>;
  VersionChangeKind: VersionChangeKind;
  AppPermission: ResolverTypeWrapper<AppPermission>;
  AppDependency: ResolverTypeWrapper<AppDependency>;
  AppUI: ResolverTypeWrapper<AppUi>;
  NavigationRoute: ResolverTypeWrapper<NavigationRoute>;
  AppApi: ResolverTypeWrapper<AppApi>;
  ApiDescription: ResolverTypeWrapper<ApiDescription>;
  ApiRoute: ResolverTypeWrapper<ApiRoute>;
  RateLimit: ResolverTypeWrapper<RateLimit>;
  BreakerState: BreakerState;
  Asset: ResolverTypeWrapper<Asset>;
  Deployment: ResolverTypeWrapper<Deployment>;
  Crash: ResolverTypeWrapper<Crash>;
  AppInstance: ResolverTypeWrapper<AppInstance>;
  InstanceEnd: ResolverTypeWrapper<InstanceEnd>;
  ContainerLimits: ResolverTypeWrapper<ContainerLimits>;
  HealthCheck: ResolverTypeWrapper<HealthCheck>;
  DeploymentState: DeploymentState;
  Condition: ResolverTypeWrapper<Condition>;
  AppTransition: ResolverTypeWrapper<AppTransition>;
  DeploymentEvent: ResolverTypeWrapper<DeploymentEvent>;
  Problem: ResolverTypeWrapper<Problem>;
  Operation: ResolverTypeWrapper<Operation>;
  AppNeed: AppNeed;
  AppOrder: AppOrder;
  AppFilter: AppFilter;
  AppStateFilter: AppStateFilter;
  AppConnection: ResolverTypeWrapper<AppConnection>;
  AppEdge: ResolverTypeWrapper<AppEdge>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Settings: ResolverTypeWrapper<Settings>;
  SettingValue: ResolverTypeWrapper<SettingValue>;
  SettingSource: SettingSource;
  SettingsMutationResult: ResolverTypeWrapper<SettingsMutationResult>;
  AppMutationResult: ResolverTypeWrapper<AppMutationResult>;
  InstallPlan: ResolverTypeWrapper<InstallPlan>;
  UpgradePlan: ResolverTypeWrapper<UpgradePlan>;
  PlanStep: ResolverTypeWrapper<PlanStep>;
  HookTriggerResult: ResolverTypeWrapper<HookTriggerResult>;
  HookEvent: ResolverTypeWrapper<HookEvent>;
  HookDelivery: ResolverTypeWrapper<HookDelivery>;
  DeliveryAttempt: ResolverTypeWrapper<DeliveryAttempt>;
  DeliveryStatus: DeliveryStatus;
  ActivityRun: ResolverTypeWrapper<ActivityRun>;
  RunAttempt: ResolverTypeWrapper<RunAttempt>;
  Activity: ResolverTypeWrapper<Activity>;
  RunStatus: RunStatus;
  ActivitySchedule: ResolverTypeWrapper<ActivitySchedule>;
  SystemEvent: ResolverTypeWrapper<SystemEvent>;
  Severity: Severity;
  SystemEventType: SystemEventType;
  IncidentKind: IncidentKind;
  Incident: ResolverTypeWrapper<Incident>;
  BackupState: BackupState;
  Backup: ResolverTypeWrapper<Backup>;
  BackupSummary: ResolverTypeWrapper<BackupSummary>;
  NotificationTargetKind: NotificationTargetKind;
  NotificationTarget: ResolverTypeWrapper<NotificationTarget>;
  CreatedNotificationTarget: ResolverTypeWrapper<CreatedNotificationTarget>;
  NotificationDelivery: ResolverTypeWrapper<NotificationDelivery>;
  NotificationTest: ResolverTypeWrapper<NotificationTest>;
  HealthStatus: ResolverTypeWrapper<HealthStatus>;
  HealthCheckResult: ResolverTypeWrapper<HealthCheckResult>;
  Metrics: ResolverTypeWrapper<Metrics>;
  Platform: ResolverTypeWrapper<Platform>;
  PlatformOption: ResolverTypeWrapper<PlatformOption>;
  AuditEntry: ResolverTypeWrapper<AuditEntry>;
  Trace: ResolverTypeWrapper<Trace>;
  PageMark: PageMark;
  TracedRequest: ResolverTypeWrapper<TracedRequest>;
  TracedLogLine: ResolverTypeWrapper<TracedLogLine>;
  Viewer: ResolverTypeWrapper<Viewer>;
  UnreadMessages: ResolverTypeWrapper<UnreadMessages>;
  AgentConsent: ResolverTypeWrapper<AgentConsent>;
  AppMessage: ResolverTypeWrapper<AppMessage>;
  AppMessageEdge: ResolverTypeWrapper<AppMessageEdge>;
  AppMessageConnection: ResolverTypeWrapper<AppMessageConnection>;
  FrontendPage: ResolverTypeWrapper<FrontendPage>;
  ClosedApp: ResolverTypeWrapper<ClosedApp>;
  GalleryApp: ResolverTypeWrapper<GalleryApp>;
  PageScript: ResolverTypeWrapper<PageScript>;
  AccessRequestState: AccessRequestState;
  AccessDecision: AccessDecision;
  AccessRequest: ResolverTypeWrapper<AccessRequest>;
  AccessRequestEdge: ResolverTypeWrapper<AccessRequestEdge>;
  AccessRequestConnection: ResolverTypeWrapper<AccessRequestConnection>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  AppLogs: ResolverTypeWrapper<AppLogs>;
  AppLogEntry: ResolverTypeWrapper<AppLogEntry>;
  LogStream: LogStream;
  AppLogLine: ResolverTypeWrapper<AppLogLine>;
  HookDeliveryConnection: ResolverTypeWrapper<HookDeliveryConnection>;
  HookDeliveryEdge: ResolverTypeWrapper<HookDeliveryEdge>;
  NotificationDeliveryConnection: ResolverTypeWrapper<NotificationDeliveryConnection>;
  NotificationDeliveryEdge: ResolverTypeWrapper<NotificationDeliveryEdge>;
  IncidentConnection: ResolverTypeWrapper<IncidentConnection>;
  IncidentEdge: ResolverTypeWrapper<IncidentEdge>;
  BackupConnection: ResolverTypeWrapper<BackupConnection>;
  BackupEdge: ResolverTypeWrapper<BackupEdge>;
  HookEventConnection: ResolverTypeWrapper<HookEventConnection>;
  HookEventEdge: ResolverTypeWrapper<HookEventEdge>;
  ActivityRunConnection: ResolverTypeWrapper<ActivityRunConnection>;
  ActivityRunEdge: ResolverTypeWrapper<ActivityRunEdge>;
  AccessTuple: ResolverTypeWrapper<AccessTuple>;
  AccessTupleConnection: ResolverTypeWrapper<AccessTupleConnection>;
  AccessTupleEdge: ResolverTypeWrapper<AccessTupleEdge>;
  Subject: ResolverTypeWrapper<Subject>;
  PermissionHolder: ResolverTypeWrapper<PermissionHolder>;
  HeldPermission: ResolverTypeWrapper<HeldPermission>;
  AccessGrant: AccessGrant;
  ServiceAccount: ResolverTypeWrapper<ServiceAccount>;
  ServiceAccountToken: ResolverTypeWrapper<ServiceAccountToken>;
  IssuedServiceAccountToken: ResolverTypeWrapper<IssuedServiceAccountToken>;
  PipelineProvider: PipelineProvider;
  PipelineClaimInput: PipelineClaimInput;
  PipelineClaim: ResolverTypeWrapper<PipelineClaim>;
  TrustedPipeline: ResolverTypeWrapper<TrustedPipeline>;
  ReleaseSource: ResolverTypeWrapper<ReleaseSource>;
  Role: ResolverTypeWrapper<Role>;
  PersonState: PersonState;
  PersonAccount: ResolverTypeWrapper<PersonAccount>;
  Invitation: ResolverTypeWrapper<Invitation>;
  Group: ResolverTypeWrapper<Group>;
  AppMember: ResolverTypeWrapper<AppMember>;
  SystemEventConnection: ResolverTypeWrapper<SystemEventConnection>;
  SystemEventEdge: ResolverTypeWrapper<SystemEventEdge>;
  AuditConnection: ResolverTypeWrapper<AuditConnection>;
  AuditEdge: ResolverTypeWrapper<AuditEdge>;
  TracedRequestConnection: ResolverTypeWrapper<TracedRequestConnection>;
  TracedRequestEdge: ResolverTypeWrapper<TracedRequestEdge>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  JSON: Scalars['JSON']['output'];
  DateTime: Scalars['DateTime']['output'];
  App: App;
  ID: Scalars['ID']['output'];
  String: Scalars['String']['output'];
  Int: Scalars['Int']['output'];
  Boolean: Scalars['Boolean']['output'];
  AppImage: AppImage;
  AppStorage: AppStorage;
  Float: Scalars['Float']['output'];
  AppDatabase: AppDatabase;
  AppSnapshot: AppSnapshot;
  SnapshotStorage: SnapshotStorage;
  AppRelease: AppRelease;
  VersionChange: VersionChange;
  AppPermission: AppPermission;
  AppDependency: AppDependency;
  AppUI: AppUi;
  NavigationRoute: NavigationRoute;
  AppApi: AppApi;
  ApiDescription: ApiDescription;
  ApiRoute: ApiRoute;
  RateLimit: RateLimit;
  Asset: Asset;
  Deployment: Deployment;
  Crash: Crash;
  AppInstance: AppInstance;
  InstanceEnd: InstanceEnd;
  ContainerLimits: ContainerLimits;
  HealthCheck: HealthCheck;
  Condition: Condition;
  AppTransition: AppTransition;
  DeploymentEvent: DeploymentEvent;
  Problem: Problem;
  Operation: Operation;
  AppFilter: AppFilter;
  AppStateFilter: AppStateFilter;
  AppConnection: AppConnection;
  AppEdge: AppEdge;
  PageInfo: PageInfo;
  Settings: Settings;
  SettingValue: SettingValue;
  SettingsMutationResult: SettingsMutationResult;
  AppMutationResult: AppMutationResult;
  InstallPlan: InstallPlan;
  UpgradePlan: UpgradePlan;
  PlanStep: PlanStep;
  HookTriggerResult: HookTriggerResult;
  HookEvent: HookEvent;
  HookDelivery: HookDelivery;
  DeliveryAttempt: DeliveryAttempt;
  ActivityRun: ActivityRun;
  RunAttempt: RunAttempt;
  Activity: Activity;
  ActivitySchedule: ActivitySchedule;
  SystemEvent: SystemEvent;
  Incident: Incident;
  Backup: Backup;
  BackupSummary: BackupSummary;
  NotificationTarget: NotificationTarget;
  CreatedNotificationTarget: CreatedNotificationTarget;
  NotificationDelivery: NotificationDelivery;
  NotificationTest: NotificationTest;
  HealthStatus: HealthStatus;
  HealthCheckResult: HealthCheckResult;
  Metrics: Metrics;
  Platform: Platform;
  PlatformOption: PlatformOption;
  AuditEntry: AuditEntry;
  Trace: Trace;
  PageMark: PageMark;
  TracedRequest: TracedRequest;
  TracedLogLine: TracedLogLine;
  Viewer: Viewer;
  UnreadMessages: UnreadMessages;
  AgentConsent: AgentConsent;
  AppMessage: AppMessage;
  AppMessageEdge: AppMessageEdge;
  AppMessageConnection: AppMessageConnection;
  FrontendPage: FrontendPage;
  ClosedApp: ClosedApp;
  GalleryApp: GalleryApp;
  PageScript: PageScript;
  AccessRequest: AccessRequest;
  AccessRequestEdge: AccessRequestEdge;
  AccessRequestConnection: AccessRequestConnection;
  Query: Record<PropertyKey, never>;
  Mutation: Record<PropertyKey, never>;
  Subscription: Record<PropertyKey, never>;
  AppLogs: AppLogs;
  AppLogEntry: AppLogEntry;
  AppLogLine: AppLogLine;
  HookDeliveryConnection: HookDeliveryConnection;
  HookDeliveryEdge: HookDeliveryEdge;
  NotificationDeliveryConnection: NotificationDeliveryConnection;
  NotificationDeliveryEdge: NotificationDeliveryEdge;
  IncidentConnection: IncidentConnection;
  IncidentEdge: IncidentEdge;
  BackupConnection: BackupConnection;
  BackupEdge: BackupEdge;
  HookEventConnection: HookEventConnection;
  HookEventEdge: HookEventEdge;
  ActivityRunConnection: ActivityRunConnection;
  ActivityRunEdge: ActivityRunEdge;
  AccessTuple: AccessTuple;
  AccessTupleConnection: AccessTupleConnection;
  AccessTupleEdge: AccessTupleEdge;
  Subject: Subject;
  PermissionHolder: PermissionHolder;
  HeldPermission: HeldPermission;
  AccessGrant: AccessGrant;
  ServiceAccount: ServiceAccount;
  ServiceAccountToken: ServiceAccountToken;
  IssuedServiceAccountToken: IssuedServiceAccountToken;
  PipelineClaimInput: PipelineClaimInput;
  PipelineClaim: PipelineClaim;
  TrustedPipeline: TrustedPipeline;
  ReleaseSource: ReleaseSource;
  Role: Role;
  PersonAccount: PersonAccount;
  Invitation: Invitation;
  Group: Group;
  AppMember: AppMember;
  SystemEventConnection: SystemEventConnection;
  SystemEventEdge: SystemEventEdge;
  AuditConnection: AuditConnection;
  AuditEdge: AuditEdge;
  TracedRequestConnection: TracedRequestConnection;
  TracedRequestEdge: TracedRequestEdge;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type AppResolvers<ContextType = any, ParentType extends ResolversParentTypes['App'] = ResolversParentTypes['App']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  appId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  displayName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  availableVersion?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  availableDigest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['AppState'], ParentType, ContextType>;
  enabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  health?: Resolver<ResolversTypes['HealthState'], ParentType, ContextType>;
  asleepSince?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  registeredAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  installedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  manifestDigest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  certificateFingerprint?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  certificateExpiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  requiredPermissions?: Resolver<ReadonlyArray<ResolversTypes['AppPermission']>, ParentType, ContextType>;
  dependencies?: Resolver<ReadonlyArray<ResolversTypes['AppDependency']>, ParentType, ContextType>;
  ui?: Resolver<Maybe<ResolversTypes['AppUI']>, ParentType, ContextType>;
  api?: Resolver<Maybe<ResolversTypes['AppApi']>, ParentType, ContextType>;
  assets?: Resolver<ReadonlyArray<ResolversTypes['Asset']>, ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['AppImage']>, ParentType, ContextType>;
  deployment?: Resolver<Maybe<ResolversTypes['Deployment']>, ParentType, ContextType>;
  conditions?: Resolver<ReadonlyArray<ResolversTypes['Condition']>, ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
  operation?: Resolver<Maybe<ResolversTypes['Operation']>, ParentType, ContextType>;
  history?: Resolver<ReadonlyArray<ResolversTypes['AppTransition']>, ParentType, ContextType, RequireFields<AppHistoryArgs, 'first'>>;
  deploymentEvents?: Resolver<ReadonlyArray<ResolversTypes['DeploymentEvent']>, ParentType, ContextType, RequireFields<AppDeploymentEventsArgs, 'first'>>;
  releases?: Resolver<ReadonlyArray<ResolversTypes['AppRelease']>, ParentType, ContextType>;
  versionHistory?: Resolver<ReadonlyArray<ResolversTypes['VersionChange']>, ParentType, ContextType, RequireFields<AppVersionHistoryArgs, 'first'>>;
  storage?: Resolver<ReadonlyArray<ResolversTypes['AppStorage']>, ParentType, ContextType>;
  database?: Resolver<Maybe<ResolversTypes['AppDatabase']>, ParentType, ContextType>;
};

export type AppImageResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppImage'] = ResolversParentTypes['AppImage']> = {
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type AppStorageResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppStorage'] = ResolversParentTypes['AppStorage']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  mountPath?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  size?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  declared?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  createdAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  usedBytes?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  measuredAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type AppDatabaseResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppDatabase'] = ResolversParentTypes['AppDatabase']> = {
  usedBytes?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  limitBytes?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  fullSince?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  measuredAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type AppSnapshotResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppSnapshot'] = ResolversParentTypes['AppSnapshot']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  appVersion?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['SnapshotReason'], ParentType, ContextType>;
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  actor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['SnapshotState'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  pausedMs?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  databaseBytes?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  storage?: Resolver<ReadonlyArray<ResolversTypes['SnapshotStorage']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type SnapshotStorageResolvers<ContextType = any, ParentType extends ResolversParentTypes['SnapshotStorage'] = ResolversParentTypes['SnapshotStorage']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  usedBytes?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type AppReleaseResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppRelease'] = ResolversParentTypes['AppRelease']> = {
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  manifestDigest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  imageDigest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  registeredAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  registeredBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  source?: Resolver<Maybe<ResolversTypes['ReleaseSource']>, ParentType, ContextType>;
  servedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  isCurrent?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type VersionChangeResolvers<ContextType = any, ParentType extends ResolversParentTypes['VersionChange'] = ResolversParentTypes['VersionChange']> = {
  kind?: Resolver<ResolversTypes['VersionChangeKind'], ParentType, ContextType>;
  fromVersion?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  manifestDigest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  imageDigest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  actor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type AppPermissionResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppPermission'] = ResolversParentTypes['AppPermission']> = {
  scope?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  resourceType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  requiresApproval?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  approved?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  approvedBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  approvedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type AppDependencyResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppDependency'] = ResolversParentTypes['AppDependency']> = {
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['DependencyKind'], ParentType, ContextType>;
  versionConstraint?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  resolvedVersion?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  satisfied?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type AppUiResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppUI'] = ResolversParentTypes['AppUI']> = {
  mode?: Resolver<ResolversTypes['UIMode'], ParentType, ContextType>;
  entryAsset?: Resolver<ResolversTypes['Asset'], ParentType, ContextType>;
  exposedModule?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  routeBase?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  ssr?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  navigation?: Resolver<ReadonlyArray<ResolversTypes['NavigationRoute']>, ParentType, ContextType>;
};

export type NavigationRouteResolvers<ContextType = any, ParentType extends ResolversParentTypes['NavigationRoute'] = ResolversParentTypes['NavigationRoute']> = {
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  href?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  icon?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  requiredPermissions?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  children?: Resolver<ReadonlyArray<ResolversTypes['NavigationRoute']>, ParentType, ContextType>;
  metadata?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
};

export type AppApiResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppApi'] = ResolversParentTypes['AppApi']> = {
  basePath?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  publicUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  upstreamBaseUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  openapiUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['ApiDescription']>, ParentType, ContextType>;
  forwardHeaders?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  routes?: Resolver<ReadonlyArray<ResolversTypes['ApiRoute']>, ParentType, ContextType>;
  breaker?: Resolver<ResolversTypes['BreakerState'], ParentType, ContextType>;
};

export type ApiDescriptionResolvers<ContextType = any, ParentType extends ResolversParentTypes['ApiDescription'] = ResolversParentTypes['ApiDescription']> = {
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  operations?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  problem?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  readAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type ApiRouteResolvers<ContextType = any, ParentType extends ResolversParentTypes['ApiRoute'] = ResolversParentTypes['ApiRoute']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  pattern?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  methods?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  scopes?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  isPublic?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  timeoutMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  rateLimit?: Resolver<Maybe<ResolversTypes['RateLimit']>, ParentType, ContextType>;
};

export type RateLimitResolvers<ContextType = any, ParentType extends ResolversParentTypes['RateLimit'] = ResolversParentTypes['RateLimit']> = {
  limit?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  windowSeconds?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  burst?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  keyPattern?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AssetResolvers<ContextType = any, ParentType extends ResolversParentTypes['Asset'] = ResolversParentTypes['Asset']> = {
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  mimeType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  size?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sha256?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  integrity?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  etag?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  signatureAlgorithm?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DeploymentResolvers<ContextType = any, ParentType extends ResolversParentTypes['Deployment'] = ResolversParentTypes['Deployment']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  appId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  appVersion?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['DeploymentState'], ParentType, ContextType>;
  containerId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  healthStatus?: Resolver<ResolversTypes['HealthState'], ParentType, ContextType>;
  driver?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  imageDigest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  containerName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  generation?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  restartCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  outOfDate?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  endpoint?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  wantedInstances?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  instances?: Resolver<ReadonlyArray<ResolversTypes['AppInstance']>, ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastCrash?: Resolver<Maybe<ResolversTypes['Crash']>, ParentType, ContextType>;
  limits?: Resolver<Maybe<ResolversTypes['ContainerLimits']>, ParentType, ContextType>;
  healthCheck?: Resolver<Maybe<ResolversTypes['HealthCheck']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type CrashResolvers<ContextType = any, ParentType extends ResolversParentTypes['Crash'] = ResolversParentTypes['Crash']> = {
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  exitCode?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  output?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type AppInstanceResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppInstance'] = ResolversParentTypes['AppInstance']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  place?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ready?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  restarts?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  lastEnd?: Resolver<Maybe<ResolversTypes['InstanceEnd']>, ParentType, ContextType>;
  problem?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type InstanceEndResolvers<ContextType = any, ParentType extends ResolversParentTypes['InstanceEnd'] = ResolversParentTypes['InstanceEnd']> = {
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  exitCode?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  cause?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ContainerLimitsResolvers<ContextType = any, ParentType extends ResolversParentTypes['ContainerLimits'] = ResolversParentTypes['ContainerLimits']> = {
  memoryMb?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  cpuShares?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  pids?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type HealthCheckResolvers<ContextType = any, ParentType extends ResolversParentTypes['HealthCheck'] = ResolversParentTypes['HealthCheck']> = {
  path?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  intervalMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  timeoutMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  threshold?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ConditionResolvers<ContextType = any, ParentType extends ResolversParentTypes['Condition'] = ResolversParentTypes['Condition']> = {
  type?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastTransitionTime?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type AppTransitionResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppTransition'] = ResolversParentTypes['AppTransition']> = {
  from?: Resolver<Maybe<ResolversTypes['AppState']>, ParentType, ContextType>;
  to?: Resolver<ResolversTypes['AppState'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  actor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type DeploymentEventResolvers<ContextType = any, ParentType extends ResolversParentTypes['DeploymentEvent'] = ResolversParentTypes['DeploymentEvent']> = {
  deploymentId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  from?: Resolver<Maybe<ResolversTypes['DeploymentState']>, ParentType, ContextType>;
  to?: Resolver<ResolversTypes['DeploymentState'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type ProblemResolvers<ContextType = any, ParentType extends ResolversParentTypes['Problem'] = ResolversParentTypes['Problem']> = {
  code?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  details?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
};

export type OperationResolvers<ContextType = any, ParentType extends ResolversParentTypes['Operation'] = ResolversParentTypes['Operation']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  actor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  stage?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  progress?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  done?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type AppConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppConnection'] = ResolversParentTypes['AppConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['AppEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AppEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppEdge'] = ResolversParentTypes['AppEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['App'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = any, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SettingsResolvers<ContextType = any, ParentType extends ResolversParentTypes['Settings'] = ResolversParentTypes['Settings']> = {
  appId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  values?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  schema?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  stored?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  secretsSet?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  updatedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  updatedBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  conditions?: Resolver<ReadonlyArray<ResolversTypes['Condition']>, ParentType, ContextType>;
};

export type SettingValueResolvers<ContextType = any, ParentType extends ResolversParentTypes['SettingValue'] = ResolversParentTypes['SettingValue']> = {
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  dataType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sensitive?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  isSet?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  source?: Resolver<ResolversTypes['SettingSource'], ParentType, ContextType>;
  updatedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type SettingsMutationResultResolvers<ContextType = any, ParentType extends ResolversParentTypes['SettingsMutationResult'] = ResolversParentTypes['SettingsMutationResult']> = {
  success?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  settings?: Resolver<Maybe<ResolversTypes['Settings']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
};

export type AppMutationResultResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppMutationResult'] = ResolversParentTypes['AppMutationResult']> = {
  success?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  id?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  app?: Resolver<Maybe<ResolversTypes['App']>, ParentType, ContextType>;
  operation?: Resolver<Maybe<ResolversTypes['Operation']>, ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['Problem']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
};

export type InstallPlanResolvers<ContextType = any, ParentType extends ResolversParentTypes['InstallPlan'] = ResolversParentTypes['InstallPlan']> = {
  app?: Resolver<ResolversTypes['App'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['AppImage']>, ParentType, ContextType>;
  steps?: Resolver<ReadonlyArray<ResolversTypes['PlanStep']>, ParentType, ContextType>;
  blockers?: Resolver<ReadonlyArray<ResolversTypes['Problem']>, ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['Problem']>, ParentType, ContextType>;
  approvalsNeeded?: Resolver<ReadonlyArray<ResolversTypes['AppPermission']>, ParentType, ContextType>;
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type UpgradePlanResolvers<ContextType = any, ParentType extends ResolversParentTypes['UpgradePlan'] = ResolversParentTypes['UpgradePlan']> = {
  app?: Resolver<ResolversTypes['App'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['AppImage']>, ParentType, ContextType>;
  steps?: Resolver<ReadonlyArray<ResolversTypes['PlanStep']>, ParentType, ContextType>;
  blockers?: Resolver<ReadonlyArray<ResolversTypes['Problem']>, ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['Problem']>, ParentType, ContextType>;
  approvalsNeeded?: Resolver<ReadonlyArray<ResolversTypes['AppPermission']>, ParentType, ContextType>;
  differences?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type PlanStepResolvers<ContextType = any, ParentType extends ResolversParentTypes['PlanStep'] = ResolversParentTypes['PlanStep']> = {
  action?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  manifestDigest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['AppImage']>, ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type HookTriggerResultResolvers<ContextType = any, ParentType extends ResolversParentTypes['HookTriggerResult'] = ResolversParentTypes['HookTriggerResult']> = {
  success?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  eventId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  hookName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  subscribers?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deliveries?: Resolver<ReadonlyArray<ResolversTypes['HookDelivery']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
};

export type HookEventResolvers<ContextType = any, ParentType extends ResolversParentTypes['HookEvent'] = ResolversParentTypes['HookEvent']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  hookName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sourceApp?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  data?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  triggeredAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  triggeredBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  traceId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type HookDeliveryResolvers<ContextType = any, ParentType extends ResolversParentTypes['HookDelivery'] = ResolversParentTypes['HookDelivery']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  eventId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  hookName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['DeliveryStatus'], ParentType, ContextType>;
  attempt?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  nextAttemptAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  attempts?: Resolver<ReadonlyArray<ResolversTypes['DeliveryAttempt']>, ParentType, ContextType>;
  traceId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type DeliveryAttemptResolvers<ContextType = any, ParentType extends ResolversParentTypes['DeliveryAttempt'] = ResolversParentTypes['DeliveryAttempt']> = {
  number?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ActivityRunResolvers<ContextType = any, ParentType extends ResolversParentTypes['ActivityRun'] = ResolversParentTypes['ActivityRun']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  activity?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['RunStatus'], ParentType, ContextType>;
  attempt?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  progress?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  stage?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  cancelRequested?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  input?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  output?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
  scheduledFor?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  queuedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  retryOf?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  traceId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  attempts?: Resolver<ReadonlyArray<ResolversTypes['RunAttempt']>, ParentType, ContextType>;
};

export type RunAttemptResolvers<ContextType = any, ParentType extends ResolversParentTypes['RunAttempt'] = ResolversParentTypes['RunAttempt']> = {
  number?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  finishedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['RunStatus'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
};

export type ActivityResolvers<ContextType = any, ParentType extends ResolversParentTypes['Activity'] = ResolversParentTypes['Activity']> = {
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  inputSchema?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  timeoutMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxRetries?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  concurrency?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  singletonKey?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  schedules?: Resolver<ReadonlyArray<ResolversTypes['ActivitySchedule']>, ParentType, ContextType>;
};

export type ActivityScheduleResolvers<ContextType = any, ParentType extends ResolversParentTypes['ActivitySchedule'] = ResolversParentTypes['ActivitySchedule']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  activity?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  cron?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  timezone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  enabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  paused?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nextRunAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SystemEventResolvers<ContextType = any, ParentType extends ResolversParentTypes['SystemEvent'] = ResolversParentTypes['SystemEvent']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['SystemEventType'], ParentType, ContextType>;
  severity?: Resolver<ResolversTypes['Severity'], ParentType, ContextType>;
  appName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  data?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  actor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  traceId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  operationId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  sequence?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type IncidentResolvers<ContextType = any, ParentType extends ResolversParentTypes['Incident'] = ResolversParentTypes['Incident']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['IncidentKind'], ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  appName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  openedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  closedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type BackupResolvers<ContextType = any, ParentType extends ResolversParentTypes['Backup'] = ResolversParentTypes['Backup']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['BackupState'], ParentType, ContextType>;
  dueAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  requestedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  location?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  bytes?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  notOfOneMoment?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  testedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type BackupSummaryResolvers<ContextType = any, ParentType extends ResolversParentTypes['BackupSummary'] = ResolversParentTypes['BackupSummary']> = {
  schedule?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  target?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  problem?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastCompleted?: Resolver<Maybe<ResolversTypes['Backup']>, ParentType, ContextType>;
  lastTested?: Resolver<Maybe<ResolversTypes['Backup']>, ParentType, ContextType>;
};

export type NotificationTargetResolvers<ContextType = any, ParentType extends ResolversParentTypes['NotificationTarget'] = ResolversParentTypes['NotificationTarget']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['NotificationTargetKind'], ParentType, ContextType>;
  address?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  types?: Resolver<Maybe<ReadonlyArray<ResolversTypes['SystemEventType']>>, ParentType, ContextType>;
  isEnabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  isConfigured?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  waiting?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deadLetters?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CreatedNotificationTargetResolvers<ContextType = any, ParentType extends ResolversParentTypes['CreatedNotificationTarget'] = ResolversParentTypes['CreatedNotificationTarget']> = {
  target?: Resolver<ResolversTypes['NotificationTarget'], ParentType, ContextType>;
  secret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type NotificationDeliveryResolvers<ContextType = any, ParentType extends ResolversParentTypes['NotificationDelivery'] = ResolversParentTypes['NotificationDelivery']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  targetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  eventId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['SystemEventType'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['DeliveryStatus'], ParentType, ContextType>;
  attempt?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  nextAttemptAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['Problem']>, ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  attempts?: Resolver<ReadonlyArray<ResolversTypes['DeliveryAttempt']>, ParentType, ContextType>;
};

export type NotificationTestResolvers<ContextType = any, ParentType extends ResolversParentTypes['NotificationTest'] = ResolversParentTypes['NotificationTest']> = {
  isDelivered?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type HealthStatusResolvers<ContextType = any, ParentType extends ResolversParentTypes['HealthStatus'] = ResolversParentTypes['HealthStatus']> = {
  status?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  uptimeSeconds?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  checks?: Resolver<ReadonlyArray<ResolversTypes['HealthCheckResult']>, ParentType, ContextType>;
};

export type HealthCheckResultResolvers<ContextType = any, ParentType extends ResolversParentTypes['HealthCheckResult'] = ResolversParentTypes['HealthCheckResult']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  latencyMs?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  message?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type MetricsResolvers<ContextType = any, ParentType extends ResolversParentTypes['Metrics'] = ResolversParentTypes['Metrics']> = {
  apps?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  proxy?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  resources?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  hooks?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  activities?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  process?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  sampledAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type PlatformResolvers<ContextType = any, ParentType extends ResolversParentTypes['Platform'] = ResolversParentTypes['Platform']> = {
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  nodeVersion?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  options?: Resolver<ReadonlyArray<ResolversTypes['PlatformOption']>, ParentType, ContextType>;
};

export type PlatformOptionResolvers<ContextType = any, ParentType extends ResolversParentTypes['PlatformOption'] = ResolversParentTypes['PlatformOption']> = {
  section?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  origin?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AuditEntryResolvers<ContextType = any, ParentType extends ResolversParentTypes['AuditEntry'] = ResolversParentTypes['AuditEntry']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  actor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  client?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  action?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  target?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  details?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  traceId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type TraceResolvers<ContextType = any, ParentType extends ResolversParentTypes['Trace'] = ResolversParentTypes['Trace']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  traceIds?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  requestIds?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  requests?: Resolver<ReadonlyArray<ResolversTypes['TracedRequest']>, ParentType, ContextType>;
  hookEvents?: Resolver<ReadonlyArray<ResolversTypes['HookEvent']>, ParentType, ContextType>;
  deliveries?: Resolver<ReadonlyArray<ResolversTypes['HookDelivery']>, ParentType, ContextType>;
  runs?: Resolver<ReadonlyArray<ResolversTypes['ActivityRun']>, ParentType, ContextType>;
  events?: Resolver<ReadonlyArray<ResolversTypes['SystemEvent']>, ParentType, ContextType>;
  audit?: Resolver<ReadonlyArray<ResolversTypes['AuditEntry']>, ParentType, ContextType>;
  logs?: Resolver<ReadonlyArray<ResolversTypes['TracedLogLine']>, ParentType, ContextType>;
  logsIncomplete?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hidden?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type TracedRequestResolvers<ContextType = any, ParentType extends ResolversParentTypes['TracedRequest'] = ResolversParentTypes['TracedRequest']> = {
  requestId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  traceId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  appName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  route?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  method?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  upstreamMs?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  caller?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  client?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type TracedLogLineResolvers<ContextType = any, ParentType extends ResolversParentTypes['TracedLogLine'] = ResolversParentTypes['TracedLogLine']> = {
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  time?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  stream?: Resolver<ResolversTypes['LogStream'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isCut?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  container?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  generation?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  instance?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ViewerResolvers<ContextType = any, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  subject?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  displayName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  permissions?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  mayRegister?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  navigation?: Resolver<ReadonlyArray<ResolversTypes['NavigationRoute']>, ParentType, ContextType>;
  unreadMessages?: Resolver<ReadonlyArray<ResolversTypes['UnreadMessages']>, ParentType, ContextType>;
};

export type UnreadMessagesResolvers<ContextType = any, ParentType extends ResolversParentTypes['UnreadMessages'] = ResolversParentTypes['UnreadMessages']> = {
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AgentConsentResolvers<ContextType = any, ParentType extends ResolversParentTypes['AgentConsent'] = ResolversParentTypes['AgentConsent']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  clientId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  clientName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  apps?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
  isReadOnly?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  usedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type AppMessageResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppMessage'] = ResolversParentTypes['AppMessage']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  text?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  path?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sentAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  isRead?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type AppMessageEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppMessageEdge'] = ResolversParentTypes['AppMessageEdge']> = {
  node?: Resolver<ResolversTypes['AppMessage'], ParentType, ContextType>;
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AppMessageConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppMessageConnection'] = ResolversParentTypes['AppMessageConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['AppMessageEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type FrontendPageResolvers<ContextType = any, ParentType extends ResolversParentTypes['FrontendPage'] = ResolversParentTypes['FrontendPage']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  displayName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  mode?: Resolver<ResolversTypes['UIMode'], ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  integrity?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  exposedModule?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  renderedUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  routeBase?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  translations?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['AppState'], ParentType, ContextType>;
  sandboxed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  permissions?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  scripts?: Resolver<ReadonlyArray<ResolversTypes['PageScript']>, ParentType, ContextType>;
  navigation?: Resolver<ReadonlyArray<ResolversTypes['NavigationRoute']>, ParentType, ContextType>;
};

export type ClosedAppResolvers<ContextType = any, ParentType extends ResolversParentTypes['ClosedApp'] = ResolversParentTypes['ClosedApp']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  displayName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  icon?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  routeBase?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  permissions?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  hasOpenPages?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type GalleryAppResolvers<ContextType = any, ParentType extends ResolversParentTypes['GalleryApp'] = ResolversParentTypes['GalleryApp']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  displayName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  icon?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  translations?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  obstacle?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  app?: Resolver<Maybe<ResolversTypes['App']>, ParentType, ContextType>;
};

export type PageScriptResolvers<ContextType = any, ParentType extends ResolversParentTypes['PageScript'] = ResolversParentTypes['PageScript']> = {
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  integrity?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AccessRequestResolvers<ContextType = any, ParentType extends ResolversParentTypes['AccessRequest'] = ResolversParentTypes['AccessRequest']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  person?: Resolver<ResolversTypes['Subject'], ParentType, ContextType>;
  appName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  appDisplayName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  access?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['AccessRequestState'], ParentType, ContextType>;
  requestedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  decidedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type AccessRequestEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['AccessRequestEdge'] = ResolversParentTypes['AccessRequestEdge']> = {
  node?: Resolver<ResolversTypes['AccessRequest'], ParentType, ContextType>;
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AccessRequestConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['AccessRequestConnection'] = ResolversParentTypes['AccessRequestConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['AccessRequestEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type QueryResolvers<ContextType = any, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  apps?: Resolver<ResolversTypes['AppConnection'], ParentType, ContextType, RequireFields<QueryAppsArgs, 'order' | 'descending'>>;
  app?: Resolver<Maybe<ResolversTypes['App']>, ParentType, ContextType, RequireFields<QueryAppArgs, 'name'>>;
  asset?: Resolver<Maybe<ResolversTypes['Asset']>, ParentType, ContextType, RequireFields<QueryAssetArgs, 'appName' | 'assetName'>>;
  settings?: Resolver<Maybe<ResolversTypes['Settings']>, ParentType, ContextType, RequireFields<QuerySettingsArgs, 'appID'>>;
  settingValue?: Resolver<Maybe<ResolversTypes['SettingValue']>, ParentType, ContextType, RequireFields<QuerySettingValueArgs, 'appID' | 'key'>>;
  health?: Resolver<ResolversTypes['HealthStatus'], ParentType, ContextType>;
  metrics?: Resolver<ResolversTypes['Metrics'], ParentType, ContextType, RequireFields<QueryMetricsArgs, 'minutes'>>;
  platform?: Resolver<ResolversTypes['Platform'], ParentType, ContextType>;
  viewer?: Resolver<ResolversTypes['Viewer'], ParentType, ContextType>;
  frontendFeed?: Resolver<ReadonlyArray<ResolversTypes['FrontendPage']>, ParentType, ContextType>;
  frontendPage?: Resolver<Maybe<ResolversTypes['FrontendPage']>, ParentType, ContextType, RequireFields<QueryFrontendPageArgs, 'name'>>;
  closedApps?: Resolver<ReadonlyArray<ResolversTypes['ClosedApp']>, ParentType, ContextType>;
  gallery?: Resolver<ReadonlyArray<ResolversTypes['GalleryApp']>, ParentType, ContextType>;
  installPlan?: Resolver<ResolversTypes['InstallPlan'], ParentType, ContextType, RequireFields<QueryInstallPlanArgs, 'name' | 'withDependencies'>>;
  upgradePlan?: Resolver<ResolversTypes['UpgradePlan'], ParentType, ContextType, RequireFields<QueryUpgradePlanArgs, 'name'>>;
  operation?: Resolver<Maybe<ResolversTypes['Operation']>, ParentType, ContextType, RequireFields<QueryOperationArgs, 'id'>>;
  appSnapshots?: Resolver<ReadonlyArray<ResolversTypes['AppSnapshot']>, ParentType, ContextType, RequireFields<QueryAppSnapshotsArgs, 'name'>>;
  hookDeliveries?: Resolver<ResolversTypes['HookDeliveryConnection'], ParentType, ContextType, Partial<QueryHookDeliveriesArgs>>;
  hookEvents?: Resolver<ResolversTypes['HookEventConnection'], ParentType, ContextType, Partial<QueryHookEventsArgs>>;
  hookEvent?: Resolver<Maybe<ResolversTypes['HookEvent']>, ParentType, ContextType, RequireFields<QueryHookEventArgs, 'id'>>;
  activityRun?: Resolver<Maybe<ResolversTypes['ActivityRun']>, ParentType, ContextType, RequireFields<QueryActivityRunArgs, 'id'>>;
  activityRuns?: Resolver<ResolversTypes['ActivityRunConnection'], ParentType, ContextType, Partial<QueryActivityRunsArgs>>;
  activitySchedules?: Resolver<ReadonlyArray<ResolversTypes['ActivitySchedule']>, ParentType, ContextType, Partial<QueryActivitySchedulesArgs>>;
  activities?: Resolver<ReadonlyArray<ResolversTypes['Activity']>, ParentType, ContextType, Partial<QueryActivitiesArgs>>;
  systemEvents?: Resolver<ResolversTypes['SystemEventConnection'], ParentType, ContextType, Partial<QuerySystemEventsArgs>>;
  systemEventById?: Resolver<Maybe<ResolversTypes['SystemEvent']>, ParentType, ContextType, RequireFields<QuerySystemEventByIdArgs, 'id'>>;
  incidents?: Resolver<ResolversTypes['IncidentConnection'], ParentType, ContextType, Partial<QueryIncidentsArgs>>;
  backups?: Resolver<ResolversTypes['BackupConnection'], ParentType, ContextType, Partial<QueryBackupsArgs>>;
  backupSummary?: Resolver<ResolversTypes['BackupSummary'], ParentType, ContextType>;
  notificationTargets?: Resolver<ReadonlyArray<ResolversTypes['NotificationTarget']>, ParentType, ContextType>;
  notificationDeliveries?: Resolver<ResolversTypes['NotificationDeliveryConnection'], ParentType, ContextType, RequireFields<QueryNotificationDeliveriesArgs, 'targetId'>>;
  permissionHolders?: Resolver<ReadonlyArray<ResolversTypes['PermissionHolder']>, ParentType, ContextType, RequireFields<QueryPermissionHoldersArgs, 'permission'>>;
  heldPermissions?: Resolver<ReadonlyArray<ResolversTypes['HeldPermission']>, ParentType, ContextType, RequireFields<QueryHeldPermissionsArgs, 'subject'>>;
  grants?: Resolver<ResolversTypes['AccessTupleConnection'], ParentType, ContextType, Partial<QueryGrantsArgs>>;
  accessRequests?: Resolver<ResolversTypes['AccessRequestConnection'], ParentType, ContextType, RequireFields<QueryAccessRequestsArgs, 'own'>>;
  appMessages?: Resolver<ResolversTypes['AppMessageConnection'], ParentType, ContextType, Partial<QueryAppMessagesArgs>>;
  agentConsents?: Resolver<ReadonlyArray<ResolversTypes['AgentConsent']>, ParentType, ContextType>;
  roles?: Resolver<ReadonlyArray<ResolversTypes['Role']>, ParentType, ContextType>;
  groups?: Resolver<ReadonlyArray<ResolversTypes['Group']>, ParentType, ContextType>;
  appMembers?: Resolver<ReadonlyArray<ResolversTypes['AppMember']>, ParentType, ContextType, RequireFields<QueryAppMembersArgs, 'appName'>>;
  people?: Resolver<ReadonlyArray<ResolversTypes['Subject']>, ParentType, ContextType, Partial<QueryPeopleArgs>>;
  subjects?: Resolver<ReadonlyArray<ResolversTypes['Subject']>, ParentType, ContextType, RequireFields<QuerySubjectsArgs, 'ids'>>;
  personAccount?: Resolver<Maybe<ResolversTypes['PersonAccount']>, ParentType, ContextType, RequireFields<QueryPersonAccountArgs, 'id'>>;
  personRecords?: Resolver<ResolversTypes['JSON'], ParentType, ContextType, RequireFields<QueryPersonRecordsArgs, 'id'>>;
  serviceAccounts?: Resolver<ReadonlyArray<ResolversTypes['ServiceAccount']>, ParentType, ContextType>;
  trustedPipelines?: Resolver<ReadonlyArray<ResolversTypes['TrustedPipeline']>, ParentType, ContextType>;
  auditLog?: Resolver<ResolversTypes['AuditConnection'], ParentType, ContextType, Partial<QueryAuditLogArgs>>;
  trace?: Resolver<Maybe<ResolversTypes['Trace']>, ParentType, ContextType, RequireFields<QueryTraceArgs, 'id'>>;
  requests?: Resolver<ResolversTypes['TracedRequestConnection'], ParentType, ContextType, Partial<QueryRequestsArgs>>;
  appLogs?: Resolver<ResolversTypes['AppLogs'], ParentType, ContextType, RequireFields<QueryAppLogsArgs, 'name'>>;
};

export type MutationResolvers<ContextType = any, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  grantAccess?: Resolver<ResolversTypes['AccessTuple'], ParentType, ContextType, RequireFields<MutationGrantAccessArgs, 'user' | 'relation' | 'object'>>;
  revokeAccess?: Resolver<ResolversTypes['AccessTuple'], ParentType, ContextType, RequireFields<MutationRevokeAccessArgs, 'user' | 'relation' | 'object'>>;
  requestAccess?: Resolver<ResolversTypes['AccessRequest'], ParentType, ContextType, RequireFields<MutationRequestAccessArgs, 'appName' | 'access'>>;
  decideAccessRequest?: Resolver<ResolversTypes['AccessRequest'], ParentType, ContextType, RequireFields<MutationDecideAccessRequestArgs, 'id' | 'decision'>>;
  markMessagesRead?: Resolver<ResolversTypes['Int'], ParentType, ContextType, Partial<MutationMarkMessagesReadArgs>>;
  revokeAgentConsent?: Resolver<ResolversTypes['ID'], ParentType, ContextType, RequireFields<MutationRevokeAgentConsentArgs, 'id'>>;
  createServiceAccount?: Resolver<ResolversTypes['IssuedServiceAccountToken'], ParentType, ContextType, RequireFields<MutationCreateServiceAccountArgs, 'name' | 'grants'>>;
  createServiceAccountToken?: Resolver<ResolversTypes['IssuedServiceAccountToken'], ParentType, ContextType, RequireFields<MutationCreateServiceAccountTokenArgs, 'id'>>;
  revokeServiceAccountToken?: Resolver<ResolversTypes['ID'], ParentType, ContextType, RequireFields<MutationRevokeServiceAccountTokenArgs, 'id' | 'tokenId'>>;
  deleteServiceAccount?: Resolver<ResolversTypes['ID'], ParentType, ContextType, RequireFields<MutationDeleteServiceAccountArgs, 'id'>>;
  trustPipeline?: Resolver<ResolversTypes['TrustedPipeline'], ParentType, ContextType, RequireFields<MutationTrustPipelineArgs, 'account' | 'provider' | 'apps' | 'claims'>>;
  distrustPipeline?: Resolver<ResolversTypes['ID'], ParentType, ContextType, RequireFields<MutationDistrustPipelineArgs, 'id'>>;
  setPersonActive?: Resolver<ResolversTypes['PersonAccount'], ParentType, ContextType, RequireFields<MutationSetPersonActiveArgs, 'id' | 'isActive'>>;
  removePerson?: Resolver<ResolversTypes['ID'], ParentType, ContextType, RequireFields<MutationRemovePersonArgs, 'id'>>;
  invitePerson?: Resolver<ResolversTypes['Invitation'], ParentType, ContextType, RequireFields<MutationInvitePersonArgs, 'email' | 'withLink'>>;
  installApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationInstallAppArgs, 'name' | 'withDependencies'>>;
  tryApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationTryAppArgs, 'name'>>;
  uninstallApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationUninstallAppArgs, 'name' | 'purgeData'>>;
  updateSettings?: Resolver<ResolversTypes['SettingsMutationResult'], ParentType, ContextType, RequireFields<MutationUpdateSettingsArgs, 'appID' | 'settings'>>;
  deleteSettings?: Resolver<ResolversTypes['SettingsMutationResult'], ParentType, ContextType, RequireFields<MutationDeleteSettingsArgs, 'appID'>>;
  recordPage?: Resolver<ResolversTypes['Int'], ParentType, ContextType, RequireFields<MutationRecordPageArgs, 'appName' | 'traceId' | 'marks'>>;
  triggerHook?: Resolver<ResolversTypes['HookTriggerResult'], ParentType, ContextType, RequireFields<MutationTriggerHookArgs, 'name'>>;
  upgradeApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationUpgradeAppArgs, 'name'>>;
  rollbackApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationRollbackAppArgs, 'name' | 'withData'>>;
  redeployApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationRedeployAppArgs, 'name' | 'pull'>>;
  setAppEnabled?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationSetAppEnabledArgs, 'name' | 'enabled'>>;
  restartApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationRestartAppArgs, 'name'>>;
  deleteApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationDeleteAppArgs, 'name'>>;
  deleteStorage?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationDeleteStorageArgs, 'name' | 'storage'>>;
  createAppSnapshot?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationCreateAppSnapshotArgs, 'name'>>;
  restoreAppSnapshot?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationRestoreAppSnapshotArgs, 'name' | 'snapshot'>>;
  cloneApp?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationCloneAppArgs, 'name' | 'snapshot' | 'as'>>;
  deleteAppSnapshot?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationDeleteAppSnapshotArgs, 'name' | 'snapshot'>>;
  replaceKey?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationReplaceKeyArgs, 'name' | 'certificate'>>;
  revokePermissions?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationRevokePermissionsArgs, 'name' | 'scopes'>>;
  approvePermissions?: Resolver<ResolversTypes['AppMutationResult'], ParentType, ContextType, RequireFields<MutationApprovePermissionsArgs, 'name' | 'scopes'>>;
  resendHookDelivery?: Resolver<ResolversTypes['HookDelivery'], ParentType, ContextType, RequireFields<MutationResendHookDeliveryArgs, 'id'>>;
  recoverHookDeliveries?: Resolver<ResolversTypes['Int'], ParentType, ContextType, RequireFields<MutationRecoverHookDeliveriesArgs, 'hookName' | 'since'>>;
  createNotificationTarget?: Resolver<ResolversTypes['CreatedNotificationTarget'], ParentType, ContextType, RequireFields<MutationCreateNotificationTargetArgs, 'name' | 'kind'>>;
  updateNotificationTarget?: Resolver<ResolversTypes['NotificationTarget'], ParentType, ContextType, RequireFields<MutationUpdateNotificationTargetArgs, 'id'>>;
  deleteNotificationTarget?: Resolver<ResolversTypes['ID'], ParentType, ContextType, RequireFields<MutationDeleteNotificationTargetArgs, 'id'>>;
  testNotificationTarget?: Resolver<ResolversTypes['NotificationTest'], ParentType, ContextType, RequireFields<MutationTestNotificationTargetArgs, 'id'>>;
  resendNotificationDelivery?: Resolver<ResolversTypes['NotificationDelivery'], ParentType, ContextType, RequireFields<MutationResendNotificationDeliveryArgs, 'id'>>;
  startBackup?: Resolver<ResolversTypes['Backup'], ParentType, ContextType>;
  triggerActivity?: Resolver<ResolversTypes['ActivityRun'], ParentType, ContextType, RequireFields<MutationTriggerActivityArgs, 'appName' | 'activity'>>;
  scheduleActivity?: Resolver<ResolversTypes['ActivitySchedule'], ParentType, ContextType, RequireFields<MutationScheduleActivityArgs, 'appName' | 'activity' | 'key' | 'timezone' | 'enabled'>>;
  finishActivityRun?: Resolver<ResolversTypes['ActivityRun'], ParentType, ContextType, RequireFields<MutationFinishActivityRunArgs, 'id' | 'attempt' | 'canceled'>>;
  reportActivityProgress?: Resolver<ResolversTypes['ActivityRun'], ParentType, ContextType, RequireFields<MutationReportActivityProgressArgs, 'id' | 'attempt' | 'progress'>>;
  cancelActivityRun?: Resolver<ResolversTypes['ActivityRun'], ParentType, ContextType, RequireFields<MutationCancelActivityRunArgs, 'id'>>;
  retryActivityRun?: Resolver<ResolversTypes['ActivityRun'], ParentType, ContextType, RequireFields<MutationRetryActivityRunArgs, 'id'>>;
  setScheduleEnabled?: Resolver<ResolversTypes['ActivitySchedule'], ParentType, ContextType, RequireFields<MutationSetScheduleEnabledArgs, 'id' | 'enabled'>>;
  deleteSchedule?: Resolver<ResolversTypes['ActivitySchedule'], ParentType, ContextType, RequireFields<MutationDeleteScheduleArgs, 'id'>>;
  runScheduleNow?: Resolver<ResolversTypes['ActivityRun'], ParentType, ContextType, RequireFields<MutationRunScheduleNowArgs, 'id'>>;
};

export type SubscriptionResolvers<ContextType = any, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  appStateChanged?: SubscriptionResolver<ResolversTypes['App'], "appStateChanged", ParentType, ContextType, Partial<SubscriptionAppStateChangedArgs>>;
  hookTriggered?: SubscriptionResolver<ResolversTypes['HookEvent'], "hookTriggered", ParentType, ContextType, Partial<SubscriptionHookTriggeredArgs>>;
  systemEvent?: SubscriptionResolver<ResolversTypes['SystemEvent'], "systemEvent", ParentType, ContextType, Partial<SubscriptionSystemEventArgs>>;
  activityProgress?: SubscriptionResolver<ResolversTypes['ActivityRun'], "activityProgress", ParentType, ContextType, RequireFields<SubscriptionActivityProgressArgs, 'runId'>>;
  operationProgress?: SubscriptionResolver<ResolversTypes['Operation'], "operationProgress", ParentType, ContextType, RequireFields<SubscriptionOperationProgressArgs, 'id'>>;
  appLog?: SubscriptionResolver<ResolversTypes['AppLogEntry'], "appLog", ParentType, ContextType, RequireFields<SubscriptionAppLogArgs, 'name' | 'follow'>>;
};

export type AppLogsResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppLogs'] = ResolversParentTypes['AppLogs']> = {
  lines?: Resolver<ReadonlyArray<ResolversTypes['AppLogLine']>, ParentType, ContextType>;
  linesLeftOut?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AppLogEntryResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppLogEntry'] = ResolversParentTypes['AppLogEntry']> = {
  container?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  generation?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  instance?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  isStart?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  linesLeftOut?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  lines?: Resolver<ReadonlyArray<ResolversTypes['AppLogLine']>, ParentType, ContextType>;
};

export type AppLogLineResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppLogLine'] = ResolversParentTypes['AppLogLine']> = {
  time?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  stream?: Resolver<ResolversTypes['LogStream'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isCut?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  container?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  generation?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  instance?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type HookDeliveryConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['HookDeliveryConnection'] = ResolversParentTypes['HookDeliveryConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['HookDeliveryEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type HookDeliveryEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['HookDeliveryEdge'] = ResolversParentTypes['HookDeliveryEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['HookDelivery'], ParentType, ContextType>;
};

export type NotificationDeliveryConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['NotificationDeliveryConnection'] = ResolversParentTypes['NotificationDeliveryConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['NotificationDeliveryEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type NotificationDeliveryEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['NotificationDeliveryEdge'] = ResolversParentTypes['NotificationDeliveryEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['NotificationDelivery'], ParentType, ContextType>;
};

export type IncidentConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['IncidentConnection'] = ResolversParentTypes['IncidentConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['IncidentEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type IncidentEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['IncidentEdge'] = ResolversParentTypes['IncidentEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Incident'], ParentType, ContextType>;
};

export type BackupConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['BackupConnection'] = ResolversParentTypes['BackupConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['BackupEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type BackupEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['BackupEdge'] = ResolversParentTypes['BackupEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Backup'], ParentType, ContextType>;
};

export type HookEventConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['HookEventConnection'] = ResolversParentTypes['HookEventConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['HookEventEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type HookEventEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['HookEventEdge'] = ResolversParentTypes['HookEventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['HookEvent'], ParentType, ContextType>;
};

export type ActivityRunConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['ActivityRunConnection'] = ResolversParentTypes['ActivityRunConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['ActivityRunEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ActivityRunEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['ActivityRunEdge'] = ResolversParentTypes['ActivityRunEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['ActivityRun'], ParentType, ContextType>;
};

export type AccessTupleResolvers<ContextType = any, ParentType extends ResolversParentTypes['AccessTuple'] = ResolversParentTypes['AccessTuple']> = {
  user?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  relation?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  object?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  source?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  readAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type AccessTupleConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['AccessTupleConnection'] = ResolversParentTypes['AccessTupleConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['AccessTupleEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AccessTupleEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['AccessTupleEdge'] = ResolversParentTypes['AccessTupleEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['AccessTuple'], ParentType, ContextType>;
};

export type SubjectResolvers<ContextType = any, ParentType extends ResolversParentTypes['Subject'] = ResolversParentTypes['Subject']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  displayName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type PermissionHolderResolvers<ContextType = any, ParentType extends ResolversParentTypes['PermissionHolder'] = ResolversParentTypes['PermissionHolder']> = {
  subject?: Resolver<ResolversTypes['Subject'], ParentType, ContextType>;
  via?: Resolver<ReadonlyArray<ResolversTypes['AccessTuple']>, ParentType, ContextType>;
};

export type HeldPermissionResolvers<ContextType = any, ParentType extends ResolversParentTypes['HeldPermission'] = ResolversParentTypes['HeldPermission']> = {
  permission?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  appName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  via?: Resolver<ReadonlyArray<ResolversTypes['AccessTuple']>, ParentType, ContextType>;
};

export type ServiceAccountResolvers<ContextType = any, ParentType extends ResolversParentTypes['ServiceAccount'] = ResolversParentTypes['ServiceAccount']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  tokens?: Resolver<ReadonlyArray<ResolversTypes['ServiceAccountToken']>, ParentType, ContextType>;
};

export type ServiceAccountTokenResolvers<ContextType = any, ParentType extends ResolversParentTypes['ServiceAccountToken'] = ResolversParentTypes['ServiceAccountToken']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  scopes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  usedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type IssuedServiceAccountTokenResolvers<ContextType = any, ParentType extends ResolversParentTypes['IssuedServiceAccountToken'] = ResolversParentTypes['IssuedServiceAccountToken']> = {
  account?: Resolver<ResolversTypes['ServiceAccount'], ParentType, ContextType>;
  token?: Resolver<ResolversTypes['ServiceAccountToken'], ParentType, ContextType>;
  secret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type PipelineClaimResolvers<ContextType = any, ParentType extends ResolversParentTypes['PipelineClaim'] = ResolversParentTypes['PipelineClaim']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type TrustedPipelineResolvers<ContextType = any, ParentType extends ResolversParentTypes['TrustedPipeline'] = ResolversParentTypes['TrustedPipeline']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  account?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  accountId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  provider?: Resolver<ResolversTypes['PipelineProvider'], ParentType, ContextType>;
  apps?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  repository?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  repositoryId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ref?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  environment?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  issuer?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  audience?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  claims?: Resolver<ReadonlyArray<ResolversTypes['PipelineClaim']>, ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  usedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type ReleaseSourceResolvers<ContextType = any, ParentType extends ResolversParentTypes['ReleaseSource'] = ResolversParentTypes['ReleaseSource']> = {
  provider?: Resolver<ResolversTypes['PipelineProvider'], ParentType, ContextType>;
  repository?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  commit?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ref?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  runUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type RoleResolvers<ContextType = any, ParentType extends ResolversParentTypes['Role'] = ResolversParentTypes['Role']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isAdministrator?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  assignees?: Resolver<ReadonlyArray<ResolversTypes['Subject']>, ParentType, ContextType>;
};

export type PersonAccountResolvers<ContextType = any, ParentType extends ResolversParentTypes['PersonAccount'] = ResolversParentTypes['PersonAccount']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['PersonState'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type InvitationResolvers<ContextType = any, ParentType extends ResolversParentTypes['Invitation'] = ResolversParentTypes['Invitation']> = {
  subject?: Resolver<ResolversTypes['Subject'], ParentType, ContextType>;
  link?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type GroupResolvers<ContextType = any, ParentType extends ResolversParentTypes['Group'] = ResolversParentTypes['Group']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  members?: Resolver<ReadonlyArray<ResolversTypes['Subject']>, ParentType, ContextType>;
};

export type AppMemberResolvers<ContextType = any, ParentType extends ResolversParentTypes['AppMember'] = ResolversParentTypes['AppMember']> = {
  relation?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['Subject'], ParentType, ContextType>;
};

export type SystemEventConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['SystemEventConnection'] = ResolversParentTypes['SystemEventConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['SystemEventEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type SystemEventEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['SystemEventEdge'] = ResolversParentTypes['SystemEventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['SystemEvent'], ParentType, ContextType>;
};

export type AuditConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['AuditConnection'] = ResolversParentTypes['AuditConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['AuditEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AuditEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['AuditEdge'] = ResolversParentTypes['AuditEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['AuditEntry'], ParentType, ContextType>;
};

export type TracedRequestConnectionResolvers<ContextType = any, ParentType extends ResolversParentTypes['TracedRequestConnection'] = ResolversParentTypes['TracedRequestConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['TracedRequestEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type TracedRequestEdgeResolvers<ContextType = any, ParentType extends ResolversParentTypes['TracedRequestEdge'] = ResolversParentTypes['TracedRequestEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['TracedRequest'], ParentType, ContextType>;
};

export type Resolvers<ContextType = any> = {
  JSON?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  App?: AppResolvers<ContextType>;
  AppImage?: AppImageResolvers<ContextType>;
  AppStorage?: AppStorageResolvers<ContextType>;
  AppDatabase?: AppDatabaseResolvers<ContextType>;
  AppSnapshot?: AppSnapshotResolvers<ContextType>;
  SnapshotStorage?: SnapshotStorageResolvers<ContextType>;
  AppRelease?: AppReleaseResolvers<ContextType>;
  VersionChange?: VersionChangeResolvers<ContextType>;
  AppPermission?: AppPermissionResolvers<ContextType>;
  AppDependency?: AppDependencyResolvers<ContextType>;
  AppUI?: AppUiResolvers<ContextType>;
  NavigationRoute?: NavigationRouteResolvers<ContextType>;
  AppApi?: AppApiResolvers<ContextType>;
  ApiDescription?: ApiDescriptionResolvers<ContextType>;
  ApiRoute?: ApiRouteResolvers<ContextType>;
  RateLimit?: RateLimitResolvers<ContextType>;
  Asset?: AssetResolvers<ContextType>;
  Deployment?: DeploymentResolvers<ContextType>;
  Crash?: CrashResolvers<ContextType>;
  AppInstance?: AppInstanceResolvers<ContextType>;
  InstanceEnd?: InstanceEndResolvers<ContextType>;
  ContainerLimits?: ContainerLimitsResolvers<ContextType>;
  HealthCheck?: HealthCheckResolvers<ContextType>;
  Condition?: ConditionResolvers<ContextType>;
  AppTransition?: AppTransitionResolvers<ContextType>;
  DeploymentEvent?: DeploymentEventResolvers<ContextType>;
  Problem?: ProblemResolvers<ContextType>;
  Operation?: OperationResolvers<ContextType>;
  AppConnection?: AppConnectionResolvers<ContextType>;
  AppEdge?: AppEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Settings?: SettingsResolvers<ContextType>;
  SettingValue?: SettingValueResolvers<ContextType>;
  SettingsMutationResult?: SettingsMutationResultResolvers<ContextType>;
  AppMutationResult?: AppMutationResultResolvers<ContextType>;
  InstallPlan?: InstallPlanResolvers<ContextType>;
  UpgradePlan?: UpgradePlanResolvers<ContextType>;
  PlanStep?: PlanStepResolvers<ContextType>;
  HookTriggerResult?: HookTriggerResultResolvers<ContextType>;
  HookEvent?: HookEventResolvers<ContextType>;
  HookDelivery?: HookDeliveryResolvers<ContextType>;
  DeliveryAttempt?: DeliveryAttemptResolvers<ContextType>;
  ActivityRun?: ActivityRunResolvers<ContextType>;
  RunAttempt?: RunAttemptResolvers<ContextType>;
  Activity?: ActivityResolvers<ContextType>;
  ActivitySchedule?: ActivityScheduleResolvers<ContextType>;
  SystemEvent?: SystemEventResolvers<ContextType>;
  Incident?: IncidentResolvers<ContextType>;
  Backup?: BackupResolvers<ContextType>;
  BackupSummary?: BackupSummaryResolvers<ContextType>;
  NotificationTarget?: NotificationTargetResolvers<ContextType>;
  CreatedNotificationTarget?: CreatedNotificationTargetResolvers<ContextType>;
  NotificationDelivery?: NotificationDeliveryResolvers<ContextType>;
  NotificationTest?: NotificationTestResolvers<ContextType>;
  HealthStatus?: HealthStatusResolvers<ContextType>;
  HealthCheckResult?: HealthCheckResultResolvers<ContextType>;
  Metrics?: MetricsResolvers<ContextType>;
  Platform?: PlatformResolvers<ContextType>;
  PlatformOption?: PlatformOptionResolvers<ContextType>;
  AuditEntry?: AuditEntryResolvers<ContextType>;
  Trace?: TraceResolvers<ContextType>;
  TracedRequest?: TracedRequestResolvers<ContextType>;
  TracedLogLine?: TracedLogLineResolvers<ContextType>;
  Viewer?: ViewerResolvers<ContextType>;
  UnreadMessages?: UnreadMessagesResolvers<ContextType>;
  AgentConsent?: AgentConsentResolvers<ContextType>;
  AppMessage?: AppMessageResolvers<ContextType>;
  AppMessageEdge?: AppMessageEdgeResolvers<ContextType>;
  AppMessageConnection?: AppMessageConnectionResolvers<ContextType>;
  FrontendPage?: FrontendPageResolvers<ContextType>;
  ClosedApp?: ClosedAppResolvers<ContextType>;
  GalleryApp?: GalleryAppResolvers<ContextType>;
  PageScript?: PageScriptResolvers<ContextType>;
  AccessRequest?: AccessRequestResolvers<ContextType>;
  AccessRequestEdge?: AccessRequestEdgeResolvers<ContextType>;
  AccessRequestConnection?: AccessRequestConnectionResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  AppLogs?: AppLogsResolvers<ContextType>;
  AppLogEntry?: AppLogEntryResolvers<ContextType>;
  AppLogLine?: AppLogLineResolvers<ContextType>;
  HookDeliveryConnection?: HookDeliveryConnectionResolvers<ContextType>;
  HookDeliveryEdge?: HookDeliveryEdgeResolvers<ContextType>;
  NotificationDeliveryConnection?: NotificationDeliveryConnectionResolvers<ContextType>;
  NotificationDeliveryEdge?: NotificationDeliveryEdgeResolvers<ContextType>;
  IncidentConnection?: IncidentConnectionResolvers<ContextType>;
  IncidentEdge?: IncidentEdgeResolvers<ContextType>;
  BackupConnection?: BackupConnectionResolvers<ContextType>;
  BackupEdge?: BackupEdgeResolvers<ContextType>;
  HookEventConnection?: HookEventConnectionResolvers<ContextType>;
  HookEventEdge?: HookEventEdgeResolvers<ContextType>;
  ActivityRunConnection?: ActivityRunConnectionResolvers<ContextType>;
  ActivityRunEdge?: ActivityRunEdgeResolvers<ContextType>;
  AccessTuple?: AccessTupleResolvers<ContextType>;
  AccessTupleConnection?: AccessTupleConnectionResolvers<ContextType>;
  AccessTupleEdge?: AccessTupleEdgeResolvers<ContextType>;
  Subject?: SubjectResolvers<ContextType>;
  PermissionHolder?: PermissionHolderResolvers<ContextType>;
  HeldPermission?: HeldPermissionResolvers<ContextType>;
  ServiceAccount?: ServiceAccountResolvers<ContextType>;
  ServiceAccountToken?: ServiceAccountTokenResolvers<ContextType>;
  IssuedServiceAccountToken?: IssuedServiceAccountTokenResolvers<ContextType>;
  PipelineClaim?: PipelineClaimResolvers<ContextType>;
  TrustedPipeline?: TrustedPipelineResolvers<ContextType>;
  ReleaseSource?: ReleaseSourceResolvers<ContextType>;
  Role?: RoleResolvers<ContextType>;
  PersonAccount?: PersonAccountResolvers<ContextType>;
  Invitation?: InvitationResolvers<ContextType>;
  Group?: GroupResolvers<ContextType>;
  AppMember?: AppMemberResolvers<ContextType>;
  SystemEventConnection?: SystemEventConnectionResolvers<ContextType>;
  SystemEventEdge?: SystemEventEdgeResolvers<ContextType>;
  AuditConnection?: AuditConnectionResolvers<ContextType>;
  AuditEdge?: AuditEdgeResolvers<ContextType>;
  TracedRequestConnection?: TracedRequestConnectionResolvers<ContextType>;
  TracedRequestEdge?: TracedRequestEdgeResolvers<ContextType>;
};

