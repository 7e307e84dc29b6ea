import type { Clock, Logger } from "@appserver/kernel";
import { ContainerError, type ContainerView } from "@appserver/kernel/ports";
import { asContainerError, ifMissing, notFound } from "./container-errors.ts";
import { containerNameOf, containerView, isAlive, isComplete } from "./container-view.ts";
import { eventually } from "./eventually.ts";
import { type KubernetesClient, mergePatch } from "./kubernetes-client.ts";
import { Mirror } from "./mirror.ts";
import { type Deployment, managedSelector as labelSelector, objectLabel, type Pod } from "./objects.ts";

interface ClusterContainersDeps {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the collections in the namespace of the apps. */
  readonly paths: Readonly<Record<"deployments" | "pods", string>>;
}

/** After its grace, until a pod no longer exists. */
const endMs = 60_000;
/** After its grace, until a pod without a claim is deleted without its machine, which is lost: nothing it has can be damaged. */
const forceMs = 30_000;
/** While the watch pauses after a failure of the server, the driver asks for the state instead. */
const askEveryMs = 1_000;

/** The containers of the namespace as the API server has them: their Deployments and pods. */
export class ClusterContainers {
  readonly #client: KubernetesClient;
  readonly #clock: Clock;
  readonly #paths: ClusterContainersDeps["paths"];
  readonly #deployments: Mirror<Deployment>;
  readonly #pods: Mirror<Pod>;

  constructor({ client, clock, logger, paths }: ClusterContainersDeps) {
    this.#client = client;
    this.#clock = clock;
    this.#paths = paths;
    this.#deployments = new Mirror({ client, labelSelector, clock, logger, path: paths.deployments });
    this.#pods = new Mirror({ client, labelSelector, clock, logger, path: paths.pods });
  }

  async all(): Promise<readonly Deployment[]> {
    return await readable(this.#deployments.all());
  }

  /** Returns a Deployment by its own name. */
  async get(object: string): Promise<Deployment | undefined> {
    return await readable(this.#deployments.get(object));
  }

  /** Returns the Deployment of a container by the name of the container. */
  async named(name: string): Promise<Deployment | undefined> {
    return (await this.all()).find((deployment) => containerNameOf(deployment) === name);
  }

  /** Rejects with `not_found` also for one that is being deleted. */
  async require(name: string): Promise<Deployment> {
    const deployment = await this.named(name);
    if (deployment && deployment.metadata.deletionTimestamp === undefined) return deployment;
    throw notFound(name);
  }

  /** Returns the pods that have not ended. */
  async podsOf(deployment: Deployment): Promise<readonly Pod[]> {
    return (await this.#allPodsOf(deployment)).filter(isAlive);
  }

  async view(deployment: Deployment): Promise<ContainerView> {
    return containerView(deployment, await this.#allPodsOf(deployment));
  }

  async #allPodsOf({ metadata }: Deployment): Promise<readonly Pod[]> {
    const pods = await readable(this.#pods.all());
    return pods.filter((pod) => pod.metadata.labels?.[objectLabel] === metadata.name);
  }

  /** Keeps the response to a write. */
  put(deployment: Deployment): void {
    this.#deployments.put(deployment);
  }

  /** Changes fields of a Deployment. Rejects with KubernetesError. */
  async patch(object: string, body: object): Promise<Deployment> {
    const path = `${this.#paths.deployments}/${object}`;
    const patched = await this.#client.call<Deployment>("PATCH", path, { contentType: mergePatch, body });
    this.put(patched);
    return patched;
  }

  /** Rejects also for one that must be created again first, because a process was killed while it created it. */
  async requireComplete(name: string): Promise<Deployment> {
    const deployment = await this.require(name);
    if (isComplete(deployment)) return deployment;
    throw new ContainerError("other", `the container ${name} is incomplete: it must be created again`);
  }

  /** Ends the pods of a Deployment that wants none, and waits until none exists. */
  async endPods(deployment: Deployment, seconds: number): Promise<void> {
    const { terminationGracePeriodSeconds, volumes } = deployment.spec.template.spec;
    const hasClaim = volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined) ?? false;
    const shortened = new Set<string>();
    const forced = new Set<string>();
    const forceAt = this.#clock.monotonic() + seconds * 1_000 + forceMs;
    let askAt = this.#clock.monotonic() + askEveryMs;
    let left: readonly Pod[] = [];
    const haveEnded = async (): Promise<boolean> => {
      // Until then, a pod that an earlier number of instances asked for may still be made.
      if (!(await this.#isObserved(deployment))) {
        if (this.#clock.monotonic() < askAt) return false;
        askAt = this.#clock.monotonic() + askEveryMs;
        const current = await this.#client.find<Deployment>(`${this.#paths.deployments}/${deployment.metadata.name}`);
        if (current) this.put(current);
        return false;
      }
      left = await this.podsOf(deployment);
      // The controller of the Deployment gives each the time of the template.
      if (seconds !== terminationGracePeriodSeconds) await this.#endOnce(left, seconds, shortened);
      if (!hasClaim && this.#clock.monotonic() > forceAt) await this.#endOnce(left, 0, forced);
      return left.length === 0;
    };
    const what = (): string => {
      const machines = left.flatMap(({ spec }) => spec.nodeName ?? []);
      const of = hasClaim && machines.length > 0 ? ` on ${machines.join(", ")}, which may be lost` : "";
      return `${containerNameOf(deployment)} has ended${of}`;
    };
    await eventually(this.#clock, haveEnded, { ms: seconds * 1_000 + endMs, what });
  }

  /** Returns whether the controller has seen the present state of the Deployment, or it no longer exists. */
  async #isObserved({ metadata: { name, uid } }: Deployment): Promise<boolean> {
    const current = await this.get(name);
    if (current?.metadata.uid !== uid) return true;
    return (current.status?.observedGeneration ?? 0) >= (current.metadata.generation ?? 0);
  }

  async #endOnce(pods: readonly Pod[], seconds: number, done: Set<string>): Promise<void> {
    for (const { metadata } of pods) {
      if (done.has(metadata.uid)) continue;
      done.add(metadata.uid);
      const body = { gracePeriodSeconds: seconds, preconditions: { uid: metadata.uid } };
      await this.#client.call("DELETE", `${this.#paths.pods}/${metadata.name}`, { body }).catch(ifMissing);
    }
  }

  /** Calls `listener` with the name of a container that changed, until the returned function is called. */
  onChange(listener: (name: string) => void): () => void {
    const ofDeployments = this.#deployments.onChange((deployment) => listener(containerNameOf(deployment)));
    const ofPods = this.#pods.onChange(({ metadata }) => {
      void this.get(metadata.labels?.[objectLabel] ?? "").then(
        (deployment) => deployment && listener(containerNameOf(deployment)),
        () => {},
      );
    });
    return () => {
      ofDeployments();
      ofPods();
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#deployments.close(), this.#pods.close()]);
  }
}

async function readable<T>(read: Promise<T>): Promise<T> {
  return await read.catch((error: unknown) => {
    throw asContainerError("the list of containers", error);
  });
}
