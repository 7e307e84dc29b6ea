/** The health check that an app declares (docs/interface/manifest.md#health-check). */
export interface HealthCheck {
  /** Starts with `/`. */
  readonly path: string;
  /** Undefined or 0, here and below: the operator's default applies (docs/interface/containers.md#health). */
  readonly intervalSeconds?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Number of consecutive failures that make the app unhealthy. */
  readonly unhealthyThreshold?: number | undefined;
}

/** An installed app, as the marketplace currently stores it. */
export interface DesiredApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Grows with every installation. */
  readonly generation: number;
  /** False for apps with an external backend or without a backend. */
  readonly needsContainer: boolean;
  /** The port that the app listens on (docs/interface/containers.md#network). */
  readonly upstreamPort: number;
  /** Undefined: the app counts as healthy while it runs. */
  readonly healthCheck: HealthCheck | undefined;
  /** The declared dependencies. Each gets an `UPSTREAM_` variable. */
  readonly dependencies: readonly { readonly name: string }[];
  /** The app's setting `docker.image.stage`. */
  readonly imageStage?: string | undefined;
}
