/** Options that the operator sets (docs/interface/limits.md#container-limits). Durations are in milliseconds. */
export interface OrchestrationOptions {
  /** Identifies this installation in labels and event sources. Containers of another installation are never changed. */
  readonly instance: string;
  /** Containers join it if apps have no networks of their own. */
  readonly network: string;
  /** IPv4 range of the networks of apps: `10.213.0.0/16`. Undefined: all containers join `network`. */
  readonly networkPool: string | undefined;
  /** `<registry_url>` of image references. */
  readonly registry: string;
  /** Returns the credentials for pulls of an app's image. */
  readonly credentials: ((appName: string) => { readonly username: string; readonly password: string }) | undefined;
  readonly defaultImageStage: string;
  /** `network`: the server is on the same container network. `publish`: the server is on the host. */
  readonly endpoint: "network" | "publish";
  /** Names of the apps that get the platform's Redis although they have a database of their own. */
  readonly sharedRedis: readonly string[];
  /** Pause between two measurements of the databases of all apps. */
  readonly databaseSizeIntervalMs: number;
  /** Pause between two measurements of the storage of all apps. */
  readonly storageUsageIntervalMs: number;
  /** Of one app, those that expire not counted. */
  readonly snapshotsKept: number;
  readonly cpuShares: number;
  readonly memoryMb: number;
  readonly pidsLimit: number;
  /** The highest number of instances of an app. A higher one is reduced to it. */
  readonly maxReplicas: number;
  /** Highest limits that an app may declare. A declared limit above them is reduced to them. */
  readonly maxLimits: { readonly memoryMb: number; readonly cpuShares: number; readonly pids: number };
  readonly pullTimeoutMs: number;
  /** Between two removals of old images. */
  readonly imageCleanupIntervalMs: number;
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly reconcileTimeoutMs: number;
  /**
   * Defaults of these three apply if the app does not set them. Without a health path only the container's presence is checked.
   */
  readonly healthCheckIntervalMs: number;
  readonly healthCheckTimeoutMs: number;
  readonly healthCheckRetries: number;
  readonly maxRestarts: number;
  /** How long the deployment of another version must be healthy before it serves. */
  readonly settleTimeMs: number;
  /** Maximum time for the exchanges of a deployment that no longer serves. */
  readonly drainTimeoutMs: number;
}
