/** How an app says whether it is well (specification §2.3, HealthCheck). */
export interface HealthCheck {
  /** Begins with `/`. */
  readonly path: string;
  /** Each of these: absent or 0 for the operator's default (specification §8). */
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
  /** The port that the app listens on: 3000 (specification §6.5). */
  readonly upstreamPort: number;
  /** Absent: to be running is enough. */
  readonly healthCheck: HealthCheck | undefined;
  /** The apps it declares; they get an `UPSTREAM_` variable. */
  readonly dependencies: readonly { readonly name: string }[];
  /** The app's setting `docker.image.stage`. */
  readonly imageStage?: string | undefined;
}
