/** Labels of every container of the platform (docs/interface/containers.md#labels). */
export const containerLabels = {
  instance: "appserver.instance",
  appId: "appserver.app-id",
  deploymentId: "appserver.deployment-id",
  generation: "appserver.generation",
} as const;

type Labels = Readonly<Record<string, string>>;

/** Whether two containers belong to the same app of the same installation, and so one may be adopted as the other. */
export function isSameOwner(left: Labels, right: Labels): boolean {
  return [containerLabels.instance, containerLabels.appId].every(
    (label) => left[label] !== undefined && left[label] === right[label],
  );
}

/** Who owns a container, for a message to people. */
export function ownerOf(labels: Labels): string {
  const instance = labels[containerLabels.instance];
  return instance === undefined ? "something else than this platform" : `the installation "${instance}"`;
}

/** What one container is made of. Everything not named here is a constant of the driver: hardened, no mounts. */
export interface ContainerSpec {
  /** `app-<app name>` */
  readonly name: string;
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
  readonly readOnlyRoot: boolean;
}

export type ContainerStatus = "created" | "running" | "exited" | "removing";

export interface ContainerView {
  readonly id: string;
  readonly name: string;
  readonly status: ContainerStatus;
  readonly labels: Readonly<Record<string, string>>;
  /** Digest or id of the image it runs. */
  readonly image: string;
  readonly startedAt?: Date;
  readonly exitCode?: number;
  /** `http://127.0.0.1:49153` or `http://app-com.example.notes:3000`; absent while not running. */
  readonly endpoint?: string;
}

export interface PullProgress {
  /** 0..1 where the engine tells sizes, else undefined. */
  readonly fraction?: number;
  readonly status: string;
}

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * A container engine. Every operation is idempotent: creating what exists with our labels adopts it, stopping what is
 * stopped and removing what is gone succeed. Throws {@link ContainerError}.
 */
export interface ContainerRuntime {
  /** `docker`, `process`, `kubernetes` */
  readonly driver: string;
  /** Rejects with reason `unreachable` and the text of docs/interface/errors.md#orchestrator-errors. */
  ping(timeoutMs?: number): Promise<void>;
  ensureNetwork(name: string): Promise<void>;
  /** Makes the image present and answers its digest (`sha256:…`). Rejects on `signal` with reason `pull_timeout`. */
  pull(image: string, options: PullOptions): Promise<{ readonly digest: string }>;
  /**
   * Creates without starting. A container of that name with the same {@link isSameOwner} labels is answered as it is,
   * whatever it runs: the caller compares generation and image. With other labels it is `name_conflict`.
   */
  create(spec: ContainerSpec): Promise<ContainerView>;
  start(name: string): Promise<ContainerView>;
  /** Asks to end, then kills after `graceMs`. */
  stop(name: string, graceMs: number): Promise<void>;
  remove(name: string): Promise<void>;
  inspect(name: string): Promise<ContainerView | undefined>;
  /** Every container, running or not, that carries all the labels. */
  list(labels: Readonly<Record<string, string>>): Promise<readonly ContainerView[]>;
  /**
   * Calls `listener` with a container's name as soon as it ended by itself, until the returned function is called. Absent
   * where the engine does not report it; then it is found by looking.
   */
  onExit?(listener: (name: string) => void): () => void;
  /** The last lines the container printed. */
  logs(name: string, lines: number): Promise<string>;
  /** Releases connections; `stopAll` also ends what this process owns (development). */
  close(): Promise<void>;
}

export interface PullOptions {
  readonly signal: AbortSignal;
  readonly credentials?: RegistryCredentials;
  readonly onProgress?: (progress: PullProgress) => void;
}

export class ContainerError extends Error {
  override readonly name = "ContainerError";
  readonly reason:
    | "unreachable"
    | "image_not_found"
    | "pull_timeout"
    | "pull_failed"
    | "name_conflict"
    | "start_failed"
    | "not_found"
    | "other";

  constructor(reason: ContainerError["reason"], message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
  }
}
