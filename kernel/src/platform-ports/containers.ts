import type { LogLine } from "../log-lines.ts";
import type { AppStorage, StorageMount } from "./app-storage.ts";
import type { ContainerReplicas, EngineAbilities, InstanceProblem, InstanceView } from "./container-instances.ts";
import type { ContainerNetworks } from "./container-networks.ts";

/** Labels of every container of the platform (docs/interface/containers.md#labels). */
export const containerLabels = {
  instance: "appserver.instance",
  appId: "appserver.app-id",
  /** Name of the app, on its network. */
  appName: "appserver.app-name",
  deploymentId: "appserver.deployment-id",
  generation: "appserver.generation",
  attempt: "appserver.attempt",
  /** Set by operators on containers that apps must reach: the id of the installation. */
  gateway: "appserver.gateway",
  configuration: "appserver.configuration",
} as const;

type Labels = Readonly<Record<string, string>>;

/** Whether two containers belong to the same app of the same installation, so that one may be adopted as the other. */
export function isSameOwner(left: Labels, right: Labels): boolean {
  return [containerLabels.instance, containerLabels.appId].every(
    (label) => left[label] !== undefined && left[label] === right[label],
  );
}

/** Returns the owner of a container, for a message to people. */
export function ownerOf(labels: Labels): string {
  const instance = labels[containerLabels.instance];
  return instance === undefined ? "another program" : `the installation "${instance}"`;
}

/** The variable properties of one container. The driver fixes all others: hardened, nothing of the host is mounted. */
export interface ContainerSpec {
  /** `app-<app name>`, or `app-<app name>-g<generation>` until a rename. */
  readonly name: string;
  /**
   * Additional names under which the other containers of the network reach it. They stay after a rename. A container that will
   * be renamed needs its first name among them, because its endpoint keeps that name.
   */
  readonly aliases?: readonly string[];
  /** `<registry>/<app name>:<stage>`, pinned to `@sha256:…` when a digest is known. */
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly network: string;
  /** The port that the app listens on in the container (docs/interface/containers.md#network). */
  readonly port: number;
  /** `network`: reached by name; `publish`: on a free port of 127.0.0.1. */
  readonly endpoint: "network" | "publish";
  readonly memoryMb: number;
  readonly cpuShares: number;
  readonly pidsLimit: number;
  /**
   * `1000`, `1000:1000`, `root`, or another name that the image defines. Undefined: the user of the image. A driver that runs
   * processes ignores it.
   */
  readonly user?: string | undefined;
  readonly readOnlyRoot: boolean;
  /** Made if it is missing, empty. Belongs to the user that the container runs as, which must be a number then. Default: none. */
  readonly storage?: readonly StorageMount[];
  /** How many instances it gets. For an engine that changes the number by itself; `start` has the number. Default: 1. */
  readonly replicas?: ContainerReplicas;
  /** For an engine that checks or restarts instances itself ({@link EngineAbilities}). Others ignore it. */
  readonly supervision?: ContainerSupervision;
}

/** How an engine supervises the instances of a container. */
export interface ContainerSupervision {
  /** The check of {@link InstanceView.isReady}: `GET` of the path on the port of the app. Undefined: an instance that runs is ready. */
  readonly health?: {
    /** Starts with `/`. A status from 200 to 399 is a success. */
    readonly path: string;
    readonly intervalMs: number;
    readonly timeoutMs: number;
    /** Failures in a row that make an instance unready. */
    readonly threshold: number;
  };
  /** Time for an instance to become ready after its start. */
  readonly startTimeoutMs: number;
  /** The grace of a stop that the engine decides by itself. */
  readonly stopGraceMs: number;
}

/** A file of the identity of a container. */
export interface ContainerFile {
  readonly name: string;
  readonly text: string;
}

/**
 * `created`: it has never been started. `running`: at least one instance is wanted or still exists. `exited`: it has run, and no instance
 * of it exists any more.
 */
export type ContainerStatus = "created" | "running" | "exited" | "removing";

export interface ContainerView {
  readonly id: string;
  readonly name: string;
  readonly status: ContainerStatus;
  readonly labels: Readonly<Record<string, string>>;
  /** Digest or id of the running image. */
  readonly image: string;
  /**
   * Identifies the container with its image, user, limits and networks, as the engine reports them. It stays the same through starts,
   * stops and renames, and differs once another program has changed or replaced the container.
   */
  readonly fingerprint: string;
  readonly startedAt?: Date;
  /** Of a container that ended by itself. Undefined if the engine restarts instances itself. */
  readonly exitCode?: number;
  /** `http://127.0.0.1:49153` or `http://app-com.example.notes:3000`; absent while the container is not running. */
  readonly endpoint?: string;
  /** How many instances should run: 0 unless it was started. */
  readonly wanted: number;
  /** Those that exist, also while they start or stop, or have ended and were not replaced. Empty unless the container is running. */
  readonly instances: readonly InstanceView[];
  /** Why the engine makes no instance, or not enough of them. */
  readonly problem?: InstanceProblem;
}

export interface LogRequest {
  /** Only the last lines, 0 or more. Default: all that the engine has kept. */
  readonly tail?: number | undefined;
  /** Only lines after this time, in the form of {@link LogLine.time}. */
  readonly since?: string | undefined;
  /** Whether lines follow until the container, or the instance, ends. Restarts by the engine do not end them. Default false. */
  readonly follow?: boolean;
  /** Only what the instance with this id prints. Default: the newest one that has started. */
  readonly instance?: string;
  /** In place of what the container prints: what this instance printed before the engine restarted it last. */
  readonly ended?: { readonly instance: string };
  /** Ends the lines, without an error. */
  readonly signal?: AbortSignal;
}

/** What a running container uses of its machine. */
export interface ContainerStats {
  /** Memory in use now, without file caches that the system can drop. */
  readonly memoryBytes: number;
  /** Undefined if the driver does not limit memory. */
  readonly memoryLimitBytes: number | undefined;
  /**
   * Processor time of all processes of the container, user and system, since its start. A restart begins at 0. Of an engine that reports
   * rates only: what they add up to since the first measurement.
   */
  readonly cpuSeconds: number;
  /** The processor time of each instance, by its id. Undefined if the sum never falls, also when an instance ends. */
  readonly cpuSecondsOf?: Readonly<Record<string, number>>;
}

export interface PullProgress {
  /** 0..1 if the engine reports sizes, else undefined. */
  readonly fraction?: number;
  readonly status: string;
}

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * A container engine. Every operation is idempotent: creating an existing container with our labels adopts it; stopping a
 * stopped one and removing a missing one succeed. Throws {@link ContainerError}.
 */
export interface ContainerRuntime extends AppStorage {
  /** `docker`, `process`, `kubernetes` */
  readonly driver: string;
  readonly abilities: EngineAbilities;
  /** Absent if the driver does not separate the networks of apps. */
  readonly networks?: ContainerNetworks;
  /** Rejects with reason `unreachable` and the text of docs/interface/errors.md#orchestrator-errors. */
  ping(timeoutMs?: number): Promise<void>;
  ensureNetwork(name: string): Promise<void>;
  /**
   * Returns the address of this machine on the network, where containers reach services of the host. Undefined if there is no such
   * network, or if containers share the loopback interface of this machine.
   */
  networkGateway(name: string): Promise<string | undefined>;
  /**
   * Pulls the image if necessary, and returns its digest (`sha256:…`). If the engine has an image that is named by digest, no
   * registry is asked. With {@link EngineAbilities.pulls} `atStart` it only asks the registry for the digest. Rejects on `signal` with
   * reason `pull_timeout`.
   */
  pull(image: string, options: PullOptions): Promise<{ readonly digest: string }>;
  /**
   * Creates the container without starting it. Returns an existing container of that name with the same {@link isSameOwner}
   * labels unchanged, whatever it runs: the caller compares generation and image. Rejects with `name_conflict` if the labels
   * differ, and with `image_not_found` if the engine does not have the image. Rejects with `start_failed` if the image does not
   * define the name of the user, or gives the id of root to it.
   */
  create(spec: ContainerSpec): Promise<ContainerView>;
  /**
   * Writes files into the identity folder of a container that was created or runs: `/run/appserver`, or the folder that the
   * driver names in APP_IDENTITY_DIR. Only the user that the app runs as can read them. They survive restarts of the container and
   * are removed with it. Rejects with `not_found` if there is no such container.
   */
  writeFiles(name: string, files: readonly ContainerFile[]): Promise<void>;
  /**
   * Starts the container with this number of instances, by default 1, or changes the number of one that runs. Also starts those that have
   * ended, and removes the last of {@link ContainerView.instances}, if the orchestrator restarts containers. Rejects with `refused` if that
   * is more than {@link EngineAbilities.maxReplicas}.
   */
  start(name: string, replicas?: number): Promise<ContainerView>;
  /** Sends a stop signal to every instance, then kills it after `graceMs`. Returns once none exists. */
  stop(name: string, graceMs: number): Promise<void>;
  /**
   * Replaces the instances, one after the other where several run, each as in {@link stop}. Starts a container that does not run. May
   * return before the new instances have started.
   */
  restart(name: string, graceMs: number): Promise<ContainerView>;
  remove(name: string): Promise<void>;
  /**
   * Renames the container. A running one keeps running at the same endpoint. Also succeeds if only `newName` exists and was
   * created as `name`. Rejects with `name_conflict` if both names exist, and with `not_found` otherwise.
   */
  rename(name: string, newName: string): Promise<ContainerView>;
  inspect(name: string): Promise<ContainerView | undefined>;
  /** Returns every container, running or not, that has all the labels. */
  list(labels: Readonly<Record<string, string>>): Promise<readonly ContainerView[]>;
  /**
   * Calls `listener` with the name of a container as soon as it or an instance of it has changed by itself: it ended, was restarted, has
   * a problem, became ready or unready. Changes that callers made may be reported, too. Until the returned function is called. Absent if
   * the engine reports no changes; then callers find them by polling.
   */
  onChange?(listener: (name: string) => void): () => void;
  /**
   * Removes those of the images, named by digest, that the engine has and no container uses. Returns what it removed. Absent if
   * the driver removes old images by itself.
   */
  removeImages?(images: readonly string[]): Promise<readonly string[]>;
  /**
   * Yields the lines that the container printed, oldest first. A yield has the lines that became available together, at least one
   * and at most about 128 KiB of text. The engine is not read while the caller does not ask for more. With `follow`, lines of a
   * container that was renamed follow as well, and the iteration ends when the container ends. Rejects with `not_found`.
   */
  logs(name: string, request: LogRequest): AsyncIterable<readonly LogLine[]>;
  /**
   * Returns what the container and everything that it started use now. Undefined if no container of that name runs, or if this machine
   * does not report it. Rejects with the reason of `signal` when that aborts.
   */
  stats(name: string, signal?: AbortSignal): Promise<ContainerStats | undefined>;
  /** Closes connections. A driver whose containers belong to this process may stop them, too. */
  close(): Promise<void>;
}

export interface PullOptions {
  readonly signal: AbortSignal;
  readonly credentials?: RegistryCredentials;
  readonly onProgress?: (progress: PullProgress) => void;
}
