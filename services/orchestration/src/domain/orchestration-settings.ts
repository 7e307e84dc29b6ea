/** What operators set (specification §8, orchestrator settings). Durations are in milliseconds. */
export interface OrchestrationSettings {
  /** Names this installation in labels and event sources: containers of another one are never touched. */
  readonly instance: string;
  readonly network: string;
  /** `<registry_url>` of image references. */
  readonly registry: string;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  readonly defaultImageStage: string;
  /** `network`: a server on the same container network; `publish`: a server on the host. */
  readonly endpoint: "network" | "publish";
  /**
   * What `UPSTREAM_` variables hold. `network`: `http://app-<name>:3000` (specification §6.5), resolvable between
   * containers. `endpoint`: where the dependency answered when the app was created, for a driver without such names; it
   * grows old when the dependency moves, and a call through the proxy does not.
   */
  readonly upstreams: "network" | "endpoint";
  readonly cpuShares: number;
  readonly memoryMb: number;
  readonly pidsLimit: number;
  readonly pullTimeoutMs: number;
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly reconcileTimeoutMs: number;
  /** These three apply where an app does not say; without a health path only the container's presence is watched. */
  readonly healthCheckIntervalMs: number;
  readonly healthCheckTimeoutMs: number;
  readonly healthCheckRetries: number;
  readonly maxRestarts: number;
}
