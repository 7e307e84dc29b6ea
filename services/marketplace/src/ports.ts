import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { Caller, FieldViolation, HoldResult, Page } from "@appserver/kernel";
import type { AuditRecord } from "@appserver/kernel/ports";
import type { AppRecord, AppTransition, AssetRecord, Condition, OperationRecord } from "./domain/app.ts";
import type { AppEvent } from "./domain/app-events.ts";
import type { AppState } from "./domain/app-state.ts";
import type { ApprovedScope, RequiredScope } from "./domain/required-permissions.ts";

export type { AuditRecord };

/** Everything that one command changes about an app. */
export interface AppChange {
  readonly app: AppRecord;
  /** Absent for a new app; else the version that was read: CONFLICT when it is no longer current. */
  readonly expectedRowVersion: number | undefined;
  readonly transition?: AppTransition;
  readonly events: readonly AppEvent[];
  /** A manifest to store with the assets it carries. Its certificate becomes the app's pinned one. */
  readonly manifest?: AppManifest;
  readonly operation?: OperationRecord;
  readonly audit?: AuditRecord;
}

export interface AppQuery {
  readonly names?: readonly string[];
  readonly states?: readonly AppState[];
  /** Part of the name or the display name, any case. */
  readonly search?: string;
  /** Name to start after. */
  readonly after?: string;
  readonly limit: number;
}

export interface AppPage extends Page<AppRecord> {
  /** Of the whole filter. */
  readonly totalCount: number;
}

/** Apps, their manifests, assets and history. Every write is one transaction together with its events. */
export interface AppStore {
  findByName(name: string): Promise<AppRecord | undefined>;
  findById(id: string): Promise<AppRecord | undefined>;
  findByKey(keyFingerprint: string): Promise<AppRecord | undefined>;
  /** By name, ascending. */
  list(query: AppQuery): Promise<AppPage>;
  /** Apps in any of `states`, by name. */
  inStates(states: readonly AppState[]): Promise<readonly AppRecord[]>;
  /** Throws CONFLICT when another command changed the app first, or when name, key or route base is taken. */
  save(change: AppChange): Promise<AppRecord>;
  /** The manifest of a version, assets without contents. */
  manifest(appId: string, version: string): Promise<AppManifest | undefined>;
  /** The certificate that registrations and signatures of the app are judged by, PEM or DER. */
  pinnedCertificate(app: AppRecord): Promise<Uint8Array | undefined>;
  /** The manifests of every app's current version, by app id: for plans and tables over all apps. */
  manifests(): Promise<ReadonlyMap<string, AppManifest>>;
  /** Name of another app whose UI has the route base, if any. */
  routeBaseOwner(routeBase: string, exceptApp: string): Promise<string | undefined>;
  assets(appId: string, version: string): Promise<readonly AssetRecord[]>;
  assetContents(
    appId: string,
    version: string,
    assetName: string,
  ): Promise<(AssetRecord & { readonly contents: Uint8Array }) | undefined>;
  /** Newest first. */
  history(appId: string, limit: number): Promise<readonly AppTransition[]>;
  operation(appId: string): Promise<OperationRecord | undefined>;
  /** Stores an entry by itself, where nothing else is stored: of what was refused. */
  audit(record: AuditRecord): Promise<void>;
}

/** What apps were approved to have, and what they were granted. */
export interface ApprovalStore {
  approvals(appId: string): Promise<readonly Approval[]>;
  /** Stores approvals with their audit entry in one transaction. What was approved before keeps its approver. */
  approve(appId: string, approvals: readonly Approval[], audit: AuditRecord): Promise<void>;
  /** Approvals of earlier releases, which knew neither owner nor request, by app id. */
  earlierApprovals(): Promise<ReadonlyMap<string, readonly EarlierApproval[]>>;
  /** Puts `approvals` in the place of the app's earlier ones. */
  replaceEarlierApprovals(appId: string, approvals: readonly Approval[]): Promise<void>;
  /** What the app was granted and has not lost since. */
  grants(appId: string): Promise<Grants | undefined>;
  /** Remembers what the app is about to be granted, or to lose. */
  recordGrants(appId: string, grants: Grants): Promise<void>;
  /** Names of apps whose grants are to be taken back. */
  toRevoke(): Promise<readonly string[]>;
  /** Names of apps that were installed, or failed to be, by a release that recorded no grants. */
  unrecorded(): Promise<readonly string[]>;
}

export interface GrantedScopes {
  /** Scopes of the app's own. */
  readonly own: readonly string[];
  /** Scopes of others that it holds. */
  readonly required: readonly RequiredScope[];
}

/** What an app's installation was granted. */
export interface Grants extends GrantedScopes {
  /** False: they are to be taken back, as soon as the authorization service can be reached. */
  readonly inForce: boolean;
}

export interface Approval extends ApprovedScope {
  readonly approvedBy: string;
  readonly approvedAt: Date;
}

export type EarlierApproval = Omit<Approval, "owner" | "digest">;

/** Runs one command on an app at a time, cluster-wide. */
export interface CommandLock {
  /** Waits a moment for what is under way, which may be no more than a look of {@link runIfFree}; then throws CONFLICT. */
  run<T>(appName: string, command: () => Promise<T>): Promise<T>;
  /** What the platform does by itself, only while no command is under way: otherwise `held: false`, and nothing ran. */
  runIfFree<T>(appName: string, work: () => Promise<T>): Promise<HoldResult<T>>;
}

/** News of apps, for live views. */
export interface AppNews {
  /** Name of every app that changed from now on, with the state it changed to where the news tells; ends with the signal. */
  changes(signal: AbortSignal): AsyncIterable<{ readonly appName: string; readonly state: AppState | undefined }>;
}

/** The permission tuples of installed apps. */
export interface AppPermissions {
  /**
   * Makes the app's own scopes known, gives it the scopes of others in `after`, and takes back what is in `before` alone;
   * undefined: nothing.
   */
  replace(appName: string, before: GrantedScopes | undefined, after: GrantedScopes | undefined): Promise<void>;
  /** Whether the caller holds `permission` (`app:install`) of the platform, or of the app `owner`. */
  allowed(caller: Caller, permission: string, owner?: string): Promise<boolean>;
}

/** What other services keep for an app. Each call is repeated after a crash, and must bear that. */
export interface AppData {
  /** Their part of onCreate (docs/interface/states.md#installation). A rejection makes the installation FAILED. */
  prepare(app: AppRecord): Promise<void>;
  /** Deletes all of it: the app is being uninstalled with `purge_data`. */
  purge(app: AppRecord, actor: string | undefined): Promise<void>;
  /** What is wrong with it that somebody should mend, for the app's conditions. */
  conditions(app: AppRecord): Promise<readonly Condition[]>;
}

/** Rules that other services have for their parts of a manifest. */
export interface ManifestRules {
  /** Every one that it breaks. */
  violations(manifest: AppManifest): Promise<readonly FieldViolation[]>;
  /** What will not work as it is, and may be meant. */
  warnings(manifest: AppManifest): readonly FieldViolation[];
}

/** The hook `app.on_create`, with which other apps can refuse an installation (docs/interface/hooks.md#creation-hook). */
export interface CreationHook {
  /**
   * Resolves when everybody who is asked agreed. Repeated after a crash with the same operation, and must bear that. A
   * rejection makes the installation FAILED.
   */
  run(app: AppRecord, operationId: string, actor: string | undefined): Promise<void>;
}

/** The image tag that the settings of an app select, if they do (docs/interface/containers.md#image). */
export interface ImageStages {
  find(appId: string): Promise<string | undefined>;
}

/** What the orchestrator knows of one app's container, re-read whenever an event hints at a change. */
export interface DeploymentView {
  readonly id: string;
  readonly appId: string;
  readonly appVersion: string;
  readonly state: string;
  readonly containerId: string | undefined;
  readonly healthStatus: "UNKNOWN" | "HEALTHY" | "UNHEALTHY";
  readonly driver: string;
  readonly image: string;
  readonly imageDigest: string | undefined;
  readonly containerName: string;
  readonly generation: number;
  readonly restartCount: number;
  readonly endpoint: string | undefined;
  readonly lastError: { readonly code: string; readonly message: string } | undefined;
  /** True when the orchestrator has given up: nothing more happens until somebody acts. */
  readonly final: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Deployments {
  find(appId: string): Promise<DeploymentView | undefined>;
}

/** Asks an external upstream whether it is well. Resolves false on anything but a 2xx or 3xx answer in time. */
export interface HealthProber {
  /** What is wrong with the backend, as in "GET http://…/health: connection refused". Undefined where it is well. Never rejects. */
  probe(url: string, timeoutMs: number): Promise<string | undefined>;
}

/** Who probes an external app: one replica at a time. */
export interface ProbeRights {
  /** Undefined while another replica has the right. */
  acquire(appName: string, ttlMs: number): Promise<ProbeRight | undefined>;
}

export interface ProbeRight {
  /** For another `ttlMs`; false when it was lost. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}
