import { orchestratorQueuePrefix } from "@appserver/contracts/events";
import { type Clock, type Component, type Logger, silentMetrics } from "@appserver/kernel";
import type { Broker, ContainerRuntime, Database, Leases, Metrics, Outbox, Subscription } from "@appserver/kernel/ports";
import { CountedOrchestration } from "./adapters/counted-orchestration.ts";
import { HttpHealthProbe } from "./adapters/http-health-probe.ts";
import { SqlDeploymentStore } from "./adapters/sql-deployment-store.ts";
import { SqlHints } from "./adapters/sql-hints.ts";
import { consumeAppEvents } from "./api/events.ts";
import type { Deployment } from "./domain/deployment.ts";
import type { OrchestrationSettings } from "./domain/orchestration-settings.ts";
import type { InstalledApps } from "./ports.ts";
import { restartApp } from "./use-cases/restart-app.ts";
import { AppWatch } from "./use-cases/watch-apps.ts";

export { orchestrationMigrations } from "../migrations/index.ts";
export { platformGaps } from "./domain/container-environment.ts";
export type { Deployment, DeploymentProblem } from "./domain/deployment.ts";
export type { DeploymentState } from "./domain/deployment-state.ts";
export type { DesiredApp, HealthCheck } from "./domain/desired-app.ts";
export { imageReference, parseStage } from "./domain/image-reference.ts";
export type { OrchestrationSettings } from "./domain/orchestration-settings.ts";
export type { InstalledApps } from "./ports.ts";

/** The part that any process can have: it reads deployments and asks for restarts. */
export interface Deployments {
  /** Current deployments by app name. */
  listDeployments(): Promise<readonly Deployment[]>;
  /** The current deployment of the app, the last one when it is uninstalled. */
  getDeployment(appId: string): Promise<Deployment | undefined>;
  /** Stores the request; whoever looks after the app does it. Throws NOT_FOUND when the app has no deployment. */
  restart(appName: string): Promise<void>;
}

export interface DeploymentsDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

/** Needs {@link orchestrationMigrations}. */
export function createDeployments({ database, clock }: DeploymentsDependencies): Deployments {
  // Nothing here writes transitions, so no event leaves.
  const silent: Outbox = { append: () => Promise.reject(new Error("deployments are only read here")) };
  const store = new SqlDeploymentStore(database, silent, "");
  const hints = new SqlHints(database);
  return deploymentsOf(store, hints, clock);
}

export interface OrchestrationDependencies {
  readonly database: Database;
  readonly broker: Broker;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly runtime: ContainerRuntime;
  readonly apps: InstalledApps;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: OrchestrationSettings;
  /** The orchestrator's environment, of which containers get the listed part (docs/interface/containers.md#environment). */
  readonly platform: Readonly<Record<string, string | undefined>>;
  /** Default: nothing is counted. */
  readonly metrics?: Metrics;
  /** Of the durable queues. Default `orchestrator.subscriber.`; not the server's (docs/interface/events.md#broker-layout). */
  readonly queuePrefix?: string;
}

/** The orchestration service: what runs converges to what is installed (docs/interface/containers.md#reconcile-loop). */
export interface Orchestration extends Deployments, Component {
  /** Has all orchestrators look at the app now. */
  reconcileApp(appName: string): Promise<void>;
  /** Resolves when start-up reconciliation is over: every app at rest, or the reconcile timeout passed. */
  readonly reconciled: Promise<void>;
}

/**
 * Needs {@link orchestrationMigrations}, a started broker, and an outbox relay somewhere. Starting does not wait for apps;
 * stopping leaves containers running.
 */
export function createOrchestration(deps: OrchestrationDependencies): Orchestration {
  const { database, broker, clock } = deps;
  const deployments = new SqlDeploymentStore(database, deps.outbox, `/appserver/${deps.settings.instance}`);
  const hints = new SqlHints(database);
  const watch = new AppWatch({
    apps: deps.apps,
    deployments,
    runtime: deps.runtime,
    leases: deps.leases,
    hints,
    probe: new HttpHealthProbe(),
    metrics: new CountedOrchestration(deps.metrics ?? silentMetrics),
    clock,
    logger: deps.logger,
    settings: deps.settings,
    platform: deps.platform,
  });
  let events: Subscription | undefined;
  return {
    ...deploymentsOf(deployments, hints, clock),
    name: "orchestration",
    reconciled: watch.reconciled,
    reconcileApp: (appName) => hints.raise(appName),
    start: async () => {
      await watch.start();
      events = await consumeAppEvents(broker, deps.queuePrefix ?? orchestratorQueuePrefix, hints);
    },
    stop: async () => {
      await events?.close();
      await watch.stop();
    },
  };
}

function deploymentsOf(store: SqlDeploymentStore, hints: SqlHints, clock: Clock): Deployments {
  return {
    listDeployments: () => store.list(),
    getDeployment: (appId) => store.currentByAppId(appId),
    restart: (appName) => restartApp(store, hints, appName, new Date(clock.now())),
  };
}
