import type { LogLine } from "@appserver/kernel";
import { AppError, silentLogger } from "@appserver/kernel";
import {
  ContainerError,
  type ContainerFile,
  type ContainerNetworks,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerView,
  type Lease,
  type LogRequest,
} from "@appserver/kernel/ports";
import { FakeClock } from "@appserver/testing/kit";
import { type Deployment, promote, retire } from "../src/domain/deployment.ts";
import type { DesiredApp, DesiredRelease } from "../src/domain/desired-app.ts";
import type { OrchestrationOptions } from "../src/domain/orchestration-options.ts";
import type { DeploymentStore, DeploymentsByRole, DrainState, SecretSeal, Writer } from "../src/ports.ts";
import { AppReconciler } from "../src/workers/app-reconciler.ts";
import { HealthWatch } from "../src/workers/health-watch.ts";
import { type Rest, reconcileApp, type Slot } from "../src/workers/reconcile-app.ts";
import type { OrchestrationContext, RepairContext } from "../src/workers/repair-context.ts";
import { MemoryDigests, MemorySettings } from "./memory-configuration.ts";
import { MemoryDatabases, MemoryDataRemovals, MemoryStorageRecords } from "./memory-databases.ts";
import { MemoryIdentities } from "./memory-identities.ts";

/** An engine in memory, to test decisions only. Other tests cover the behaviour of real engines. */
export class MemoryRuntime implements ContainerRuntime {
  readonly driver = "memory";
  /** Absent unless a test sets it. */
  networks?: ContainerNetworks;
  readonly containers = new Map<string, ContainerView>();
  readonly calls: string[] = [];
  /** By container id: texts by file name. */
  readonly files = new Map<string, Readonly<Record<string, string>>>();
  /** Of all containers, in the order of their creation. */
  readonly specs: ContainerSpec[] = [];
  /** Errors by operation name. The operation throws its error once. */
  readonly failures = new Map<string, unknown>();
  /** Throws before the call with this number (from 1), to simulate a kill between two steps. */
  killAtCall = 0;
  kills = 0;
  pulling: ((signal: AbortSignal) => Promise<void>) | undefined;
  #created = 0;

  async ping(): Promise<void> {}
  async ensureNetwork(): Promise<void> {}
  async close(): Promise<void> {}
  async stats(): Promise<undefined> {}
  log = "";
  async *logs(_name: string, _request: LogRequest): AsyncGenerator<readonly LogLine[]> {
    const texts = this.log.split("\n").filter((text) => text !== "");
    yield texts.map((text) => ({ time: "2026-01-01T00:00:00.000000000Z", stream: "stdout", text, isCut: false }));
  }

  async pull(image: string, { signal }: { signal: AbortSignal }): Promise<{ digest: string }> {
    this.#call(`pull ${image}`);
    await this.pulling?.(signal);
    return { digest: image.split("@")[1] ?? "sha256:abc" };
  }

  async create(spec: ContainerSpec): Promise<ContainerView> {
    this.#call(`create ${spec.name}`);
    const existing = this.containers.get(spec.name);
    if (existing) return existing;
    const { name, labels, image } = spec;
    this.specs.push(spec);
    for (const each of spec.storage ?? []) {
      const key = `${labels["appserver.app-id"]} ${each.name}`;
      this.stored.set(key, this.stored.get(key) ?? 0);
    }
    return this.#put({ id: `c${++this.#created}`, name, labels, image, status: "created" });
  }

  async writeFiles(name: string, files: readonly ContainerFile[]): Promise<void> {
    this.#call(`write ${name}`);
    const { id } = this.#get(name);
    const written = Object.fromEntries(files.map((file) => [file.name, file.text]));
    this.files.set(id, { ...this.files.get(id), ...written });
  }

  async start(name: string): Promise<ContainerView> {
    this.#call(`start ${name}`);
    return this.#put({ ...this.#get(name), status: "running", endpoint: `http://${name}:3000` });
  }

  async stop(name: string): Promise<void> {
    this.#call(`stop ${name}`);
    this.end(name, 143);
  }

  async remove(name: string): Promise<void> {
    this.#call(`remove ${name}`);
    this.containers.delete(name);
  }

  async rename(name: string, newName: string): Promise<ContainerView> {
    this.#call(`rename ${name} ${newName}`);
    const renamed = this.containers.get(newName);
    if (renamed && !this.containers.has(name)) return renamed;
    if (renamed) throw new ContainerError("name_conflict", `${newName} exists`);
    const container = this.#get(name);
    this.containers.delete(name);
    return this.#put({ ...container, name: newName });
  }

  async inspect(name: string): Promise<ContainerView | undefined> {
    return this.containers.get(name);
  }

  /** Sizes by app id and name of storage. */
  readonly stored = new Map<string, number>();

  async storage({ instance }: { readonly instance: string }) {
    this.#call("storage");
    return [...this.stored].map(([key, usedBytes]) => {
      const [appId = "", name = ""] = key.split(" ");
      return { instance, appId, name, createdAt: new Date(0), usedBytes };
    });
  }

  async removeStorage({ appId }: { readonly appId: string }, name = ""): Promise<void> {
    this.#call(`removeStorage ${appId} ${name}`);
    for (const key of this.stored.keys()) if (key.startsWith(`${appId} ${name}`)) this.stored.delete(key);
  }

  async list(): Promise<readonly ContainerView[]> {
    return [...this.containers.values()];
  }

  /** Simulates the end of the process. */
  end(name: string, exitCode: number): void {
    const { endpoint: _gone, ...container } = this.#get(name);
    this.#put({ ...container, status: "exited", exitCode });
  }

  #get(name: string): ContainerView {
    const container = this.containers.get(name);
    if (!container) throw new ContainerError("not_found", `no container ${name}`);
    return container;
  }

  #put(container: ContainerView): ContainerView {
    this.containers.set(container.name, container);
    return container;
  }

  #call(call: string): void {
    this.calls.push(call);
    if (this.calls.length === this.killAtCall) {
      this.kills += 1;
      throw new Error("killed");
    }
    const [operation = ""] = call.split(" ");
    const failure = this.failures.get(operation);
    this.failures.delete(operation);
    if (failure) throw failure;
  }
}

/**
 * Stores deployments in memory. `states` contains every transition, in the form of the events. Those of other roles than the
 * current one are preceded by the role.
 */
export class MemoryDeployments implements DeploymentStore {
  readonly states: string[] = [];
  readonly all: Deployment[] = [];
  /** Throws before the write with this number (from 1), to simulate a kill between two steps. */
  killAtWrite = 0;
  kills = 0;
  #writes = 0;
  #fence = 0;

  async ofApp(appName: string): Promise<DeploymentsByRole> {
    const own = this.all.filter((deployment) => deployment.appName === appName && deployment.role !== undefined);
    return Object.fromEntries(own.map((deployment) => [deployment.role, deployment]));
  }

  async currentByAppId(appId: string): Promise<Deployment | undefined> {
    return this.all.find((deployment) => deployment.appId === appId && deployment.role === "current");
  }

  async ofGeneration(appId: string, generation: number): Promise<Deployment | undefined> {
    return this.all.findLast((deployment) => deployment.appId === appId && deployment.generation === generation);
  }

  async list(): Promise<readonly Deployment[]> {
    return this.all.filter(({ role }) => role === "current");
  }

  async outOfDate(): Promise<readonly string[]> {
    const found = this.all.filter(({ role, wantedConfiguration }) => role === "current" && wantedConfiguration !== undefined);
    return found.map(({ appName }) => appName);
  }

  containers(): Promise<readonly Deployment[]> {
    return this.withRole();
  }

  async withRole(): Promise<readonly Deployment[]> {
    return this.all.filter(({ role }) => role !== undefined);
  }

  async begin(writer: Writer, deployment: Deployment): Promise<void> {
    this.#check(writer);
    const { [deployment.role ?? "current"]: previous } = await this.ofApp(deployment.appName);
    if (previous) this.#put(previous, { ...previous, role: undefined });
    this.all.push(deployment);
    this.#emit(deployment);
  }

  async transition(writer: Writer, before: Deployment, after: Deployment): Promise<void> {
    await this.amend(writer, before, after);
    this.#emit({ role: before.role, state: after.state });
  }

  async amend(writer: Writer, before: Deployment, after: Deployment): Promise<void> {
    this.#check(writer);
    this.#put(before, after);
  }

  async promote(writer: Writer, next: Deployment, replaced: Deployment | undefined, at: Date): Promise<void> {
    this.#check(writer);
    if (replaced) this.#put(replaced, retire(replaced, at));
    this.#put(next, promote(next, at));
    this.#emit(promote(next, at));
  }

  async saveProgress(): Promise<void> {}

  async requestRestart(appName: string, at: Date): Promise<boolean> {
    const index = this.all.findIndex((deployment) => deployment.appName === appName && deployment.role === "current");
    const deployment = this.all[index];
    if (deployment) this.all[index] = { ...deployment, restartRequestedAt: at };
    return deployment !== undefined;
  }

  #put(before: Deployment, after: Deployment): void {
    const index = this.all.findIndex(({ id }) => id === before.id);
    const stored = this.all[index];
    if (stored?.state !== before.state || stored.role !== before.role)
      throw new AppError("CONFLICT", `no longer ${before.state}`);
    const isDone = before.restartRequestedAt !== undefined && after.restartRequestedAt === undefined;
    this.all[index] = { ...after, restartRequestedAt: isDone ? undefined : stored.restartRequestedAt };
  }

  #emit({ role, state }: Pick<Deployment, "role" | "state">): void {
    this.states.push(role === "current" || role === undefined ? state : `${role}:${state}`);
  }

  #check({ fence }: Writer): void {
    if (++this.#writes === this.killAtWrite) {
      this.kills += 1;
      throw new Error("killed");
    }
    if (fence < this.#fence) throw new AppError("CONFLICT", "taken over");
    this.#fence = fence;
  }
}

export const options: OrchestrationOptions = {
  instance: "test",
  network: "net",
  networkPool: undefined,
  registry: "registry.test",
  credentials: undefined,
  defaultImageStage: "latest",
  endpoint: "network",
  upstreams: "network",
  sharedRedis: [],
  storageUsageIntervalMs: 900_000,
  cpuShares: 1024,
  memoryMb: 512,
  pidsLimit: 256,
  maxLimits: { memoryMb: 4_096, cpuShares: 4_096, pids: 1_024 },
  pullTimeoutMs: 600_000,
  imageCleanupIntervalMs: 3_600_000,
  startTimeoutMs: 120_000,
  stopTimeoutMs: 10_000,
  reconcileTimeoutMs: 120_000,
  healthCheckIntervalMs: 30_000,
  healthCheckTimeoutMs: 5_000,
  healthCheckRetries: 3,
  maxRestarts: 3,
  settleTimeMs: 0,
  drainTimeoutMs: 30_000,
};

/** Encrypts nothing, but binds a text to its place as the real one does. */
export const plainSeal: SecretSeal = {
  seal: async (owner, name, text) => JSON.stringify([owner, name, text]),
  open: async (owner, name, sealed) => {
    const [sealedFor, as, text] = JSON.parse(sealed) as string[];
    if (sealedFor !== owner || as !== name || text === undefined) throw new Error("sealed for another place");
    return text;
  },
};

export const platform = { APPSERVER_DB_HOST: "db", APPSERVER_GRAPHQL_HTTP: "http://platform/graphql" };

export function desiredApp(changes: Partial<DesiredApp> = {}): DesiredApp {
  return {
    id: "0193b8f0-0000-7000-8000-000000000001",
    name: "com.example.notes",
    enabled: true,
    version: "1.0.0",
    manifestDigest: "digest-1",
    imageDigest: undefined,
    generation: 1,
    needsContainer: true,
    upstreamPort: 3000,
    healthCheck: { path: "/healthz", intervalSeconds: 30, timeoutMs: 5_000, unhealthyThreshold: 3 },
    dependencies: [],
    storage: [],
    environment: {},
    settingVariables: [],
    limits: {},
    next: undefined,
    ...changes,
  };
}

/** The release that follows {@link desiredApp}. */
export function desiredRelease(changes: Partial<DesiredRelease> = {}): DesiredRelease {
  const { id: _id, name: _name, enabled: _enabled, next: _next, ...release } = desiredApp();
  return {
    ...release,
    version: "2.0.0",
    manifestDigest: "digest-2",
    generation: 2,
    operationId: "0193b8f0-0000-7000-8000-0000000000a1",
    strategy: "side_by_side",
    ...changes,
  };
}

/** Contains one app, its installation, its container, and a reconciliation of them. */
export class ReconcileFixture {
  readonly clock = new FakeClock();
  readonly runtime = new MemoryRuntime();
  readonly deployments = new MemoryDeployments();
  readonly databases = new MemoryDatabases();
  readonly dataRemovals = new MemoryDataRemovals();
  readonly storageRecords = new MemoryStorageRecords();
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
  fence = 1;
  /** Whether another orchestrator holds the app's lease. */
  isLeaseTaken = false;
  readonly #health = { current: new HealthWatch(), switching: new HealthWatch() };

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

  async reconcile(isStartup = false, slot: Slot = "current"): Promise<Rest> {
    return await reconcileApp(this.#repairContext(slot), slot, isStartup);
  }

  reconciler(isStartup = false): AppReconciler {
    return new AppReconciler("com.example.notes", this.#repairContext("current"), isStartup);
  }

  #repairContext(slot: Slot): RepairContext {
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
      reconcileRequests: { send: async () => {}, listen: async () => ({ close: async () => {} }) },
      probe: {
        problem: async (endpoint) =>
          this.isHealthy && !this.unhealthy.has(endpoint) ? undefined : "GET /healthz returned 503",
      },
      drains: { state: async () => this.drain },
      databases: this.databases,
      dataRemovals: this.dataRemovals,
      storageRecords: this.storageRecords,
      identities: this.identities,
      settings: this.settings,
      digests: this.digests,
      metrics: {
        containerStarted: () => {},
        containerStopped: () => {},
        imagePulled: () => {},
        healthChecked: () => {},
        restarted: () => {},
        switched: () => {},
        retired: () => {},
        removed: (appName) => this.forgotten.push(appName),
      },
      clock: this.clock,
      logger: silentLogger,
      options: this.options,
      platform,
      writer: { appName: "com.example.notes", fence: this.fence },
      signal: this.abort.signal,
      health: this.#health[slot],
      peer: { wake: () => {}, interrupt: () => {} },
    };
  }
}
