import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { Caller, FieldViolation, HoldResult, Page } from "@appserver/kernel";
import type { AppRecord, AppTransition, AssetRecord, Condition, OperationRecord } from "./domain/app.ts";
import type { AppEvent } from "./domain/app-events.ts";
import type { AppState } from "./domain/app-state.ts";

/** Everything that one command changes about an app. */
export interface AppChange {
  readonly app: AppRecord;
  /** Absent for a new app; else the version that was read: CONFLICT when it is no longer current. */
  readonly expectedRowVersion: number | undefined;
  readonly transition?: AppTransition;
  readonly events: readonly AppEvent[];
  /** A manifest to store with the assets it carries. */
  readonly manifest?: AppManifest;
  readonly operation?: OperationRecord;
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
  approvals(appId: string): Promise<readonly Approval[]>;
  approve(appId: string, scopes: readonly string[], by: string, at: Date): Promise<void>;
}

export interface Approval {
  readonly scope: string;
  readonly approvedBy: string;
  readonly approvedAt: Date;
}

/** Runs one command on an app at a time, cluster-wide. */
export interface CommandLock {
  /** Waits a moment for what is under way, which may be no more than a look of {@link runIfFree}; then throws CONFLICT. */
  run<T>(appName: string, command: () => Promise<T>): Promise<T>;
  /** What the platform does by itself, only while no command is under way: otherwise `held: false`, and nothing ran. */
  runIfFree<T>(appName: string, work: () => Promise<T>): Promise<HoldResult<T>>;
}

/** A scope that an app needs: another app's (`owner`), or the platform's. */
export interface RequiredScope {
  readonly scope: string;
  readonly owner: string | undefined;
}

/** News of apps, for live views. */
export interface AppNews {
  /** Name of every app that changed from now on, with the state it changed to where the news tells; ends with the signal. */
  changes(signal: AbortSignal): AsyncIterable<{ readonly appName: string; readonly state: AppState | undefined }>;
}

/** The permission tuples of installed apps. */
export interface AppPermissions {
  /** Makes the app's own scopes known and gives the app what its manifest requires of others. */
  grant(appName: string, own: readonly string[], required: readonly RequiredScope[]): Promise<void>;
  /** Takes back what {@link grant} gave. */
  revoke(appName: string, own: readonly string[], required: readonly RequiredScope[]): Promise<void>;
  /** Whether the caller holds `permission` (`app:install`) of the platform, or of the app `owner`. */
  allowed(caller: Caller, permission: string, owner?: string): Promise<boolean>;
}

/** What other services keep for an app. Each call is repeated after a crash, and must bear that. */
export interface AppData {
  /** Their part of onCreate (design/behaviour "Installation"). A rejection makes the installation FAILED. */
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
}

/** What other apps have to say to an installation: the hook `app.on_create` (design/behaviour "Installation"). */
export interface CreationHook {
  /**
   * Resolves when everybody who is asked agreed. Repeated after a crash with the same operation, and must bear that. A
   * rejection makes the installation FAILED.
   */
  run(app: AppRecord, operationId: string, actor: string | undefined): Promise<void>;
}

/** The image tag that an app is to be run from, where its settings say (specification §6.5). */
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
  probe(url: string, timeoutMs: number): Promise<boolean>;
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
