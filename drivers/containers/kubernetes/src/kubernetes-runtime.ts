import type { Clock, Logger, LogLine } from "@appserver/kernel";
import {
  ContainerError,
  type ContainerFile,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerStats,
  type ContainerView,
  checkReplicas,
  containerLabels,
  type EngineAbilities,
  isSameOwner,
  type LogRequest,
  ownerOf as ownerText,
  type PullOptions,
  type StorageOwner,
  type StorageSelection,
  type StorageView,
} from "@appserver/kernel/ports";
import { AppClaims } from "./app-claims.ts";
import { AppNetworks } from "./app-networks.ts";
import { ClusterContainers } from "./cluster-containers.ts";
import type { Connection } from "./connection.ts";
import { asContainerError, ifMissing, isConflict, notFound } from "./container-errors.ts";
import { ContainerUse } from "./container-use.ts";
import { containerNameOf, isComplete, labelsOf } from "./container-view.ts";
import { eventually } from "./eventually.ts";
import { pinned } from "./image-digest.ts";
import { ImageDigests } from "./image-digests.ts";
import { KubernetesClient, KubernetesError, mergePatch } from "./kubernetes-client.ts";
import { LogFollower } from "./log-follower.ts";
import type { NetworkRules } from "./network-policies.ts";
import { identitySecret, objectName } from "./object-names.ts";
import { annotations, type Deployment, identityAnnotation, restartAnnotation, type Service } from "./objects.ts";
import { OwnedParts } from "./owned-parts.ts";
import { maxReplicas } from "./scaling.ts";
import { deploymentOf, encoded, graceSeconds, ownerOf, partsOf, type WorkloadOptions } from "./workload.ts";

export interface KubernetesRuntimeOptions extends WorkloadOptions, NetworkRules {
  readonly connection: Connection;
  /** Registries that are asked over plain HTTP. */
  readonly plainRegistries: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After its grace, until a pod no longer exists. */
const endMs = 60_000;
const removalGraceSeconds = 1;
const maxAttempts = 20;

/**
 * Runs each container as a Deployment with a Service and two Secrets, which it owns, in one namespace. The cluster restarts, places and
 * checks the instances. Keeps no state but a copy of what the API server has.
 */
export class KubernetesRuntime implements ContainerRuntime {
  readonly driver = "kubernetes";
  readonly abilities: EngineAbilities = {
    outlivesProcess: true,
    restarts: "engine",
    health: "engine",
    pulls: "atStart",
    maxReplicas,
    keepsOutputOfStopped: false,
    copiesStorage: false,
  };
  readonly networks: AppNetworks;
  readonly #client: KubernetesClient;
  readonly #options: KubernetesRuntimeOptions;
  readonly #containers: ClusterContainers;
  readonly #claims: AppClaims;
  readonly #digests: ImageDigests;
  readonly #parts: OwnedParts;
  readonly #use: ContainerUse;
  readonly #paths: Readonly<Record<"deployments" | "pods" | "services" | "secrets" | "budgets" | "autoscalers", string>>;

  constructor(options: KubernetesRuntimeOptions) {
    const { namespace, connection, clock, logger } = options;
    this.#options = options;
    const client = new KubernetesClient(connection, clock);
    this.#client = client;
    const core = `/api/v1/namespaces/${namespace}`;
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    this.#paths = {
      deployments,
      pods: `${core}/pods`,
      services: `${core}/services`,
      secrets: `${core}/secrets`,
      budgets: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
      autoscalers: `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
    };
    this.#containers = new ClusterContainers({ client, clock, logger, paths: this.#paths });
    this.#use = new ContainerUse({ client, clock, logger, namespace, containers: this.#containers });
    this.#parts = new OwnedParts({ client, clock, paths: this.#paths });
    this.#digests = new ImageDigests(options.plainRegistries);
    const all = () => this.#containers.all();
    this.#claims = new AppClaims({ client, options, clock, deployments: all });
    this.networks = new AppNetworks({ client, clock, logger, namespace, rules: options, deployments: all });
  }

  async ping(timeoutMs = 5_000): Promise<void> {
    await this.#client.call("GET", "/version", { timeoutMs }).catch((error: unknown) => {
      throw asContainerError("the API server", error);
    });
  }

  /** Without networks of apps, the namespace is the network. It exists, or nothing works. */
  async ensureNetwork(): Promise<void> {
    await this.#containers.all();
  }

  async networkGateway(): Promise<undefined> {
    return undefined;
  }

  async pull(image: string, options: PullOptions): Promise<{ readonly digest: string }> {
    return { digest: await this.#digests.pull(image, options) };
  }

  async create(spec: ContainerSpec): Promise<ContainerView> {
    const existing = await this.#containers.named(spec.name);
    if (existing) return await this.#adopt(existing, spec);
    const digest = await this.#digests.digestOf(spec.image);
    requireNumericUser(spec);
    const name = objectName(spec.name);
    try {
      await this.#claims.ensure(ownerOf(spec), spec.storage ?? []);
      // Without a network of its own, no policy closes what the gate waits for.
      const gateImage = (await this.networks.has(spec)) ? this.#options.gateImage : undefined;
      const body = deploymentOf(name, spec, pinned(spec.image, digest), { ...this.#options, gateImage });
      const created = await this.#client.call<Deployment>("POST", this.#paths.deployments, { body });
      this.#containers.put(created);
      return await this.#complete(created, spec);
    } catch (error) {
      if (!isConflict(error)) throw asContainerError(spec.name, error);
      const holder = await this.#client.find<Deployment>(`${this.#paths.deployments}/${name}`);
      if (!holder) throw asContainerError(spec.name, error);
      this.#containers.put(holder);
      return await this.#adopt(holder, spec);
    }
  }

  /**
   * Returns a container that exists as it is. One that a killed process has begun is completed, if it is of the same attempt: another one
   * has another environment.
   */
  async #adopt(existing: Deployment, spec: ContainerSpec): Promise<ContainerView> {
    const labels = labelsOf(existing);
    if (!isSameOwner(labels, spec.labels) || containerNameOf(existing) !== spec.name)
      throw new ContainerError("name_conflict", `the name ${existing.metadata.name} is in use by ${ownerText(labels)}`);
    const isBegun = existing.metadata.deletionTimestamp === undefined && !isComplete(existing);
    if (!isBegun || !isSameAttempt(labels, spec.labels)) return await this.#containers.view(existing);
    return await this.#complete(existing, spec);
  }

  /** Makes what belongs to the container, then marks it as complete. */
  async #complete(deployment: Deployment, spec: ContainerSpec): Promise<ContainerView> {
    const { name, uid } = deployment.metadata;
    try {
      await this.#parts.make({ name, uid }, partsOf(name, spec, uid, this.#options));
      const { clusterIP = "" } = (await this.#client.call<Service>("GET", `${this.#paths.services}/${name}`)).spec;
      const endpoint = `http://${clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP}:${spec.port}`;
      const marks = { [annotations.isComplete]: "true", [annotations.endpoint]: endpoint };
      return await this.#containers.view(await this.#containers.patch(name, { metadata: { uid, annotations: marks } }));
    } catch (error) {
      throw asContainerError(spec.name, error);
    }
  }

  async writeFiles(name: string, files: readonly ContainerFile[]): Promise<void> {
    const deployment = await this.#containers.requireComplete(name);
    const object = deployment.metadata.name;
    const data = encoded(Object.fromEntries(files.map((file) => [file.name, file.text])));
    try {
      const path = `${this.#paths.secrets}/${identitySecret(object)}`;
      await this.#client.call("PATCH", path, { contentType: mergePatch, body: { data } });
      // Otherwise the kubelet looks at Secrets about once a minute.
      const marks = { [identityAnnotation]: new Date().toISOString() };
      const patch = { contentType: mergePatch, body: { metadata: { annotations: marks } } };
      for (const { metadata } of await this.#containers.podsOf(deployment))
        await this.#client.call("PATCH", `${this.#paths.pods}/${metadata.name}`, patch).catch(ifMissing);
    } catch (error) {
      throw asContainerError(name, error);
    }
  }

  async start(name: string, replicas = 1): Promise<ContainerView> {
    checkReplicas(this.driver, this.abilities, replicas);
    const deployment = await this.#containers.requireComplete(name);
    if (deployment.spec.replicas === replicas) return await this.#containers.view(deployment);
    const marks = { [annotations.startedAt]: new Date().toISOString() };
    const body = { spec: { replicas }, ...(deployment.spec.replicas === 0 ? { metadata: { annotations: marks } } : {}) };
    try {
      return await this.#containers.view(await this.#containers.patch(deployment.metadata.name, body));
    } catch (error) {
      throw asContainerError(name, error);
    }
  }

  async stop(name: string, graceMs: number): Promise<void> {
    const deployment = await this.#containers.named(name);
    if (!deployment) return;
    try {
      // Also if it is 0 in the copy: another process may have started it.
      await this.#containers.patch(deployment.metadata.name, { spec: { replicas: 0 } });
      await this.#containers.endPods(deployment, graceSeconds(graceMs, this.#options.drainMs));
    } catch (error) {
      if (error instanceof KubernetesError && error.status === 404) return;
      throw asContainerError(name, error);
    }
  }

  async restart(name: string): Promise<ContainerView> {
    const deployment = await this.#containers.requireComplete(name);
    const isStopped = deployment.spec.replicas === 0;
    const marks = { [restartAnnotation]: new Date().toISOString() };
    const startedAt = { [annotations.startedAt]: new Date().toISOString() };
    try {
      const body = {
        metadata: { annotations: isStopped ? startedAt : {} },
        // The number of one that runs may have been changed by an autoscaler.
        spec: { ...(isStopped ? { replicas: 1 } : {}), template: { metadata: { annotations: marks } } },
      };
      return await this.#containers.view(await this.#containers.patch(deployment.metadata.name, body));
    } catch (error) {
      throw asContainerError(name, error);
    }
  }

  async remove(name: string): Promise<void> {
    const deployment = await this.#containers.named(name);
    if (!deployment) return;
    const path = `${this.#paths.deployments}/${deployment.metadata.name}`;
    const { uid } = deployment.metadata;
    try {
      if (deployment.metadata.deletionTimestamp === undefined) {
        await this.#containers.patch(deployment.metadata.name, { spec: { replicas: 0 } });
        // In the foreground: the Deployment is there, as `removing`, until all that it owns has ended.
        const body = { propagationPolicy: "Foreground", preconditions: { uid } };
        await this.#client.call("DELETE", path, { body });
      }
      await this.#containers.endPods(deployment, removalGraceSeconds);
    } catch (error) {
      if (!(error instanceof KubernetesError && (error.status === 404 || error.status === 409)))
        throw asContainerError(name, error);
    }
    const isGone = async (): Promise<boolean> => (await this.#containers.get(deployment.metadata.name))?.metadata.uid !== uid;
    await eventually(this.#options.clock, isGone, { ms: endMs, what: `${name} is removed` });
  }

  async rename(name: string, newName: string): Promise<ContainerView> {
    for (let attempt = 1; ; attempt += 1) {
      const [container, holder] = [await this.#containers.named(name), await this.#containers.named(newName)];
      if (container && (name === newName || !holder)) {
        const { name: object, resourceVersion } = container.metadata;
        if (name === newName) return await this.#containers.view(container);
        const body = { metadata: { resourceVersion, annotations: { [annotations.container]: newName } } };
        try {
          return await this.#containers.view(await this.#containers.patch(object, body));
        } catch (error) {
          if (!isConflict(error) || attempt === maxAttempts) throw asContainerError(name, error);
          const current = await this.#client.find<Deployment>(`${this.#paths.deployments}/${object}`);
          if (current) this.#containers.put(current);
          continue;
        }
      }
      if (container && holder)
        throw new ContainerError("name_conflict", `the container name ${newName} is in use by ${ownerText(labelsOf(holder))}`);
      if (holder?.metadata.annotations?.[annotations.createdAs] === name) return await this.#containers.view(holder);
      throw notFound(name);
    }
  }

  async inspect(name: string): Promise<ContainerView | undefined> {
    const deployment = await this.#containers.named(name);
    return deployment && (await this.#containers.view(deployment));
  }

  async list(labels: Readonly<Record<string, string>>): Promise<readonly ContainerView[]> {
    const wanted = Object.entries(labels);
    const found = (await this.#containers.all()).filter((deployment) => {
      const own = labelsOf(deployment);
      return wanted.every(([name, value]) => own[name] === value);
    });
    return await Promise.all(found.map((deployment) => this.#containers.view(deployment)));
  }

  onChange(listener: (name: string) => void): () => void {
    return this.#containers.onChange(listener);
  }

  async *logs(name: string, request: LogRequest): AsyncGenerator<readonly LogLine[]> {
    const { metadata } = await this.#containers.require(name);
    const follower = new LogFollower({
      client: this.#client,
      clock: this.#options.clock,
      pods: async () => {
        const deployment = await this.#containers.get(metadata.name);
        return deployment ? await this.#containers.podsOf(deployment) : [];
      },
      isRunning: async () => {
        const deployment = await this.#containers.get(metadata.name);
        return deployment !== undefined && (await this.#containers.view(deployment)).status === "running";
      },
    });
    try {
      yield* follower.read(request);
    } catch (error) {
      if (request.signal?.aborted) return;
      throw asContainerError(name, error);
    }
  }

  /** The cluster reports it only with an addition (`metrics.k8s.io`). */
  async stats(name: string, signal?: AbortSignal): Promise<ContainerStats | undefined> {
    return await this.#use.of(name, signal);
  }

  async storage(selection: StorageSelection): Promise<readonly StorageView[]> {
    return await this.#claims.list(selection).catch((error: unknown) => {
      throw asContainerError("the storage of apps", error);
    });
  }

  async removeStorage(owner: StorageOwner, name?: string): Promise<void> {
    await this.#claims.remove(owner, name).catch((error: unknown) => {
      throw asContainerError("the storage of the app", error);
    });
  }

  readStorage(): AsyncIterable<Uint8Array> {
    throw copiesNothing();
  }

  async writeStorage(): Promise<void> {
    throw copiesNothing();
  }

  async copyStorage(): Promise<number> {
    throw copiesNothing();
  }

  /** Ends the watches. Containers continue: they belong to the cluster. */
  async close(): Promise<void> {
    await Promise.all([this.#containers.close(), this.networks.close()]);
    await this.#client.close();
  }
}

function isSameAttempt(labels: ContainerSpec["labels"], others: ContainerSpec["labels"]): boolean {
  return [containerLabels.attempt, containerLabels.generation].every((label) => labels[label] === others[label]);
}

function requireNumericUser({ name, user }: ContainerSpec): void {
  if (user === undefined || /^(?:root|\d+(?::\d+)?)$/.test(user)) return;
  throw new ContainerError("start_failed", `${name}: the user must be a number, as 1000 or 1000:1000, got ${user}`);
}

function copiesNothing(): ContainerError {
  return new ContainerError("refused", "the driver kubernetes does not copy the contents of claims; use snapshots of volumes");
}
