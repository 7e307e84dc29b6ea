import type { ApiDescription } from "@appserver/contracts/api-description";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AutoUpgrade } from "@appserver/contracts/settings";
import type { BatchedPermissions, FieldViolation, HoldResult, Initiator, Logger, PipelineRun } from "@appserver/kernel";
import type { AuditRecord, EventHistory, Transaction } from "@appserver/kernel/ports";
import type {
  DescribedApp,
  DescriptionReading,
  DescriptionStatus,
  DocumentSource,
} from "./domain/api-description/description-reading.ts";
import type {
  AppRecord,
  AppTransition,
  AssetRecord,
  Condition,
  OperationRecord,
  Release,
  VersionChange,
} from "./domain/app.ts";
import type { AppEvent } from "./domain/app-events.ts";
import type { AppPage, AppQuery } from "./domain/app-query.ts";
import type { AppState } from "./domain/app-state.ts";
import type { AppsSummary } from "./domain/apps-summary.ts";
import type { LiveApp } from "./domain/live-app.ts";
import type { ApprovedScope, RequiredScope } from "./domain/required-permissions.ts";

export type { AuditRecord, EventHistory, Logger };

/** All changes that one command makes to an app. */
export interface AppChange {
  readonly app: AppRecord;
  /** The row version that the command read. CONFLICT if the stored version differs. Undefined for a new app. */
  readonly expectedRowVersion: number | undefined;
  readonly transition?: AppTransition;
  readonly events: readonly AppEvent[];
  /** A release to store, with the assets it contains. Its certificate becomes the pinned certificate of the app. */
  readonly release?: NewRelease;
  /** The certificate to pin, PEM or DER, if it changes without a release. */
  readonly certificate?: Uint8Array;
  /** Set if the release that serves changes: the route base of its UI, or null. */
  readonly routeBase?: string | null;
  /** Stored in the history of versions. Its release is marked as serving now. */
  readonly versionChange?: VersionChange;
  /** Digests of the manifests of releases to delete, with their assets. */
  readonly forget?: readonly string[];
  readonly operation?: OperationRecord;
  readonly audit?: AuditRecord;
}

/** The deletion of a registration. */
export interface AppRemoval {
  readonly app: AppRecord;
  readonly events: readonly AppEvent[];
  readonly audit: AuditRecord;
  /** The deletion itself. Its record outlives the app by a day. */
  readonly operation: OperationRecord;
}

/** The operations that callers watch. All watchers in a process share the reads. */
export interface OperationReads {
  /** Yields the operation now and after each change, until the signal aborts. Yields undefined if there is none with this id. */
  watch(id: string, signal: AbortSignal): AsyncIterable<OperationRecord | undefined>;
}

/** A manifest to store. */
export interface NewRelease {
  readonly manifest: AppManifest;
  /** Detached signature over the manifest in its canonical form. Undefined for one that was admitted without it. */
  readonly signature: Uint8Array | undefined;
  readonly revision: number;
  readonly digest: string;
  readonly registeredBy: string | undefined;
  readonly source: PipelineRun | undefined;
}

/** A manifest with its signature. The assets of a stored one have no contents. */
export type SignedRelease = Pick<NewRelease, "manifest" | "signature">;

export interface RouteBaseOwner {
  readonly name: string;
  /** Its route base. */
  readonly path: string;
}

/** Apps, their manifests, assets and history. Each write and its events are one transaction. */
export interface AppStore {
  findByName(name: string): Promise<AppRecord | undefined>;
  findById(id: string): Promise<AppRecord | undefined>;
  findByKey(keyFingerprint: string): Promise<AppRecord | undefined>;
  list(query: AppQuery): Promise<AppPage>;
  /** Throws CONFLICT if another command changed the app first, or if another app has the name, the key or the route base. */
  save(change: AppChange): Promise<AppRecord>;
  /** Deletes everything of the app but its audit entries and the operation. CONFLICT if another command changed the app. */
  remove(removal: AppRemoval): Promise<void>;
  /** Returns the manifest of a release by its digest. Its assets have no contents. */
  manifest(appId: string, digest: string): Promise<AppManifest | undefined>;
  /** Returns the manifest of a release by its digest, with its signature. */
  signedRelease(appId: string, digest: string): Promise<SignedRelease | undefined>;
  /** Yields the contents of an asset of a release in parts of 256 KiB. */
  assetContents(appId: string, digest: string, assetName: string): AsyncIterable<Uint8Array>;
  /** Returns the releases of an app that are kept, those registered last first. */
  releases(appId: string): Promise<readonly Release[]>;
  /** Returns another app whose UI has this route base, or one above or below it. */
  routeBaseOwner(routeBase: string, exceptApp: string): Promise<RouteBaseOwner | undefined>;
  assets(appId: string, manifestDigest: string): Promise<readonly AssetRecord[]>;
  /** Newest first. */
  history(appId: string, limit: number): Promise<readonly AppTransition[]>;
  /** Returns the changes of the release that serves, newest first. */
  versionChanges(appId: string, limit: number): Promise<readonly VersionChange[]>;
  /** Returns the operation of an app that runs, or else its latest one. */
  operation(appId: string): Promise<OperationRecord | undefined>;
  operationById(id: string): Promise<OperationRecord | undefined>;
  /** Returns the operations of an app that have not ended, by default those of all apps, oldest first. */
  unfinished(appId?: string): Promise<readonly OperationRecord[]>;
  /** Stores the operation of a command that does not change the app, with its audit entry. */
  addOperation(app: AppRecord, operation: OperationRecord, audit?: AuditRecord): Promise<void>;
  /** Stores how far an operation is, or how it ended. */
  updateOperation(operation: OperationRecord): Promise<void>;
  /** Stores an audit entry alone, in its own transaction. Used for refused requests. */
  audit(record: AuditRecord): Promise<void>;
}

/** The registered apps, in memory and current. */
export interface AppRegistry extends AppMemory {
  /** Returns an app from memory. */
  get(name: string): LiveApp | undefined;
  /** Returns every app from memory, in any order. */
  all(): readonly LiveApp[];
  /** Returns the app as it is stored now. Rejects if the database is unreachable. */
  current(name: string): Promise<LiveApp | undefined>;
  /** Returns every app as it is stored now, in any order. Rejects if the database is unreachable. */
  allCurrent(): Promise<readonly LiveApp[]>;
}

/** What a store keeps current with what it stores. */
export interface AppMemory {
  /** Returns the manifest of the record's release, if it is in memory. */
  manifestOf(app: AppRecord): AppManifest | undefined;
  /** Adds a change that this process has just stored. Does not reject. */
  stored(app: AppRecord): Promise<void>;
  /** Removes an app that this process has just deleted. Does not reject. */
  removed(app: AppRecord): Promise<void>;
}

/** A stored app as {@link AppSource} reads it. */
export interface StoredApp {
  readonly app: AppRecord;
  /** Verifies the app's registrations and signatures, PEM or DER. */
  readonly certificate: Uint8Array;
}

export interface ReleaseRef {
  readonly appId: string;
  readonly manifestDigest: string;
}

/** Reads registered apps for the registry, each method in one statement. */
export interface AppSource {
  /** Returns the apps with these names, or all. */
  apps(names?: readonly string[]): Promise<readonly StoredApp[]>;
  /** Returns the manifests of these releases, by their digest, which covers the app's name. Their assets have no contents. */
  /** Each function decodes the manifest, and throws if it is damaged. */
  manifestsOf(releases: readonly ReleaseRef[]): Promise<ReadonlyMap<string, () => AppManifest>>;
  /** Returns the name of the app with this id. */
  nameOf(id: string): Promise<string | undefined>;
  summary(): Promise<AppsSummary>;
}

/** What is stored of a command in the transaction of its change. */
export interface StoredCommand {
  readonly operation: OperationRecord;
  readonly audit: AuditRecord;
}

/** The permissions that apps were approved for, and the permissions they were granted. */
export interface ApprovalStore {
  approvals(appId: string): Promise<readonly Approval[]>;
  /** Returns the approvals of several apps, by app id. Apps without one may be missing. */
  approvalsOf(appIds: readonly string[]): Promise<ReadonlyMap<string, readonly Approval[]>>;
  /**
   * Stores approvals, the command and, if any approval is new, the event that `eventOf` returns for the new ones, in one
   * transaction. A scope that was already approved keeps its approver.
   */
  approve(
    app: AppRecord,
    approvals: readonly Approval[],
    command: StoredCommand,
    eventOf: (added: readonly Approval[]) => AppEvent,
  ): Promise<void>;
  /** Deletes all approvals of these scopes, whatever their owner. One transaction with the command. */
  withdraw(app: AppRecord, scopes: readonly string[], command: StoredCommand): Promise<void>;
  /** Returns what the app was granted and has not lost since. */
  grants(appId: string): Promise<Grants | undefined>;
  /** Stores the grants before the tuples are written or deleted. */
  recordGrants(appId: string, grants: Grants): Promise<void>;
  /** Returns the names of apps whose grants must be revoked. */
  toRevoke(): Promise<readonly string[]>;
}

export interface GrantedScopes {
  /** Scopes that the app itself owns. */
  readonly own: readonly string[];
  /** Scopes of other apps or of the platform that the app holds. */
  readonly required: readonly RequiredScope[];
}

/** The permissions that an app's installation was granted. */
export interface Grants extends GrantedScopes {
  /** False if the grants must be revoked as soon as the authorization service is reachable. */
  readonly inForce: boolean;
}

/** An installed app with its recorded grants. */
export interface RecordedGrants {
  readonly app: Pick<AppRecord, "id" | "name" | "state" | "installedAt">;
  readonly granted: GrantedScopes;
  /** Whether an earlier comparison found that tuples are missing. */
  readonly isIncomplete: boolean;
}

/** What the authorization store lacks of the grants of an app. */
export interface MissingGrants {
  readonly tuples: number;
  readonly since: Date;
}

/** The comparison of recorded grants with the authorization store, which may be restored from another moment. */
export interface GrantComparisons {
  /** Returns apps whose grants were not compared for `maxAgeMs`, those compared longest ago first. No other caller gets the same apps until then. */
  claim(maxAgeMs: number, limit: number): Promise<readonly RecordedGrants[]>;
  /** Makes every app due for a comparison. */
  reset(): Promise<void>;
  /** Stores that the store lacks tuples of the app. */
  noteMissing(appId: string, tuples: number): Promise<void>;
  /** Stores that nothing is missing, with the audit entry if something was written. */
  noteComplete(appId: string, audit: AuditRecord | undefined): Promise<void>;
  /** Returns what is missing, by app id. Apps whose grants are complete are absent. */
  missing(appId?: string): Promise<ReadonlyMap<string, MissingGrants>>;
}

export interface Approval extends ApprovedScope {
  readonly approvedBy: string;
  readonly approvedAt: Date;
}

/** On whose behalf a command runs: of a person or program that called the platform, or of the platform by itself. */
export type CommandOrigin = "caller" | "platform";

/** Runs at most one command at a time per app, across the cluster. */
export interface CommandLock {
  /**
   * Runs a command, by default a caller's. It waits up to 1 s for the command of another caller, and then up to 5 s for commands
   * of the platform and runs of {@link runIfFree}, which are short. A command of the platform waits up to 1 s for either. Then
   * throws CONFLICT, without running it.
   */
  run<T>(appName: string, command: () => Promise<T>, origin?: CommandOrigin): Promise<T>;
  /** Runs the platform's own work if no command is running. Otherwise returns `held: false` without running it. */
  runIfFree<T>(appName: string, work: () => Promise<T>): Promise<HoldResult<T>>;
}

/** One change of an app. */
export interface AppNotification {
  readonly appName: string;
  /** The new state, if the notification has it. */
  readonly state: AppState | undefined;
}

/** Change notifications of apps, for live views. */
export interface AppNotifications {
  /** Yields every change from now on. All callers receive the same object for one change. Ends with the signal. */
  changes(signal: AbortSignal): AsyncIterable<AppNotification>;
}

/** The permission tuples of installed apps. */
export interface AppPermissions extends BatchedPermissions {
  /**
   * Registers the app's own scopes, grants the scopes of other owners in `after`, and revokes what is only in `before`.
   * Undefined means no scopes.
   */
  replace(appName: string, before: GrantedScopes | undefined, after: GrantedScopes | undefined): Promise<void>;
  /** Returns the tuples of these scopes that the authorization store lacks, as `user relation object`. */
  missing(appName: string, granted: GrantedScopes): Promise<readonly string[]>;
  /**
   * Deletes every tuple of the app's name: what it holds, who has a role on it, and who holds its scopes. Includes tuples that
   * administrators wrote, because another app may get the name.
   */
  forget(appName: string, scopes: readonly string[]): Promise<void>;
}

/**
 * Another service's part in the life of every app. After a crash a call is repeated, so each must be idempotent.
 */
export interface AppParticipant {
  /** For log lines: "settings". */
  readonly name: string;
  /** Returns every violation of the service's rules for its part of a manifest. */
  checkManifest?(manifest: AppManifest): Promise<readonly FieldViolation[]>;
  /** Returns entries of a manifest that have no effect as written but may be intended. */
  manifestWarnings?(manifest: AppManifest): readonly FieldViolation[];
  /**
   * Prepares what the service stores of the manifest, when another release begins to serve and when an installation begins or
   * ends. Gets the app as it will be stored. Returns what writes it in the transaction of that change.
   */
  declarations?(app: Pick<LiveApp, "app" | "manifest">): Promise<(tx: Transaction) => Promise<void>>;
  /** Prepares the service for an app that is being installed. A rejection makes the installation FAILED. */
  prepare?(app: LiveApp): Promise<void>;
  /**
   * Lets other apps refuse an installation (docs/interface/hooks.md#creation-hook), after all participants are prepared.
   * Resolves when each has agreed. A rejection makes the installation FAILED.
   */
  onCreate?(app: LiveApp, installation: Installation): Promise<void>;
  /** Returns problems that an operator should fix, for the app's conditions. */
  conditions?(app: AppRecord): Promise<readonly Condition[]>;
  /** Returns the ids of those apps for which {@link conditions} returns a problem, in few statements. */
  faultyAmong?(apps: readonly LiveApp[]): Promise<readonly string[]>;
  /** Deletes what the service stores for an app that is being uninstalled with `purge_data`. */
  purge?(app: AppRecord, by: Initiator): Promise<void>;
  /** Deletes what {@link purge} keeps, when the registration is deleted: another app may get the name. */
  forget?(app: AppRecord): Promise<void>;
}

/** A running installation. */
export interface Installation {
  /** The same after a crash. */
  readonly operationId: string;
  /** Undefined for the platform itself. */
  readonly actor: string | undefined;
}

/** What the marketplace reads of the settings of apps. */
export interface AppSettings {
  /** Returns the keys of the settings that have a stored value. */
  storedKeys(appId: string): Promise<readonly string[]>;
  /** Returns the image tag that they select, if any (docs/interface/containers.md#image). */
  imageStage(appId: string): Promise<string | undefined>;
  /** Returns the automatic upgrades that they select, if any (docs/interface/settings.md#platform-settings). */
  autoUpgrade(appId: string): Promise<AutoUpgrade | undefined>;
  /** Returns whether the data of the app is copied before each upgrade, if that is set. */
  backupBeforeUpgrade(appId: string): Promise<boolean | undefined>;
}

/** What the proxy of this process does with an app's requests. */
export interface Routing {
  /** Undefined for an app that the proxy does not serve. */
  drainState(appName: string): Omit<DrainReport, "appId"> | undefined;
}

/** What one replica reports of an app. */
export interface DrainReport {
  readonly appId: string;
  /** Its new requests go to this generation, or wait for it. */
  readonly generation: number;
  /** Its exchanges that still run on earlier generations. While the app is asleep, also those on this one. */
  readonly exchanges: number;
  /** Whether its new requests wait until the app is woken. */
  readonly isAsleep: boolean;
}

/** The replicas and their reports. Times are those of the database. */
export interface DrainReports {
  /** Stores that the replica is alive, and removes expired replicas. Returns true if it was not stored, so has no reports. */
  beat(replica: string): Promise<boolean>;
  /** Throws if the replica is not stored. Reports on apps that do not exist are omitted. */
  report(replica: string, reports: readonly DrainReport[]): Promise<void>;
  /** Removes the replica and its reports. */
  leave(replica: string): Promise<void>;
}

/** Probes the health of an external upstream. A backend is healthy if it responds with 2xx or 3xx in time. */
export interface HealthProber {
  /**
   * Returns the problem, for example "GET http://…/health: connection refused". Returns undefined if the backend is healthy.
   * Never rejects.
   */
  probe(url: string, timeoutMs: number): Promise<string | undefined>;
}

/** Reads the documents in which apps describe their APIs. The rules for addresses are those of proxied calls. */
export interface ApiDocuments {
  /**
   * Returns the body of a response with the status 200, to a GET without credentials of a caller. It is signed if it goes to the app's
   * backend. Rejects for every other response, for one that is not there in 5 s, and for more than 1 MiB; the message says why to
   * developers of the app.
   */
  read(source: DocumentSource, app: DescribedApp): Promise<Uint8Array>;
}

/** The descriptions of the APIs of releases. Each is deleted with its release. */
export interface ApiDescriptions {
  /** Replaces what is stored of the release, but for the description if the reading failed. Stores nothing for a release that is deleted. */
  save(release: ReleaseRef, reading: DescriptionReading): Promise<void>;
  find(release: ReleaseRef): Promise<ApiDescription | undefined>;
  status(release: ReleaseRef): Promise<DescriptionStatus | undefined>;
  /** Returns the releases whose last reading failed. */
  failed(): Promise<readonly ReleaseRef[]>;
}
