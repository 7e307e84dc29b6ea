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

/** What is meant to run. The composer plugs the marketplace's read side in. */
export interface InstalledApps {
  /** Every app that is meant to be installed, those that FAILED included. Rejects when that cannot be known. */
  list(): Promise<readonly DesiredApp[]>;
  /**
   * The app, or undefined when it is surely not installed: the one answer upon which a container is removed. Rejects when
   * that cannot be known.
   */
  get(name: string): Promise<DesiredApp | undefined>;
}

/** Who writes: the holder of the app's lease. */
export interface Writer {
  readonly appName: string;
  /** Of the lease. A write with an older one than the newest seen rejects with CONFLICT and changes nothing. */
  readonly fence: number;
}

/** Deployment records; one of an app is its current one, the earlier ones are history. */
export interface DeploymentStore {
  current(appName: string): Promise<Deployment | undefined>;
  currentByAppId(appId: string): Promise<Deployment | undefined>;
  /** The current ones of all apps, by app name. */
  list(): Promise<readonly Deployment[]>;
  /** Makes it the current one, and emits `deployment.state_changed` in the same transaction. */
  begin(writer: Writer, deployment: Deployment): Promise<void>;
  /** Stores a transition that the domain made, and emits `deployment.state_changed` in the same transaction. */
  transition(writer: Writer, before: Deployment, after: Deployment): Promise<void>;
  saveProgress(writer: Writer, deploymentId: string, fraction: number | undefined, status: string): Promise<void>;
  /** Any process may ask; false when the app has no deployment. Whoever holds the app's lease does it. */
  requestRestart(appName: string, at: Date): Promise<boolean>;
}

/** Tells every orchestrator to look at an app now. A hint may be lost; whoever missed some is told so. */
export interface Hints {
  raise(appName: string): Promise<void>;
  listen(onHint: (appName: string) => void, onMissed: () => void): Promise<{ close(): Promise<void> }>;
}

/** Asks an app whether it is well. */
export interface HealthProbe {
  /**
   * Returns undefined on a response of 2xx or 3xx in time, else what is wrong: "GET /health: connection refused". Redirects
   * are not followed. Never rejects.
   */
  problem(endpoint: string, path: string, timeoutMs: number): Promise<string | undefined>;
}

/** Counts what happened (docs/interface/containers.md#metrics). */
export interface OrchestrationMetrics {
  containerStarted(appName: string): void;
  containerStopped(appName: string): void;
  imagePulled(appName: string, durationMs: number, outcome: "success" | "failure"): void;
  healthChecked(appName: string, outcome: "healthy" | "unhealthy"): void;
  restarted(appName: string): void;
  /** The app is not installed, and nothing of it runs any more. */
  removed(appName: string): void;
}
