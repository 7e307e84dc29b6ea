import type { LogLine } from "@appserver/kernel";
import type { DatabaseOwner } from "@appserver/kernel/ports";
import type { Deployment, DeploymentRole } from "./domain/deployment.ts";
import type { DesiredApp } from "./domain/desired-app.ts";
import type { LogSource } from "./domain/log-messages.ts";

export {
  type AppDatabases,
  ContainerError,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerView,
  containerLabels,
  type DatabaseOwner,
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

/** The deployments of one app by their roles. */
export type DeploymentsByRole = Readonly<Partial<Record<DeploymentRole, Deployment>>>;

/** Deployment records. An app has at most one in each role. The others are history. */
export interface DeploymentStore {
  ofApp(appName: string): Promise<DeploymentsByRole>;
  currentByAppId(appId: string): Promise<Deployment | undefined>;
  /** Returns the newest deployment of a generation, whatever its role. */
  ofGeneration(appId: string, generation: number): Promise<Deployment | undefined>;
  /** Returns the current deployments of all apps, sorted by app name. */
  list(): Promise<readonly Deployment[]>;
  /** Returns every deployment that has a role. */
  withRole(): Promise<readonly Deployment[]>;
  /**
   * Stores a new deployment, and emits `deployment.state_changed` in the same transaction. The deployment that had its role
   * becomes history.
   */
  begin(writer: Writer, deployment: Deployment): Promise<void>;
  /** Stores a transition, and emits `deployment.state_changed` in the same transaction. */
  transition(writer: Writer, before: Deployment, after: Deployment): Promise<void>;
  /** Stores changes in the same state that no other service needs. Emits no event. */
  amend(writer: Writer, before: Deployment, after: Deployment): Promise<void>;
  /**
   * Makes the next deployment the current one and the current one, if there is one, the retiring one. Emits
   * `deployment.state_changed` of the new current one in the same transaction.
   */
  promote(writer: Writer, next: Deployment, replaced: Deployment | undefined, at: Date): Promise<void>;
  /** Stores the progress of a pull. It also counts as an update of the record. */
  saveProgress(writer: Writer, deploymentId: string, fraction: number | undefined, status: string): Promise<void>;
  /**
   * Stores a restart request for the current deployment. Any process may call it. The holder of the app's lease restarts the app.
   * Returns false if the app has no deployment.
   */
  requestRestart(appName: string, at: Date): Promise<boolean>;
}

/** A request to delete the data of an app as it was left at the end of a generation. */
export interface DataRemoval extends DatabaseOwner {
  readonly generation: number;
}

/** Requests to delete the data of an app. One stays until the data is deleted. */
export interface DataRemovals {
  request(removal: DataRemoval, at: Date): Promise<void>;
  /** Returns the requests for apps of this name. An app that was registered again has another id. */
  ofApp(appName: string): Promise<readonly DataRemoval[]>;
  appNames(): Promise<readonly string[]>;
  done(owner: DatabaseOwner): Promise<void>;
}

/**
 * Notifies every orchestrator to check an app now. A request may be lost. Listeners are notified when they may have missed requests.
 */
export interface ReconcileRequests {
  send(appName: string): Promise<void>;
  listen(onRequest: (appName: string) => void, onMissed: () => void): Promise<{ close(): Promise<void> }>;
}

/** The registered apps, for their logs. The composer connects the marketplace. */
export interface LoggedApps {
  /** Undefined if no app has the name. */
  find(name: string): Promise<LoggedApp | undefined>;
}

export interface LoggedApp {
  /** For messages. */
  readonly state: string;
  readonly isInstalled: boolean;
  readonly isEnabled: boolean;
  readonly needsContainer: boolean;
}

/** What is wanted of a log. */
export interface LogQuery {
  readonly appName: string;
  /** Only the last lines of each container. Undefined: all that are kept. */
  readonly tail: number | undefined;
  /** Only lines after this time, in the form of `LogLine.time`. */
  readonly since: string | undefined;
  readonly follow: boolean;
}

/** Lines of one container that follow each other. */
export interface LogEntry {
  /** Undefined only without lines. */
  readonly source: LogSource | undefined;
  /** True for the first entry of a container that has started. It may have no lines. */
  readonly isStart: boolean;
  /** The number of lines before these that were not sent, because the caller was too slow or a message was lost. */
  readonly leftOut: number;
  readonly lines: readonly LogLine[];
}

/** Reads logs from the orchestrators. */
export interface LogReader {
  /**
   * Yields a log until `signal` aborts. `isServed`, called at intervals: whether there is still something to follow. Throws
   * SERVICE_UNAVAILABLE if no orchestrator sends the log, RATE_LIMIT_EXCEEDED if too many are read.
   */
  read(query: LogQuery, signal: AbortSignal, isServed: () => Promise<boolean>): AsyncIterable<LogEntry>;
}

/** What the servers still do with earlier generations of an app. */
export interface Drains {
  state(appId: string, generation: number): Promise<DrainState>;
}

export interface DrainState {
  /** The number of live server replicas that have not reported yet that their requests go to this generation or a later one. */
  readonly waiting: number;
  /** The number of exchanges that still run on earlier generations. */
  readonly exchanges: number;
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
  /** A deployment took over from another one. */
  switched(appName: string): void;
  /** The time from the switch to another deployment until the replaced one was stopped. */
  retired(durationMs: number): void;
  /** Called when the app is not installed and no container of it is left. */
  removed(appName: string): void;
}
