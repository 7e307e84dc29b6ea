import { type Clock, type Logger, within } from "@appserver/kernel";
import { ContainerError, type ContainerStats } from "@appserver/kernel/ports";
import type { ClusterContainers } from "./cluster-containers.ts";
import { asContainerError } from "./container-errors.ts";
import type { KubernetesClient } from "./kubernetes-client.ts";
import { annotations, appContainer, type Deployment, type Pod } from "./objects.ts";
import { PodMetricsList, type PodUse } from "./pod-metrics.ts";
import { ProcessorTimes } from "./processor-times.ts";
import { quantityOf } from "./quantity.ts";

interface ContainerUseDeps {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace: string;
  readonly containers: Pick<ClusterContainers, "all" | "named" | "podsOf">;
}

/** More than a list may take. */
const listMs = 15_000;

/** What containers use: the sums over their pods. */
export class ContainerUse {
  readonly #clock: Clock;
  readonly #containers: ContainerUseDeps["containers"];
  readonly #metrics: PodMetricsList;
  readonly #times = new ProcessorTimes();
  /** The list after which {@link ProcessorTimes.keep} was called last. */
  #kept: ReadonlyMap<string, PodUse> | undefined;

  constructor({ containers, ...deps }: ContainerUseDeps) {
    this.#clock = deps.clock;
    this.#containers = containers;
    this.#metrics = new PodMetricsList(deps);
  }

  /** Returns undefined for a container that does not run or is not measured yet, and while the cluster measures nothing. */
  async of(name: string, signal?: AbortSignal): Promise<ContainerStats | undefined> {
    const deployment = await this.#containers.named(name);
    if (!deployment || !isWanted(deployment)) {
      if (deployment) this.#times.forget(deployment.metadata.name);
      return undefined;
    }
    // A caller that gives up leaves the list to the others.
    const limit = {
      clock: this.#clock,
      ms: listMs,
      signal,
      error: () => new ContainerError("unreachable", "no statistics in time"),
    };
    const all = await within(() => this.#metrics.uses(), limit).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw asContainerError(name, error);
    });
    if (!all) return undefined;
    await this.#keepExisting(all);
    const uses = usesOfPods(await this.#containers.podsOf(deployment), all);
    if (uses.size === 0) return undefined;
    const { metadata } = deployment;
    const instanceLimit = memoryLimitOf(deployment);
    return {
      memoryBytes: [...uses.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
      memoryLimitBytes: instanceLimit === undefined ? undefined : instanceLimit * uses.size,
      cpuSeconds: this.#times.count(metadata.name, metadata.annotations?.[annotations.startedAt] ?? "", uses),
    };
  }

  /** Once for each list. */
  async #keepExisting(list: ReadonlyMap<string, PodUse>): Promise<void> {
    if (this.#kept === list) return;
    this.#kept = list;
    this.#times.keep(new Set((await this.#containers.all()).map(({ metadata }) => metadata.name)));
  }
}

function isWanted({ metadata, spec }: Deployment): boolean {
  return metadata.deletionTimestamp === undefined && spec.replicas !== 0;
}

function usesOfPods(pods: readonly Pod[], all: ReadonlyMap<string, PodUse>): ReadonlyMap<string, PodUse> {
  return new Map(
    pods.flatMap(({ metadata: { name } }) => {
      const use = all.get(name);
      return use ? [[name, use] as const] : [];
    }),
  );
}

/** Of one instance, in bytes. */
function memoryLimitOf({ spec }: Deployment): number | undefined {
  const app = spec.template.spec.containers.find(({ name }) => name === appContainer);
  return quantityOf(app?.resources?.limits?.memory ?? "");
}
