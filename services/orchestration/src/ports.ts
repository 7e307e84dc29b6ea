import type { Deployment } from "./domain/deployment.ts";
import type { DesiredApp } from "./domain/desired-app.ts";

export {
  ContainerError,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerView,
  containerLabels,
  type Leases,
} from "@appserver/kernel/ports";

/** The installed apps. The composer connects the marketplace's read side. */
export interface InstalledApps {
  /** Returns every installed app, including FAILED ones. Rejects if the installed apps cannot be determined. */
  all(): Promise<readonly DesiredApp[]>;
  /**
   * Returns the app, or undefined only if it is certain that the app is not installed. A container is removed only in that
   * case. Rejects if the state cannot be determined.
   */
  get(name: string): Promise<DesiredApp | undefined>;
}

/** The writer of a record: the holder of the app's lease. */
export interface Writer {
  readonly appName: string;
  /** The fence of the lease. A write with a fence older than the newest one seen rejects with CONFLICT and changes nothing. */
  readonly fence: number;
}

/** Deployment records. Each app has one current record. The earlier records are history. */
export interface DeploymentStore {
  current(appName: string): Promise<Deployment | undefined>;
  currentByAppId(appId: string): Promise<Deployment | undefined>;
  /** Returns the current deployments of all apps, sorted by app name. */
  list(): Promise<readonly Deployment[]>;
  /** Makes the deployment the current one, and emits `deployment.state_changed` in the same transaction. */
  begin(writer: Writer, deployment: Deployment): Promise<void>;
  /** Stores a transition, and emits `deployment.state_changed` in the same transaction. */
  transition(writer: Writer, before: Deployment, after: Deployment): Promise<void>;
  saveProgress(writer: Writer, deploymentId: string, fraction: number | undefined, status: string): Promise<void>;
  /**
   * Stores a restart request. Any process may call it. The holder of the app's lease restarts the app. Returns false if the app
   * has no deployment.
   */
  requestRestart(appName: string, at: Date): Promise<boolean>;
}

/**
 * Notifies every orchestrator to check an app now. A request may be lost. Listeners are notified when they may have missed requests.
 */
export interface ReconcileRequests {
  send(appName: string): Promise<void>;
  listen(onRequest: (appName: string) => void, onMissed: () => void): Promise<{ close(): Promise<void> }>;
}

/** Checks the health of an app. */
export interface HealthProbe {
  /**
   * Returns undefined on a response of 2xx or 3xx in time, else the problem, for example "GET /health: connection refused".
   * Redirects are not followed. Never rejects.
   */
  problem(endpoint: string, path: string, timeoutMs: number): Promise<string | undefined>;
}

/** Counts events of the orchestrator (docs/interface/containers.md#metrics). */
export interface OrchestrationMetrics {
  containerStarted(appName: string): void;
  containerStopped(appName: string): void;
  imagePulled(appName: string, durationMs: number, outcome: "success" | "failure"): void;
  healthChecked(appName: string, outcome: "healthy" | "unhealthy"): void;
  restarted(appName: string): void;
  /** Called when the app is not installed and no container of it is left. */
  removed(appName: string): void;
}
