import type { Clock, Logger } from "@appserver/kernel";
import type { ContainerView } from "@appserver/kernel/ports";
import { asContainerError, ifMissing, notFound } from "./container-errors.ts";
import { containerNameOf, containerView } from "./container-view.ts";
import { eventually } from "./eventually.ts";
import { type KubernetesClient, mergePatch } from "./kubernetes-client.ts";
import { Mirror } from "./mirror.ts";
import { type Deployment, managedBy, objectLabel, type Pod } from "./objects.ts";

interface ClusterContainersDeps {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the collections in the namespace of the apps. */
  readonly paths: Readonly<Record<"deployments" | "pods", string>>;
}

const labelSelector = Object.entries(managedBy)
  .map(([name, value]) => `${name}=${value}`)
  .join(",");
/** After its grace, until a pod no longer exists. */
const endMs = 60_000;

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
    return await this.#deployments.all().catch((error: unknown) => {
      throw asContainerError("the list of containers", error);
    });
  }

  /** Returns a Deployment by its own name. */
  async get(object: string): Promise<Deployment | undefined> {
    return await this.#deployments.get(object);
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

  async podsOf({ metadata }: Deployment): Promise<readonly Pod[]> {
    const pods = await this.#pods.all();
    return pods.filter((pod) => pod.metadata.labels?.[objectLabel] === metadata.name);
  }

  async view(deployment: Deployment): Promise<ContainerView> {
    return containerView(deployment, await this.podsOf(deployment));
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

  /** Ends the pods of a Deployment that wants none, and waits until none exists. */
  async endPods(deployment: Deployment, seconds: number): Promise<void> {
    const ofTemplate = deployment.spec.template.spec.terminationGracePeriodSeconds;
    const shortened = new Set<string>();
    const haveEnded = async (): Promise<boolean> => {
      const pods = await this.podsOf(deployment);
      // The controller of the Deployment gives each the time of the template.
      for (const { metadata } of seconds === ofTemplate ? [] : pods) {
        if (shortened.has(metadata.uid)) continue;
        shortened.add(metadata.uid);
        const body = { gracePeriodSeconds: seconds, preconditions: { uid: metadata.uid } };
        await this.#client.call("DELETE", `${this.#paths.pods}/${metadata.name}`, { body }).catch(ifMissing);
      }
      return pods.length === 0;
    };
    const what = `${containerNameOf(deployment)} has ended`;
    await eventually(this.#clock, haveEnded, { ms: seconds * 1_000 + endMs, what });
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
