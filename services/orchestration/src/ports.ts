import type {
  AppSnapshot,
  DataRemoval,
  SnapshotRestore,
  StorageRemoval,
  StoredDatabase,
  StoredStorage,
} from "@appserver/contracts/deployments";
import type { LogLine } from "@appserver/kernel";
import type { ContainerFile, DatabaseOwner, DatabaseSize } from "@appserver/kernel/ports";
import type { Deployment, DeploymentRole } from "./domain/deployment.ts";
import type { DeclaredStorage, DesiredApp } from "./domain/desired-app.ts";
import type { LogSource } from "./domain/log-messages.ts";
import type { IdentityOwner, IssuedIdentity } from "./domain/workload-identity.ts";

export {
  type AppDatabases,
  type AppNetworkView,
  type AppUsageSample,
  ContainerError,
  type ContainerFile,
  type ContainerReplicas,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerSupervision,
  type ContainerView,
  containerLabels,
  type DatabaseOwner,
  type InstanceProblem,
  type InstanceView,
  type Leases,
  type UsageHistory,
} from "@appserver/kernel/ports";

/** The installed apps. The composer connects the marketplace's read side. */
export interface InstalledApps {
  /** Returns every installed app, including FAILED ones. Rejects if the installed apps cannot be determined. */
  all(): Promise<readonly DesiredApp[]>;
  /**
   * Returns the app, or undefined only if it is certain that the app is not installed. A container is removed only in that
   * case. Rejects if the state cannot be determined.
   */
  get(name: string): Promise<DesiredApp | undefined>;
}

/** The writer of a record: the holder of the app's lease. */
export interface Writer {
  readonly appName: string;
  /** The fence of the lease. A write with a fence older than the newest one seen rejects with CONFLICT and changes nothing. */
  readonly fence: number;
}

/** The deployments of one app by their roles. */
export type DeploymentsByRole = Readonly<Partial<Record<DeploymentRole, Deployment>>>;

export type DeploymentContainer = Pick<Deployment, "id" | "appName" | "containerName" | "state">;

/** Deployment records. An app has at most one in each role. The others are history. */
export interface DeploymentStore {
  ofApp(appName: string): Promise<DeploymentsByRole>;
  /** Returns the names of the containers of all deployments that have a role. */
  containers(): Promise<readonly DeploymentContainer[]>;
  /** Returns every deployment that has a role. */
  withRole(): Promise<readonly Deployment[]>;
  /**
   * Stores a new deployment, and emits `deployment.state_changed` in the same transaction. The deployment that had its role
   * becomes history.
   */
  begin(writer: Writer, deployment: Deployment): Promise<void>;
  /** Stores a transition, and emits `deployment.state_changed` in the same transaction. */
  transition(writer: Writer, before: Deployment, after: Deployment): Promise<void>;
  /** Stores changes in the same state that no other service needs. Emits no event. */
  amend(writer: Writer, before: Deployment, after: Deployment): Promise<void>;
  /**
   * Makes the next deployment the current one and the current one, if there is one, the retiring one. Emits
   * `deployment.state_changed` of the new current one in the same transaction.
   */
  promote(writer: Writer, next: Deployment, replaced: Deployment | undefined, at: Date): Promise<void>;
  /** Asks for the start of an app that is asleep. Has no effect on any other. */
  requestWake(appId: string): Promise<void>;
  /** Stores the progress of a pull. It also counts as an update of the record. */
  saveProgress(writer: Writer, deploymentId: string, fraction: number | undefined, status: string): Promise<void>;
}

/** The images of deployments that have ended. */
export interface EndedImages {
  /**
   * Returns the images, named by digest, that ended deployments ran and no other one runs. Without those of apps of which a
   * deployment is about to get its container.
   */
  endedImages(): Promise<readonly { readonly image: string; readonly digest: string }[]>;
}

/** A new certificate of a deployment, and its end. */
export interface CertificateRenewal {
  readonly files: readonly ContainerFile[];
  readonly endsAt: Date;
}

/** The identities of deployments (docs/interface/containers.md#identity). They end with the deployments of their generation. */
export interface WorkloadIdentities {
  /**
   * Makes an identity for a container of this generation, stores it, and returns the files for the container. An earlier identity
   * of the generation is no longer valid. Rejects with CONFLICT if another orchestrator has taken over.
   */
  issue(writer: Writer, owner: IdentityOwner): Promise<readonly ContainerFile[]>;
  /** Returns when the certificate of a generation ends. Undefined if the generation has no identity. */
  certificateEnd(owner: IdentityOwner): Promise<Date | undefined>;
  /** Makes a certificate for the same key. It counts after {@link renewed}. */
  renewal(owner: IdentityOwner): Promise<CertificateRenewal | undefined>;
  renewed(writer: Writer, owner: IdentityOwner, endsAt: Date): Promise<void>;
}

/** A stored identity with its version, which grows with each change. */
export interface IdentityRecord {
  readonly version: number;
  readonly owner: IdentityOwner;
  /** Opens its secret. */
  open(): Promise<IssuedIdentity>;
}

/** The stored identities, for servers. */
export interface IdentityRecords {
  /** Returns the identities of these apps, by default of all. */
  read(appIds: readonly string[] | undefined): Promise<readonly IdentityRecord[]>;
  /** Returns a text that is different after any change. */
  summary(): Promise<string>;
  /** Calls `onChange` with the id of an app whose identities changed, and without one if changes may have been missed. */
  listen(onChange: (appId?: string) => void): Promise<{ close(): Promise<void> }>;
}

/** Requests to delete data of an app, all of it or one storage. One stays until the data is deleted. */
export interface DataRemovals {
  request(removal: DataRemoval | StorageRemoval, at: Date): Promise<void>;
  /** Returns the requests for apps of this name. An app that was registered again has another id. */
  ofApp(appName: string): Promise<readonly (DataRemoval | StorageRemoval)[]>;
  appNames(): Promise<readonly string[]>;
  done(removal: DataRemoval | StorageRemoval): Promise<void>;
}

/** A snapshot with the request to delete it. */
export interface StoredSnapshot extends AppSnapshot {
  readonly removalRequestedAt?: Date | undefined;
}

/** What orchestrators have to do about the snapshots of an app, oldest first. */
export interface SnapshotWork {
  /** The unfinished ones, and those that the operation waits for. */
  readonly snapshots: readonly StoredSnapshot[];
  readonly removals: readonly StoredSnapshot[];
  /** The unfinished ones, and those that the operation waits for. */
  readonly restores: readonly SnapshotRestore[];
}

/** What a complete snapshot contains. */
export type SnapshotResult = Pick<AppSnapshot, "pausedMs" | "databaseBytes" | "storage">;

/** Records of snapshots. What is finished already is not changed. */
export interface SnapshotRecords {
  /** `operationId`: of the switch to another release, if there is one. */
  work(appName: string, operationId: string | undefined): Promise<SnapshotWork>;
  /** Returns all of an app, also those that are to be deleted. */
  /** Returns the name of another app that is getting the data of a snapshot of this one, or waits for it. */
  userOf(appId: string): Promise<string | undefined>;
  ofApp(appId: string): Promise<readonly StoredSnapshot[]>;
  find(id: string): Promise<StoredSnapshot | undefined>;
  /** Returns the names of the apps that have something to do. */
  appNames(): Promise<readonly string[]>;
  /** Stores a request, and with it the restore that needs it. Rejects with CONFLICT while another one of its kind is not finished. */
  add(writer: Writer, snapshot: AppSnapshot, restore?: SnapshotRestore): Promise<void>;
  setRunning(writer: Writer, id: string, isRunning: boolean): Promise<void>;
  complete(writer: Writer, id: string, result: SnapshotResult, at: Date): Promise<void>;
  fail(writer: Writer, id: string, problem: string, at: Date): Promise<void>;
  setRestoring(writer: Writer, id: string, isRunning: boolean): Promise<void>;
  /** `problem`: why it failed. */
  finishRestore(writer: Writer, id: string, problem: string | undefined, at: Date): Promise<void>;
  /** Deletes the record of a snapshot whose copies were deleted. */
  remove(writer: Writer, id: string): Promise<void>;
  /** Deletes the records of all snapshots of an app and of their restores. */
  forget(writer: Writer, appId: string): Promise<void>;
  /**
   * Requests the deletion of complete snapshots above this number, automatic ones first, then the oldest, and of failed ones above
   * it. Those that expire, the newest one, and what an unfinished restore needs are kept.
   */
  removeSurplus(writer: Writer, appId: string, keep: number, at: Date): Promise<void>;
  /** Requests the deletion of those that have expired. Returns the names of their apps. */
  expire(now: Date): Promise<readonly string[]>;
}

/** Records of the storage that exists. The server reads them, because it does not reach the engine. */
export interface StorageRecords {
  /** Stores that these exist, and their declaration. What is stored already keeps its age and size. */
  save(appId: string, storage: readonly DeclaredStorage[], at: Date): Promise<void>;
  /** Returns those of an app, sorted by name. */
  ofApp(appId: string): Promise<readonly StoredStorage[]>;
  /** Stores the sizes of storage that is recorded. */
  saveUsage(usage: readonly StorageUsage[], at: Date): Promise<void>;
  /** Returns how many there are, of all apps, and when a size was stored last. */
  summary(): Promise<{ readonly count: number; readonly measuredAt: Date | undefined }>;
  /** Without a name: all of the app. */
  remove(appId: string, name?: string): Promise<void>;
}

export interface StorageUsage {
  readonly appId: string;
  readonly name: string;
  readonly usedBytes: number;
}

/** Records of the databases of apps. The server reads them, because it does not reach their server. */
export interface DatabaseRecords {
  /** Replaces the records of all apps by these. `fullSince` of a database that stays full is kept. */
  replace(sizes: readonly AppDatabaseSize[], at: Date): Promise<void>;
  ofApp(appId: string): Promise<StoredDatabase | undefined>;
  all(): Promise<readonly StoredDatabase[]>;
}

export type AppDatabaseSize = DatabaseOwner & Omit<DatabaseSize, "name">;

/** The registered apps, for their logs. The composer connects the marketplace. */
export interface LoggedApps {
  /** Undefined if no app has the name. */
  find(name: string): Promise<LoggedApp | undefined>;
}

export interface LoggedApp {
  /** For messages. */
  readonly state: string;
  readonly isInstalled: boolean;
  readonly isEnabled: boolean;
  readonly needsContainer: boolean;
}

/** What is wanted of a log. */
export interface LogQuery {
  readonly appName: string;
  /** Identifies the caller, who gets a share of what is read at a time. */
  readonly reader: string;
  /** Only the last lines of each instance. Undefined: all that are kept. */
  readonly tail: number | undefined;
  /** Only lines after this time, in the form of `LogLine.time`. */
  readonly since: string | undefined;
  readonly follow: boolean;
  /** Only instances whose id begins with it. Undefined: all. */
  readonly instance: string | undefined;
}

/** Lines of one instance of a container that follow each other. */
export interface LogEntry {
  /** Undefined only without lines. */
  readonly source: LogSource | undefined;
  /** True for the first entry of a container that has started. It may have no lines. */
  readonly isStart: boolean;
  /** The number of lines before these that were not sent, because the caller was too slow or a message was lost. */
  readonly leftOut: number;
  readonly lines: readonly LogLine[];
}

/** Reads logs from the orchestrators. */
export interface LogReader {
  /**
   * Yields a log until `signal` aborts. `isServed`, called at intervals: whether there is still something to follow. Throws
   * SERVICE_UNAVAILABLE if no orchestrator sends the log, RATE_LIMIT_EXCEEDED if too many are read.
   */
  read(query: LogQuery, signal: AbortSignal, isServed: () => Promise<boolean>): AsyncIterable<LogEntry>;
}

/**
 * Digests of configurations. They are keyed, because a configuration contains secrets that could be guessed from a plain digest.
 */
export interface ConfigurationDigests {
  /** Returns the digest with the newest key. */
  of(configuration: string): Promise<string>;
  /** Returns whether the digest is of this configuration. False if its key is not configured any more. */
  matches(digest: string, configuration: string): Promise<boolean>;
}

/** Checks the health of an app. */
export interface HealthProbe {
  /**
   * Returns undefined on a response of 2xx or 3xx in time, else the problem, for example "GET /health: connection refused".
   * Redirects are not followed. Never rejects.
   */
  problem(endpoint: string, path: string, timeoutMs: number): Promise<string | undefined>;
}
