import type { DrainState } from "@appserver/contracts/deployments";
import { silentLogger, silentMetrics } from "@appserver/kernel";
import type { ContainerView, Lease } from "@appserver/kernel/ports";
import { FakeClock } from "@appserver/testing/kit";
import type { Deployment } from "../src/domain/deployment.ts";
import type { DesiredApp } from "../src/domain/desired-app.ts";
import { AppReconciler } from "../src/workers/app-reconciler.ts";
import { EngineOutage } from "../src/workers/engine-outage.ts";
import { HealthWatch } from "../src/workers/health-watch.ts";
import { orchestrationMetrics } from "../src/workers/orchestration-metrics.ts";
import { type LoopRole, type Rest, reconcileApp } from "../src/workers/reconcile-app.ts";
import { RegistryOutage } from "../src/workers/registry-outage.ts";
import type { OrchestrationContext, RepairContext } from "../src/workers/repair-context.ts";
import { WakeTurns } from "../src/workers/wake-turns.ts";
import { desiredApp, options, platform } from "./fixtures.ts";
import { MemoryDigests, MemorySettings } from "./memory-configuration.ts";
import { MemoryDatabases, MemoryDataRemovals, MemoryStorageRecords } from "./memory-databases.ts";
import { MemoryDeployments } from "./memory-deployments.ts";
import { MemoryIdentities } from "./memory-identities.ts";
import { MemoryRuntime } from "./memory-runtime.ts";
import { MemorySnapshots } from "./memory-snapshots.ts";

/** Contains one app, its installation, its container, and a reconciliation of them. */
export class ReconcileFixture<Runtime extends MemoryRuntime = MemoryRuntime> {
  readonly clock = new FakeClock();
  readonly runtime: Runtime;
  readonly deployments = new MemoryDeployments();
  readonly databases = new MemoryDatabases();
  readonly dataRemovals = new MemoryDataRemovals();
  readonly storageRecords = new MemoryStorageRecords();
  readonly snapshots = new MemorySnapshots();
  readonly identities = new MemoryIdentities();
  /** How often the lease was given back. */
  releases = 0;
  /** Called after an app was read, before the reader sees it. */
  onRead: (found: DesiredApp | undefined) => void = () => {};
  /** Apps whose metrics were removed. */
  readonly forgotten: string[] = [];
  readonly abort = new AbortController();
  desired: DesiredApp | undefined = desiredApp();
  readonly settings = new MemorySettings();
  readonly digests = new MemoryDigests();
  others: readonly DesiredApp[] = [];
  isHealthy = true;
  /** Endpoints that are unhealthy, whatever {@link isHealthy} is. */
  readonly unhealthy = new Set<string>();
  drain: DrainState = { waiting: 0, exchanges: 0 };
  options = options;
  platform: OrchestrationContext["platform"] = platform;
  fence = 1;
  /** Whether another orchestrator holds the app's lease. */
  isLeaseTaken = false;
  /** The apps that were woken because the registry responded. */
  readonly woken: string[] = [];
  readonly registry = new RegistryOutage(this.clock, (appName) => this.woken.push(appName));
  readonly engine = new EngineOutage(this.clock);
  readonly turns = new WakeTurns((appName) => this.woken.push(appName));
  readonly #health = { current: new HealthWatch(), switching: new HealthWatch() };

  /** By default on an engine that leaves the supervision of containers to the orchestrator. */
  constructor(runtime: Runtime = new MemoryRuntime() as Runtime) {
    this.runtime = runtime;
  }

  get container(): ContainerView | undefined {
    return this.runtime.containers.get("app-com.example.notes");
  }

  get deployment(): Deployment {
    const last = this.deployments.all.at(-1);
    if (!last) throw new Error("no deployment");
    return last;
  }

  get orchestrationContext(): OrchestrationContext {
    return this.#repairContext("current");
  }

  /** Returns the states since the last call, as events reported them. */
  takeStates(): string {
    return this.deployments.states.splice(0).join(" ");
  }

  #lease(name: string): Lease {
    this.fence += 1;
    return { name, fence: this.fence, renew: async () => !this.isLeaseTaken, release: async () => void this.releases++ };
  }

  async reconcile(isStartup = false, loop: LoopRole = "current"): Promise<Rest> {
    return await reconcileApp(this.#repairContext(loop), loop, isStartup);
  }

  reconciler(isStartup = false): AppReconciler {
    return new AppReconciler("com.example.notes", this.#repairContext("current"), isStartup);
  }

  #repairContext(loop: LoopRole): RepairContext {
    const desired = async (): Promise<DesiredApp | undefined> => this.desired;
    return {
      apps: {
        all: async () => [...(this.desired ? [this.desired] : []), ...this.others],
        get: async (name) => {
          const found = name === "com.example.notes" ? await desired() : this.others.find((app) => app.name === name);
          this.onRead(found);
          return found;
        },
      },
      deployments: this.deployments,
      runtime: this.runtime,
      leases: { acquire: async (name) => (this.isLeaseTaken ? undefined : this.#lease(name)) },
      probe: {
        problem: async (endpoint) =>
          this.isHealthy && !this.unhealthy.has(endpoint) ? undefined : "GET /healthz returned 503",
      },
      marketplace: { drainState: async () => this.drain, holdsRequests: async () => true },
      databases: this.databases,
      dataRemovals: this.dataRemovals,
      storageRecords: this.storageRecords,
      snapshots: this.snapshots,
      identities: this.identities,
      settings: this.settings,
      digests: this.digests,
      registry: this.registry,
      engine: this.engine,
      turns: this.turns,
      metrics: orchestrationMetrics(silentMetrics),
      ownedApps: new Set(),
      onRemoved: (appName) => this.forgotten.push(appName),
      clock: this.clock,
      logger: silentLogger,
      options: this.options,
      platform: this.platform,
      writer: { appName: "com.example.notes", fence: this.fence },
      signal: this.abort.signal,
      health: this.#health[loop],
      peer: { wake: () => {}, interrupt: () => {} },
    };
  }
}
