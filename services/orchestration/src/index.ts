import { type Clock, type Component, type Logger, type Permissions, silentMetrics } from "@appserver/kernel";
import type {
  AppDatabases,
  Broker,
  ContainerRuntime,
  Database,
  Leases,
  Metrics,
  Outbox,
  Subscription,
} from "@appserver/kernel/ports";
import { HttpHealthProbe } from "./adapters/http-health-probe.ts";
import { PlatformOrchestrationMetrics } from "./adapters/platform-orchestration-metrics.ts";
import { SqlDataRemovals } from "./adapters/sql-data-removals.ts";
import { SqlDeploymentStore } from "./adapters/sql-deployment-store.ts";
import { SqlReconcileRequests } from "./adapters/sql-reconcile-requests.ts";
import { consumeAppEvents } from "./api/events.ts";
import { logsResolvers } from "./api/graphql.ts";
import { logsGrpc } from "./api/grpc.ts";
import type { Deployment } from "./domain/deployment.ts";
import type { OrchestrationOptions } from "./domain/orchestration-options.ts";
import type { DataRemoval, Drains, InstalledApps, LoggedApps } from "./ports.ts";
import { restartApp } from "./use-cases/restart-app.ts";
import { AppWatch } from "./workers/app-watch.ts";
import { LogFollowers } from "./workers/log-followers.ts";
import { LogSender } from "./workers/log-sender.ts";

export { orchestrationMigrations } from "../migrations/index.ts";
export { platformGaps } from "./domain/container-environment.ts";
export type { Deployment, DeploymentProblem } from "./domain/deployment.ts";
export type { DeploymentState } from "./domain/deployment-state.ts";
export type { DesiredApp, DesiredRelease, HealthCheck } from "./domain/desired-app.ts";
export type { OrchestrationOptions } from "./domain/orchestration-options.ts";
export type { DrainState, Drains, InstalledApps, LoggedApps } from "./ports.ts";

/** The part of the service that any process can use: it reads deployments and requests restarts. */
export interface Deployments {
  /** Returns the current deployments, sorted by app name. */
  listDeployments(): Promise<readonly Deployment[]>;
  /**
   * Returns the newest deployment of a generation. Without a generation: the current deployment, or the last one if the app is
   * uninstalled.
   */
  getDeployment(appId: string, generation?: number): Promise<Deployment | undefined>;
  /**
   * Stores a restart request for the current deployment. The orchestrator that holds the app's lease carries it out. Throws NOT_FOUND if the app has no
   * deployment.
   */
  restart(appName: string): Promise<void>;
  /**
   * Has the data of an app deleted as soon as nothing of it runs. Has no effect once a later generation of the app has run, so that a
   * late request never deletes new data. Safe to repeat.
   */
  removeData(removal: DataRemoval): Promise<void>;
}

export interface DeploymentsDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Needs {@link orchestrationMigrations}. */
export function createDeployments({ database, clock }: DeploymentsDeps): Deployments {
  // This code writes no transitions, so no event is sent.
  const silent: Outbox = { append: () => Promise.reject(new Error("deployments are only read here")) };
  const store = new SqlDeploymentStore(database, silent, "");
  return deploymentsOf({ store, removals: new SqlDataRemovals(database), requests: new SqlReconcileRequests(database), clock });
}

export interface OrchestrationDeps {
  readonly database: Database;
  readonly broker: Broker;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly runtime: ContainerRuntime;
  readonly apps: InstalledApps;
  /** Returns what the servers still do with earlier generations of an app. */
  readonly drains: Drains;
  /** Without it, apps get the platform's own addresses and passwords (docs/interface/containers.md#isolation). */
  readonly databases: AppDatabases | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: OrchestrationOptions;
  /** The orchestrator's environment. Containers get the listed part of it (docs/interface/containers.md#environment). */
  readonly platform: Readonly<Record<string, string | undefined>>;
  /** Without it, nothing is counted. */
  readonly metrics?: Metrics;
  /**
   * Prefix of the durable queues. Default `orchestrator.subscriber.`. It must differ from the server's
   * (docs/interface/events.md#broker-layout).
   */
  readonly queuePrefix: string;
}

/**
 * The orchestration service. It makes the running containers match the installed apps
 * (docs/interface/containers.md#reconcile-loop).
 */
export interface Orchestration extends Deployments, Component {
  /** Makes all orchestrators check the app now. */
  reconcileApp(appName: string): Promise<void>;
  /** Resolves when start-up reconciliation is over: no app needs a repair, or the reconcile timeout passed. */
  readonly reconciled: Promise<void>;
}

/**
 * Needs {@link orchestrationMigrations}, a started broker, and a process that runs an outbox relay. Starting does not wait for
 * apps. Stopping leaves containers running.
 */
export function createOrchestration(deps: OrchestrationDeps): Orchestration {
  const { database, broker, clock } = deps;
  const source = `/appserver/${deps.options.instance}`;
  const deployments = new SqlDeploymentStore(database, deps.outbox, source);
  const requests = new SqlReconcileRequests(database);
  const dataRemovals = new SqlDataRemovals(database);
  const watch = new AppWatch({
    apps: deps.apps,
    deployments,
    runtime: deps.runtime,
    leases: deps.leases,
    reconcileRequests: requests,
    drains: deps.drains,
    databases: deps.databases,
    dataRemovals,
    probe: new HttpHealthProbe(),
    metrics: new PlatformOrchestrationMetrics(deps.metrics ?? silentMetrics),
    clock,
    logger: deps.logger,
    options: deps.options,
    platform: deps.platform,
  });
  const logs = new LogSender({
    broker,
    runtime: deps.runtime,
    deployments,
    instance: deps.options.instance,
    clock,
    logger: deps.logger,
    source,
    holds: (appName) => watch.holds(appName),
  });
  let events: Subscription | undefined;
  return {
    ...deploymentsOf({ store: deployments, removals: dataRemovals, requests, clock }),
    name: "orchestration",
    reconciled: watch.reconciled,
    reconcileApp: (appName) => requests.send(appName),
    start: async () => {
      await watch.start();
      events = await consumeAppEvents(broker, deps.queuePrefix, requests);
      await logs.start();
    },
    stop: async () => {
      await logs.stop();
      await events?.close();
      await watch.stop();
    },
  };
}

export interface AppLogsDeps {
  readonly broker: Pick<Broker, "publish" | "observe">;
  readonly permissions: Permissions;
  readonly apps: LoggedApps;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `/appserver/<instance>` */
  readonly source: string;
}

/** The logs of apps, for callers of one replica of the server (docs/interface/logs.md). */
export interface AppLogs extends Component {
  readonly resolvers: ReturnType<typeof logsResolvers>;
  readonly grpc: ReturnType<typeof logsGrpc>;
}

/** Reads logs from the orchestrators over the broker. The server needs no access to the container engine. */
export function createAppLogs({ permissions, apps, ...deps }: AppLogsDeps): AppLogs {
  const logs = new LogFollowers(deps);
  const context = { permissions, apps, logs };
  return {
    name: logs.name,
    resolvers: logsResolvers(context),
    grpc: logsGrpc(context),
    start: () => logs.start(),
    stop: () => logs.stop(),
  };
}

interface DeploymentParts {
  readonly store: SqlDeploymentStore;
  readonly removals: SqlDataRemovals;
  readonly requests: SqlReconcileRequests;
  readonly clock: Clock;
}

function deploymentsOf({ store, removals, requests, clock }: DeploymentParts): Deployments {
  return {
    listDeployments: () => store.list(),
    getDeployment: (appId, generation) =>
      generation === undefined ? store.currentByAppId(appId) : store.ofGeneration(appId, generation),
    restart: (appName) => restartApp(store, requests, appName, new Date(clock.now())),
    removeData: async (removal) => {
      await removals.request(removal, new Date(clock.now()));
      await requests.send(removal.appName);
    },
  };
}
