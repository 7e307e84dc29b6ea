import type { Clock } from "@appserver/kernel";
import { ContainerError, ownerOf as ownerText } from "@appserver/kernel/ports";
import { isConflict } from "./container-errors.ts";
import { type KubernetesClient, KubernetesError, mergePatch } from "./kubernetes-client.ts";
import { managedBy, objectLabel } from "./objects.ts";
import type { Parts } from "./workload.ts";

/** How long the cluster may take to delete the parts of a removed container of the same name. */
const collectionMs = 30_000;
const tryEveryMs = 500;

interface OwnedPartsDeps {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  /** Of the collections in the namespace of the apps. */
  readonly paths: Readonly<Record<"services" | "secrets" | "budgets" | "autoscalers", string>>;
}

interface Found {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}

interface Owner {
  /** Of the Deployment. */
  readonly name: string;
  readonly uid: string;
}

/** What belongs to the Deployment of a container: its Service, its Secrets and what scales it. */
export class OwnedParts {
  readonly #client: KubernetesClient;
  readonly #clock: Clock;
  readonly #paths: OwnedPartsDeps["paths"];

  constructor({ client, clock, paths }: OwnedPartsDeps) {
    this.#client = client;
    this.#clock = clock;
    this.#paths = paths;
  }

  /**
   * Makes the parts. Those that a killed process has made get the present contents. Rejects with `name_conflict` if another program has the
   * name of one.
   */
  async make(owner: Owner, { environment, identity, service, budget, autoscaler }: Parts): Promise<void> {
    await Promise.all([
      this.#make(this.#paths.secrets, environment, owner),
      this.#make(this.#paths.secrets, identity, owner),
      this.#make(this.#paths.services, service, owner),
      this.#make(this.#paths.budgets, budget, owner),
      ...(autoscaler ? [this.#make(this.#paths.autoscalers, autoscaler, owner)] : []),
    ]);
  }

  async #make(path: string, body: { readonly metadata: { readonly name: string }; readonly data?: object }, owner: Owner) {
    const { name } = body.metadata;
    const end = this.#clock.monotonic() + collectionMs;
    while (!(await this.#isMade(path, body))) {
      const found = await this.#find(path, name);
      if (found?.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid)) {
        const { data } = body;
        if (data) await this.#client.call("PATCH", `${path}/${name}`, { contentType: mergePatch, body: { data } });
        return;
      }
      if (found && (!isPartOf(owner, found) || this.#clock.monotonic() > end))
        throw new ContainerError("name_conflict", `the name ${name} is in use by ${holderOf(owner, found)}`);
      await this.#clock.sleep(tryEveryMs);
    }
  }

  /** Returns false if the name is in use. */
  async #isMade(path: string, body: object): Promise<boolean> {
    try {
      await this.#client.call("POST", path, { body });
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  /** By a change of nothing: the role may not get Secrets. */
  async #find(path: string, name: string): Promise<Found | undefined> {
    try {
      return await this.#client.call<Found>("PATCH", `${path}/${name}`, { contentType: mergePatch, body: {} });
    } catch (error) {
      if (error instanceof KubernetesError && error.status === 404) return undefined;
      throw error;
    }
  }
}

function holderOf(owner: Owner, found: Found): string {
  return isPartOf(owner, found) ? "a container that is ending" : ownerText(found.metadata.labels ?? {});
}

/** Returns whether it is a part of a container of this name, whose Deployment may no longer exist. */
function isPartOf({ name }: Owner, { metadata: { labels = {} } }: Found): boolean {
  const wanted = { ...managedBy, [objectLabel]: name };
  return Object.entries(wanted).every(([label, value]) => labels[label] === value);
}
