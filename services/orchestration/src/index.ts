import type {
  AppSnapshots,
  Deployments,
  MarketplaceReads,
  SnapshotImports,
  StoredDatabase,
} from "@appserver/contracts/deployments";
import type { SettingVariables } from "@appserver/contracts/settings";
import {
  type Call,
  type Clock,
  type Component,
  type Logger,
  PeriodicTasks,
  type Permissions,
  silentMetrics,
} from "@appserver/kernel";
import type {
  AppDatabases,
  Broker,
  ContainerRuntime,
  Database,
  Leases,
  Metrics,
  Outbox,
  SecretSeal,
  Subscription,
} from "@appserver/kernel/ports";
import { exposeContainerUsage } from "./adapters/expose-container-usage.ts";
import { exposeDatabaseSizes } from "./adapters/expose-database-sizes.ts";
import { HttpHealthProbe } from "./adapters/http-health-probe.ts";
import { listenForReconcileRequests, sendReconcileRequest } from "./adapters/reconcile-requests.ts";
import { SqlAppSnapshots } from "./adapters/sql-app-snapshots.ts";
import { SqlDataRemovals } from "./adapters/sql-data-removals.ts";
import { SqlDatabaseRecords } from "./adapters/sql-database-records.ts";
import { SqlDeploymentStore } from "./adapters/sql-deployment-store.ts";
import { SqlDeployments } from "./adapters/sql-deployments.ts";
import { SqlIdentityRecords } from "./adapters/sql-identity-records.ts";
import { SqlSnapshotImports } from "./adapters/sql-snapshot-imports.ts";
import { SqlSnapshotRecords } from "./adapters/sql-snapshot-records.ts";
import { SqlStorageRecords } from "./adapters/sql-storage-records.ts";
import { SqlWorkloadIdentities } from "./adapters/sql-workload-identities.ts";
import { consumeAppEvents } from "./api/events.ts";
import { logsResolvers } from "./api/graphql.ts";
import type { OrchestrationOptions } from "./domain/orchestration-options.ts";
import type { ConfigurationDigests, InstalledApps, LoggedApps, UsageHistory } from "./ports.ts";
import { type FoundLines, type LogSearch, searchLogs } from "./use-cases/search-logs.ts";
import { AppWatch } from "./workers/app-watch.ts";
import { ContainerMeter } from "./workers/container-meter.ts";
import { DatabaseMeter } from "./workers/database-meter.ts";
import { EngineOutage } from "./workers/engine-outage.ts";
import { expiredSnapshots } from "./workers/expired-snapshots.ts";
import { gatewayLinks } from "./workers/gateway-links.ts";
import { imageCleanup } from "./workers/image-cleanup.ts";
import { IssuedIdentities } from "./workers/issued-identities.ts";
import { LogFollowers } from "./workers/log-followers.ts";
import { LogSender } from "./workers/log-sender.ts";
import { orchestrationMetrics } from "./workers/orchestration-metrics.ts";
import { RegistryOutage } from "./workers/registry-outage.ts";
import type { OrchestrationContext } from "./workers/repair-context.ts";
import { measureStorage } from "./workers/storage-meter.ts";
import { UsageRecorder } from "./workers/usage-recorder.ts";
import { WakeTurns } from "./workers/wake-turns.ts";

export { orchestrationMigrations } from "../migrations/index.ts";
export { pruneDeployments } from "./adapters/prune-deployments.ts";
export { resealIdentities } from "./adapters/reseal-identities.ts";
export { presentLine } from "./api/graphql.ts";
export { platformGaps } from "./domain/container-environment.ts";
export type { Deployment } from "./domain/deployment.ts";
export type { DeclaredStorage, DesiredApp, DesiredRelease, HealthCheck } from "./domain/desired-app.ts";
export type { OrchestrationOptions } from "./domain/orchestration-options.ts";
export type { IssuedIdentity } from "./domain/workload-identity.ts";
export type {
  ConfigurationDigests,
  InstalledApps,
  LoggedApps,
} from "./ports.ts";
export type { FoundLine, FoundLines } from "./use-cases/search-logs.ts";
export type { IssuedIdentities } from "./workers/issued-identities.ts";

export interface DeploymentsDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Returns the part of the service that any process may use. Needs {@link orchestrationMigrations}. */
export function createDeployments(deps: DeploymentsDeps): Deployments {
  return new SqlDeployments(deps);
}

/** Returns the part of the service that takes snapshots, for any process. Needs {@link orchestrationMigrations}. */
export function createAppSnapshots(deps: DeploymentsDeps): AppSnapshots {
  return new SqlAppSnapshots(deps);
}

/** Returns what stores snapshots that a process makes itself. Needs {@link orchestrationMigrations}. */
export function createSnapshotImports(deps: DeploymentsDeps): SnapshotImports {
  return new SqlSnapshotImports(deps);
}

/** Returns the databases of apps at their last measurement. Needs {@link orchestrationMigrations}. */
export function readDatabaseSizes(database: Database): Promise<readonly StoredDatabase[]> {
  return new SqlDatabaseRecords(database).all();
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
  readonly marketplace: Pick<MarketplaceReads, "drainState" | "holdsRequests" | "retainedImages">;
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
  /** Without it, nothing is counted. */
  readonly metrics?: Metrics;
  /** Gets what the apps use. */
  readonly usageHistory: Pick<UsageHistory, "append">;
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
export interface Orchestration extends Component {
  /** Resolves when start-up reconciliation is over: no app needs a repair, or the reconcile timeout passed. */
  readonly reconciled: Promise<void>;
}

/**
 * Needs {@link orchestrationMigrations}, a started broker, and a process that runs an outbox relay. Starting does not wait for
 * apps. Stopping leaves containers running.
 */
export function createOrchestration(deps: OrchestrationDeps): Orchestration {
  const { database, broker, clock, logger, options, runtime, seal, metrics = silentMetrics } = deps;
  const source = `/appserver/${options.instance}`;
  const deployments = new SqlDeploymentStore(database, deps.outbox, source);
  const snapshots = new SqlSnapshotRecords(database);
  const databaseRecords = new SqlDatabaseRecords(database);
  const identities = new SqlWorkloadIdentities({ database, seal, clock, instance: options.instance });
  const ownedApps = new Set<string>();
  const owns = (appName: string): boolean => ownedApps.has(appName);
  const meter = new ContainerMeter({ runtime, deployments, clock, logger, owns });
  const registry = new RegistryOutage(clock, (appName) => watch.wake(appName));
  const context: OrchestrationContext = {
    ...deps,
    registry,
    engine: new EngineOutage(clock),
    turns: new WakeTurns((appName) => watch.wake(appName)),
    deployments,
    dataRemovals: new SqlDataRemovals(database),
    storageRecords: new SqlStorageRecords(database),
    snapshots,
    identities,
    probe: new HttpHealthProbe(),
    metrics: orchestrationMetrics(metrics),
    ownedApps,
    onRemoved: (appName) => {
      meter.forget(appName);
      metrics.remove({ app: appName });
    },
  };
  const watch = new AppWatch(context, (onRequest, onMissed) => listenForReconcileRequests(database, onRequest, onMissed));
  const stopping = new AbortController();
  if (deps.metrics) exposeContainerUsage(metrics, () => meter.usage());
  const databaseMeter = deps.databases && new DatabaseMeter({ ...context, databases: deps.databases, databaseRecords, owns });
  if (deps.metrics && databaseMeter) exposeDatabaseSizes(metrics, () => databaseMeter.sizes());
  const usage = new UsageRecorder({
    containers: () => meter.usage(),
    databases: () => databaseMeter?.sizes() ?? [],
    history: deps.usageHistory,
    clock,
  });
  const periodic = new PeriodicTasks({
    name: "orchestration",
    clock,
    logger,
    tasks: [
      {
        name: "storage usage",
        intervalMs: options.storageUsageIntervalMs,
        run: () => measureStorage(context, stopping.signal),
      },
      expiredSnapshots(snapshots, clock, (appName) => watch.wake(appName)),
      ...imageCleanup({ ...deps, deployments }),
      ...gatewayLinks(context),
      ...(databaseMeter ? [databaseMeter.task()] : []),
      meter.task(stopping.signal),
      usage.task(),
    ],
  });
  const logs = new LogSender({
    broker,
    runtime,
    deployments,
    instance: options.instance,
    clock,
    logger,
    source,
    owns,
  });
  let events: Subscription | undefined;
  return {
    name: "orchestration",
    reconciled: watch.reconciled,
    start: async () => {
      await identities.prepare();
      // Those of an earlier isolation.
      if (!deps.databases) await databaseRecords.replace([], new Date(clock.now()));
      events ??= await consumeAppEvents(broker, deps.queuePrefix, (appName) => sendReconcileRequest(database, appName));
      await logs.start();
      await watch.start();
      periodic.start();
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
  /** Finds lines by the ids that they contain. */
  search(search: LogSearch, call: Call): Promise<FoundLines>;
}

/** Reads logs from the orchestrators over the broker. The server needs no access to the container engine. */
export function createAppLogs({ permissions, apps, ...deps }: AppLogsDeps): AppLogs {
  const logs = new LogFollowers(deps);
  const context = { permissions, apps, logs };
  return {
    name: logs.name,
    resolvers: logsResolvers(context),
    search: (search, call) => searchLogs({ ...context, clock: deps.clock }, search, call),
    start: () => logs.start(),
    stop: () => logs.stop(),
  };
}
