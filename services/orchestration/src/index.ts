import { type Clock, type Component, type Logger, PeriodicTasks, type Permissions, silentMetrics } from "@appserver/kernel";
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
import { exposeContainerUsage } from "./adapters/expose-container-usage.ts";
import { exposeDatabaseSizes } from "./adapters/expose-database-sizes.ts";
import { HttpHealthProbe } from "./adapters/http-health-probe.ts";
import { PlatformOrchestrationMetrics } from "./adapters/platform-orchestration-metrics.ts";
import { SqlDataRemovals } from "./adapters/sql-data-removals.ts";
import { SqlDatabaseRecords } from "./adapters/sql-database-records.ts";
import { SqlDeploymentStore } from "./adapters/sql-deployment-store.ts";
import { SqlIdentityRecords } from "./adapters/sql-identity-records.ts";
import { SqlReconcileRequests } from "./adapters/sql-reconcile-requests.ts";
import { SqlStorageRecords } from "./adapters/sql-storage-records.ts";
import { SqlWorkloadIdentities } from "./adapters/sql-workload-identities.ts";
import { consumeAppEvents } from "./api/events.ts";
import { logsResolvers } from "./api/graphql.ts";
import { logsGrpc } from "./api/grpc.ts";
import type { Deployment } from "./domain/deployment.ts";
import type { OrchestrationOptions } from "./domain/orchestration-options.ts";
import type {
  ConfigurationDigests,
  DataRemoval,
  DeploymentStatus,
  Drains,
  InstalledApps,
  KeptImages,
  LoggedApps,
  SecretSeal,
  SettingVariables,
  StorageRemoval,
  StoredDatabase,
  StoredStorage,
} from "./ports.ts";
import { restartApp } from "./use-cases/restart-app.ts";
import { AppWatch } from "./workers/app-watch.ts";
import { ContainerMeter } from "./workers/container-meter.ts";
import { DatabaseMeter } from "./workers/database-meter.ts";
import { gatewayLinks } from "./workers/gateway-links.ts";
import { imageCleanup } from "./workers/image-cleanup.ts";
import { IssuedIdentities } from "./workers/issued-identities.ts";
import { LogFollowers } from "./workers/log-followers.ts";
import { LogSender } from "./workers/log-sender.ts";
import type { OrchestrationContext } from "./workers/repair-context.ts";
import { measureStorage } from "./workers/storage-meter.ts";

export { orchestrationMigrations } from "../migrations/index.ts";
export { resealIdentities } from "./adapters/reseal-identities.ts";
export { platformGaps } from "./domain/container-environment.ts";
export type { Deployment, DeploymentProblem } from "./domain/deployment.ts";
export type { DeploymentState } from "./domain/deployment-state.ts";
export type { DeclaredStorage, DesiredApp, DesiredRelease, HealthCheck } from "./domain/desired-app.ts";
export type { OrchestrationOptions } from "./domain/orchestration-options.ts";
export type { IssuedIdentity } from "./domain/workload-identity.ts";
export type {
  ConfigurationDigests,
  DeploymentStatus,
  DrainState,
  Drains,
  InstalledApps,
  KeptImages,
  LoggedApps,
  SecretSeal,
  SettingVariables,
  StoredDatabase,
  StoredStorage,
} from "./ports.ts";
export type { IssuedIdentities } from "./workers/issued-identities.ts";

/** The part of the service that any process can use: it reads deployments and requests restarts. */
export interface Deployments {
  /** Returns the deployments of all apps that have a role. */
  statuses(): Promise<readonly DeploymentStatus[]>;
  /**
   * Returns the newest deployment of a generation. Without a generation: the current deployment, or the last one if the app is
   * uninstalled.
   */
  getDeployment(appId: string, generation?: number): Promise<Deployment | undefined>;
  /** Returns the names of apps whose container was created with another configuration than it should have now. */
  outOfDate(): Promise<readonly string[]>;
  /**
   * Stores a restart request for the current deployment. The orchestrator that holds the app's lease carries it out. Throws NOT_FOUND if the app has no
   * deployment.
   */
  restart(appName: string): Promise<void>;
  /** Has the orchestrator that holds the app's lease compare at once what runs with what should run. */
  reconcile(appName: string): Promise<void>;
  /**
   * Has the data of an app deleted as soon as nothing of it runs. Has no effect once a later generation of the app has run, so that a
   * late request never deletes new data. Safe to repeat. With `storage`: one storage of the app, unless another deployment began
   * since.
   */
  removeData(removal: DataRemoval | StorageRemoval): Promise<void>;
  /** Returns the storage of an app that exists, sorted by name. */
  storageOf(appId: string): Promise<readonly StoredStorage[]>;
  /** Returns the database of an app. Undefined until it is measured. */
  databaseOf(appId: string): Promise<StoredDatabase | undefined>;
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
  return deploymentsOf({
    store,
    removals: new SqlDataRemovals(database),
    storage: new SqlStorageRecords(database),
    databases: new SqlDatabaseRecords(database),
    requests: new SqlReconcileRequests(database),
    clock,
  });
}

export interface WorkloadIdentitiesDeps extends DeploymentsDeps {
  readonly seal: SecretSeal;
  readonly logger: Logger;
}

/** The identities of the deployments that run, for servers. Needs {@link orchestrationMigrations}, and to be started. */
export function createWorkloadIdentities({ database, seal, clock, logger }: WorkloadIdentitiesDeps): IssuedIdentities {
  return new IssuedIdentities({ records: new SqlIdentityRecords(database, seal), clock, logger });
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
  readonly keptImages: KeptImages;
  /** Without it, apps get the platform's own addresses and passwords (docs/interface/containers.md#isolation). */
  readonly databases: AppDatabases | undefined;
  /** Seals the secrets of identities. */
  readonly seal: SecretSeal;
  readonly settings: SettingVariables;
  readonly digests: ConfigurationDigests;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: OrchestrationOptions;
  /** The orchestrator's environment. Containers get the listed part of it (docs/interface/containers.md#environment). */
  readonly platform: Readonly<Record<string, string | undefined>>;
  /** Without it, nothing is counted, and containers are not measured. */
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
  const storageRecords = new SqlStorageRecords(database);
  const databaseRecords = new SqlDatabaseRecords(database);
  const { seal, options } = deps;
  const identities = new SqlWorkloadIdentities({ database, seal, clock, instance: options.instance });
  const context: OrchestrationContext = {
    apps: deps.apps,
    deployments,
    runtime: deps.runtime,
    leases: deps.leases,
    reconcileRequests: requests,
    drains: deps.drains,
    databases: deps.databases,
    dataRemovals,
    storageRecords,
    identities,
    settings: deps.settings,
    digests: deps.digests,
    probe: new HttpHealthProbe(),
    metrics: new PlatformOrchestrationMetrics(deps.metrics ?? silentMetrics, (appName) => meter.forget(appName)),
    clock,
    logger: deps.logger,
    options: deps.options,
    platform: deps.platform,
  };
  const watch = new AppWatch(context);
  const holds = (appName: string): boolean => watch.holds(appName);
  const stopping = new AbortController();
  const meter: ContainerMeter = new ContainerMeter({ ...context, holds });
  if (deps.metrics) exposeContainerUsage(deps.metrics, () => meter.usage());
  const databaseMeter = deps.databases && new DatabaseMeter({ ...context, databases: deps.databases, databaseRecords, holds });
  if (deps.metrics && databaseMeter) exposeDatabaseSizes(deps.metrics, () => databaseMeter.sizes());
  const periodic = new PeriodicTasks({
    name: "orchestration",
    clock,
    logger: deps.logger,
    tasks: [
      {
        name: "storage usage",
        intervalMs: deps.options.storageUsageIntervalMs,
        run: () => measureStorage(context, stopping.signal),
      },
      ...imageCleanup({ ...deps, deployments }),
      ...gatewayLinks(context),
      ...(databaseMeter ? [databaseMeter.task()] : []),
      ...(deps.metrics ? [meter.task(stopping.signal)] : []),
    ],
  });
  const logs = new LogSender({
    broker,
    runtime: deps.runtime,
    deployments,
    instance: deps.options.instance,
    clock,
    logger: deps.logger,
    source,
    holds,
  });
  let events: Subscription | undefined;
  return {
    ...deploymentsOf({
      store: deployments,
      removals: dataRemovals,
      storage: storageRecords,
      databases: databaseRecords,
      requests,
      clock,
    }),
    name: "orchestration",
    reconciled: watch.reconciled,
    reconcileApp: (appName) => requests.send(appName),
    start: async () => {
      await identities.prepare();
      // Those of an earlier isolation.
      if (!deps.databases) await databaseRecords.replace([], new Date(clock.now()));
      await watch.start();
      events = await consumeAppEvents(broker, deps.queuePrefix, requests);
      periodic.start();
      await logs.start();
    },
    stop: async () => {
      stopping.abort();
      await logs.stop();
      await periodic.stop();
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
  readonly storage: SqlStorageRecords;
  readonly databases: SqlDatabaseRecords;
  readonly requests: SqlReconcileRequests;
  readonly clock: Clock;
}

function deploymentsOf({ store, removals, storage, databases, requests, clock }: DeploymentParts): Deployments {
  return {
    storageOf: (appId) => storage.ofApp(appId),
    databaseOf: (appId) => databases.ofApp(appId),
    statuses: () => store.statuses(),
    getDeployment: (appId, generation) =>
      generation === undefined ? store.currentByAppId(appId) : store.ofGeneration(appId, generation),
    outOfDate: () => store.outOfDate(),
    restart: (appName) => restartApp(store, requests, appName, new Date(clock.now())),
    reconcile: (appName) => requests.send(appName),
    removeData: async (removal) => {
      await removals.request(removal, new Date(clock.now()));
      await requests.send(removal.appName);
    },
  };
}
