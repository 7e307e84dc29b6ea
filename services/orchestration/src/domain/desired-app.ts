/** The health check that an app declares (docs/interface/manifest.md#health-check). */
export interface HealthCheck {
  /** Begins with `/`. */
  readonly path: string;
  /** Absent or 0, here and below: the operator's default (docs/interface/containers.md#health). */
  readonly intervalSeconds?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Consecutive failures that make it unhealthy. */
  readonly unhealthyThreshold?: number | undefined;
}

/** An app that is meant to be installed, as the marketplace knows it now. */
export interface DesiredApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Grows with every installation. */
  readonly generation: number;
  /** False for apps whose backend somebody else runs, or that have none. */
  readonly needsContainer: boolean;
  /** The port that the app listens on (docs/interface/containers.md#network). */
  readonly upstreamPort: number;
  /** Absent: to be running is enough. */
  readonly healthCheck: HealthCheck | undefined;
  /** The apps it declares; they get an `UPSTREAM_` variable. */
  readonly dependencies: readonly { readonly name: string }[];
  /** The app's setting `docker.image.stage`. */
  readonly imageStage?: string | undefined;
}
