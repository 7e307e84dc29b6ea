/** Options of operators (docs/interface/limits.md#container-limits). Durations are in milliseconds. */
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
   * Value of `UPSTREAM_` variables. `network`: `http://app-<name>:<port>` (docs/interface/containers.md#environment), reachable
   * between containers. `endpoint`: the address of the dependency when the app was created, for a driver without such names.
   * It becomes outdated when the dependency moves; calls through the proxy do not.
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
