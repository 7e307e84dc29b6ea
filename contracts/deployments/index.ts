import type { ErrorCode } from "../errors/catalogue.ts";
import type { DeploymentState, HealthState } from "../generated/graphql.ts";

export * from "./snapshot-imports.ts";
export * from "./snapshots.ts";
export type { DeploymentState, HealthState };

/**
 * What the orchestrator lets others see of one attempt to run one generation of an app
 * (docs/interface/states.md#deployment-record).
 */
export interface DeploymentRecord {
  /** UUIDv7 */
  readonly id: string;
  readonly appId: string;
  readonly appVersion: string;
  /** The installation that it belongs to. A deployment of an older generation is stale. */
  readonly generation: number;
  /** The operation that it was started for. Undefined unless it was started as the next deployment. */
  readonly operationId?: string | undefined;
  readonly state: DeploymentState;
  readonly healthStatus: HealthState;
  /** True if it failed permanently. The orchestrator does nothing more until a new generation or an explicit restart. */
  readonly final: boolean;
  /** `docker`, `process` */
  readonly driver: string;
  /** The image by tag, as pulled. */
  readonly image: string;
  /** The digest of the image that runs: that of the release, or the one that the tag had when it was pulled. */
  readonly imageDigest?: string | undefined;
  /** `app-<name>`, or `app-<name>-g<generation>` until the one that it replaces is removed. */
  readonly containerName: string;
  readonly containerId?: string | undefined;
  /** The address of the app. Undefined while the app is not reachable. */
  readonly endpoint?: string | undefined;
  /** How many instances it should have. Undefined, as they are, while the app is not reachable. */
  readonly wantedInstances?: number | undefined;
  readonly instances?: readonly DeploymentInstance[] | undefined;
  /** Since when the app serves with fewer ready instances than it should have. Undefined while it has them. */
  readonly degradedSince?: Date | undefined;
  readonly lastError?: DeploymentProblem | undefined;
  /** The fault of the infrastructure that it waits for. Undefined if it waits for none. */
  readonly fault?: DeploymentFault | undefined;
  /** Of this deployment, or of the failed one that it continues. Undefined once the container is stopped. */
  readonly lastCrash?: Crash | undefined;
  /** What its container was created with. Undefined before. */
  readonly limits?: CreatedLimits | undefined;
  /** How its health is checked. Undefined before its container is created. */
  readonly healthPlan?: HealthPlan | undefined;
  /** Restarts after failures, since the generation was installed or a restart was requested. */
  readonly restartCount: number;
  /** The next step waits until this time (back-off). */
  readonly notBefore?: Date | undefined;
  /**
   * Since when its container is stopped, or is about to be, so that another release can start. While it is paused, its state does
   * not change.
   */
  readonly pausedAt?: Date | undefined;
  /** The digest of the configuration that it should have. Undefined while it has that one. */
  readonly wantedConfiguration?: string | undefined;
  /** Of the pull of its image: 0..1 if the engine reports sizes. */
  readonly progress?: number | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A transition of a deployment, or a new finding while its state stays the same. */
export interface DeploymentEvent {
  readonly deploymentId: string;
  /** Undefined for the beginning. */
  readonly from?: DeploymentState | undefined;
  readonly to: DeploymentState;
  readonly error?: DeploymentProblem | undefined;
  readonly at: Date;
}

/** The reason why a deployment is not healthy, with a code of the error catalogue. */
export interface DeploymentProblem {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * What failed of the infrastructure: `image_unavailable`: the registry cannot be reached, failed or is too slow; `image_limited`: it allows
 * no more pulls for now; `image_missing`: it does not have the image; `engine`: the container engine failed; `network`: no network is
 * free; `name_in_use`: another program uses the name of the container; `database`: the server of the apps' databases.
 */
export type FaultKind =
  | "image_unavailable"
  | "image_limited"
  | "image_missing"
  | "engine"
  | "network"
  | "name_in_use"
  | "database";

/** A fault of the infrastructure. It is not counted as a failure of the app, and is tried again until it is over. */
export interface DeploymentFault {
  readonly kind: FaultKind;
  readonly message: string;
  /** Since when each attempt failed for the same part of the infrastructure. */
  readonly since: Date;
  /** Failed attempts since then. */
  readonly attempts: number;
}

/** The fault of an installed app's deployment. */
export interface AppFault extends DeploymentFault {
  readonly appId: string;
  readonly appName: string;
}

/**
 * Returns where the ready instances are, in a fixed order, if there should be several. Undefined otherwise, and if none is ready: then the
 * endpoint leads to what there is.
 */
export function addressesOf({
  wantedInstances = 0,
  instances = [],
}: Pick<DeploymentRecord, "wantedInstances" | "instances">): readonly string[] | undefined {
  if (wantedInstances < 2) return undefined;
  const found = instances.flatMap(({ ready, address }) => (ready && address !== undefined ? [address] : []));
  return found.length > 0 ? found.sort() : undefined;
}

/** Returns whether the app waits for its image. */
export function isImageFault(kind: FaultKind): boolean {
  return kind === "image_unavailable" || kind === "image_limited" || kind === "image_missing";
}

/** Returns whether a person must do something before the fault can end. */
export function needsPerson(kind: FaultKind): boolean {
  return kind === "image_missing" || kind === "name_in_use";
}

/**
 * How the app last ended by itself. Of an app that failed without an end: what it printed before it was stopped, if the engine keeps no
 * output of stopped containers.
 */
export interface Crash {
  readonly at: Date;
  readonly exitCode?: number | undefined;
  /** The last lines that it printed, oldest first: at most 20, of at most 1,000 characters. */
  readonly output: readonly string[];
}

/** One of the copies that an app runs as. */
export interface DeploymentInstance {
  readonly id: string;
  /** The machine that runs it. Undefined if the engine has one machine, or has not chosen yet. */
  readonly place?: string | undefined;
  /** `10.244.1.7:3000`. Undefined until it has one. */
  readonly address?: string | undefined;
  readonly ready: boolean;
  /** Undefined until it has started. */
  readonly startedAt?: Date | undefined;
  /** How often the engine has restarted it. */
  readonly restarts: number;
  readonly lastEnd?: InstanceEnd | undefined;
  /** Why it does not run or is not ready. */
  readonly problem?: string | undefined;
}

/** `memory`: it was ended because it used more than its limit. */
export interface InstanceEnd {
  readonly at: Date;
  readonly exitCode?: number | undefined;
  readonly cause: "exit" | "memory";
}

/** The limits that a container was created with. */
export interface CreatedLimits {
  /** MiB */
  readonly memoryMb: number;
  readonly cpuShares: number;
  readonly pids: number;
}

/** How the health of one app is checked. */
export interface HealthPlan {
  /** Undefined: the app counts as healthy while it runs. */
  readonly path?: string | undefined;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Failures in a row that make the app unhealthy. */
  readonly threshold: number;
}

/** What the state of an app follows from. */
export type DeploymentStatus = Pick<
  DeploymentRecord,
  "appId" | "generation" | "state" | "final" | "endpoint" | "wantedInstances" | "instances" | "imageDigest"
>;

/** A folder of an app that outlives its containers. */
export interface StoredStorage {
  readonly name: string;
  /** As the last container that had it declared it, as is `size`. */
  readonly mountPath: string;
  /** `1Gi` */
  readonly size: string;
  readonly createdAt: Date;
  /** Size of its files. Undefined until it is measured. */
  readonly usedBytes?: number | undefined;
  readonly measuredAt?: Date | undefined;
}

interface OwnedData {
  readonly appId: string;
  readonly appName: string;
}

/** The database of an app at its last measurement. */
export interface StoredDatabase extends OwnedData {
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Since when it is over its limit and the app gets no connections. Undefined while it is within it. */
  readonly fullSince?: Date | undefined;
  readonly measuredAt: Date;
}

/** Reads what the orchestrators stored, and sends them requests. Any process may use it. */
export interface Deployments {
  /**
   * Returns the newest deployment of a generation. Without a generation: the current deployment, or the last one if the app is
   * uninstalled.
   */
  find(appId: string, generation?: number): Promise<DeploymentRecord | undefined>;
  /** Returns the deployments of all apps that serve, are about to, or are replaced, oldest first. */
  statuses(): Promise<readonly DeploymentStatus[]>;
  /** Returns the faults of the deployments of these apps that serve or are about to, by default of all, oldest first. */
  faults(appId?: string): Promise<readonly AppFault[]>;
  /** Returns the ids of the apps that serve with fewer ready instances than they should have. */
  degraded(): Promise<readonly string[]>;
  /** Returns the names of apps whose container was created with another configuration than it should have now. */
  outOfDate(): Promise<readonly string[]>;
  /**
   * Stores a request for a new container of the app. The orchestrator that holds the app's lease carries it out. Throws NOT_FOUND
   * if the app has no deployment.
   */
  restart(appName: string): Promise<void>;
  /**
   * Asks for an app that serves to fall asleep: its container is stopped once no request runs (docs/interface/sleep.md). Has no
   * effect in any other state of its deployment.
   */
  sleep(appId: string): Promise<void>;
  /** Asks for an app that is asleep to be started. Has no effect on any other. Safe to repeat. */
  wake(appId: string): Promise<void>;
  /** Has the orchestrator that holds the app's lease compare at once what runs with what should run. */
  reconcile(appName: string): Promise<void>;
  /** Returns the storage of the app that exists, sorted by name. */
  storage(appId: string): Promise<readonly StoredStorage[]>;
  /** Returns the database of the app. Undefined until it is measured. */
  database(appId: string): Promise<StoredDatabase | undefined>;
  /** Returns the ids of the apps whose database is over its limit. */
  fullDatabases(): Promise<readonly string[]>;
  /**
   * Has the data of an app deleted as soon as nothing of it runs. Has no effect once a later generation of the app has run, so that
   * a late request never deletes new data. With `storage`: one storage of the app, unless another deployment began since. Safe to
   * repeat.
   */
  removeData(removal: DataRemoval | StorageRemoval): Promise<void>;
}

/** A request to delete the data of an app as it was left at the end of a generation. */
export interface DataRemoval extends OwnedData {
  readonly generation: number;
}

/** A request to delete one storage of an app as it was left at the end of a deployment. */
export interface StorageRemoval extends OwnedData {
  readonly storage: string;
  /** Undefined: the app has never run. */
  readonly deploymentId: string | undefined;
}

/** What the orchestrator reads of the marketplace, besides the apps. */
export interface MarketplaceReads {
  /**
   * Returns whether the app has an approval of the scope, for any of its releases: a release runs only if its own was approved, and a
   * revocation withdraws the approvals of all.
   */
  isApproved(appId: string, scope: string): Promise<boolean>;
  /** Returns the digests of the images of every release that an installed app serves, switches to or may return to. */
  retainedImages(): Promise<ReadonlySet<string>>;
  /**
   * Returns what the servers still do with the generations of an app before this one (docs/interface/states.md#drain). `asleep`: also
   * with this one, until the app is woken.
   */
  drainState(appId: string, generation: number, asleep?: "asleep"): Promise<DrainState>;
  /** Returns whether requests to the app wait, for long enough that every server knows. */
  holdsRequests(appId: string): Promise<boolean>;
}

export interface DrainState {
  /**
   * The number of live server replicas that have not reported yet that their requests go to this generation or a later one, or wait
   * for it.
   */
  readonly waiting: number;
  /** The number of requests that still run on earlier generations. */
  readonly exchanges: number;
}
