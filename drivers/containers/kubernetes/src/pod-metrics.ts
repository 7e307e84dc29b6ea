import { type Clock, type Logger, singleFlight } from "@appserver/kernel";
import { type KubernetesClient, KubernetesError } from "./kubernetes-client.ts";
import { appContainer, managedSelector as labelSelector } from "./objects.ts";
import { quantityOf, secondsOf } from "./quantity.ts";

/** What the app of a pod used over a window of time. */
export interface PodUse {
  /** The end of the window, in seconds since 1970. */
  readonly at: number;
  readonly windowSeconds: number;
  /** Processors in use, as the mean of the window. */
  readonly processors: number;
  readonly memoryBytes: number;
}

/** The used fields of `PodMetrics`. */
interface PodMetrics {
  readonly metadata: { readonly name: string };
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly {
    readonly name: string;
    readonly usage: { readonly cpu?: string; readonly memory?: string };
  }[];
}

interface PodMetricsDeps {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace: string;
}

/** The metrics change every 10 s or less often. One list serves all containers that are measured together. */
const freshMs = 3_000;
/** A cluster gets the API when its operator adds it. */
const absentMs = 60_000;
const timeoutMs = 10_000;
/** The API does not exist, its server is down, or the Role does not contain it. */
const absences: ReadonlySet<number> = new Set([403, 404, 503]);

/** The metrics of all pods of the namespace (`metrics.k8s.io`), by name. Lists them when it is asked, and at most once in a few seconds. */
export class PodMetricsList {
  readonly #deps: PodMetricsDeps;
  readonly #list: () => Promise<ReadonlyMap<string, PodUse> | undefined>;
  #last: { readonly uses: ReadonlyMap<string, PodUse> | undefined; readonly error?: unknown } = { uses: undefined };
  #staleAt = Number.NEGATIVE_INFINITY;

  constructor(deps: PodMetricsDeps) {
    this.#deps = deps;
    this.#list = singleFlight(() => this.#load());
  }

  /** Returns undefined while the cluster has no such API. Rejects as the list did. */
  async uses(): Promise<ReadonlyMap<string, PodUse> | undefined> {
    if (this.#deps.clock.monotonic() >= this.#staleAt) return await this.#list();
    if (this.#last.error !== undefined) throw this.#last.error;
    return this.#last.uses;
  }

  async #load(): Promise<ReadonlyMap<string, PodUse> | undefined> {
    const { client, clock, logger, namespace } = this.#deps;
    let staleMs = freshMs;
    try {
      const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
      const { items } = await client.call<{ readonly items: readonly PodMetrics[] }>("GET", path, {
        query: { labelSelector },
        timeoutMs,
      });
      this.#last = { uses: usesOf(items) };
      return this.#last.uses;
    } catch (error) {
      if (error instanceof KubernetesError && absences.has(error.status)) {
        logger.debug({ err: error }, "kubernetes: no statistics, because metrics.k8s.io is not available");
        staleMs = absentMs;
        this.#last = { uses: undefined };
        return undefined;
      }
      this.#last = { uses: undefined, error };
      throw error;
    } finally {
      this.#staleAt = clock.monotonic() + staleMs;
    }
  }
}

function usesOf(items: readonly PodMetrics[]): ReadonlyMap<string, PodUse> {
  return new Map(
    items.flatMap(({ metadata, timestamp, window, containers }) => {
      // Not those that the cluster has put next to it.
      const { cpu, memory } = containers.find(({ name }) => name === appContainer)?.usage ?? {};
      const [processors, memoryBytes] = [quantityOf(cpu ?? ""), quantityOf(memory ?? "")];
      const [at, windowSeconds] = [Date.parse(timestamp) / 1_000, secondsOf(window)];
      if (processors === undefined || memoryBytes === undefined || windowSeconds === undefined || Number.isNaN(at)) return [];
      return [[metadata.name, { at, windowSeconds, processors, memoryBytes }] as const];
    }),
  );
}
