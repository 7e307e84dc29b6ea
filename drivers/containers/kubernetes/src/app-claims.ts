import type { Clock } from "@appserver/kernel";
import {
  ContainerError,
  containerLabels,
  ownerOf as ownerText,
  type StorageMount,
  type StorageOwner,
  type StorageSelection,
  type StorageView,
} from "@appserver/kernel/ports";
import { ifMissing } from "./container-errors.ts";
import { eventually } from "./eventually.ts";
import { type KubernetesClient, KubernetesError } from "./kubernetes-client.ts";
import { claimName } from "./object-names.ts";
import { type Claim, type Deployment, managedBy, storageLabel } from "./objects.ts";
import { claimOf, type WorkloadOptions } from "./workload.ts";

const removalMs = 60_000;

interface AppClaimsDeps {
  readonly client: KubernetesClient;
  readonly options: WorkloadOptions;
  readonly deployments: () => Promise<readonly Deployment[]>;
  readonly clock: Clock;
}

/** The storage of apps as PersistentVolumeClaims. A claim outlives the containers of its app. */
export class AppClaims {
  readonly #client: KubernetesClient;
  readonly #options: WorkloadOptions;
  readonly #path: string;
  readonly #deployments: () => Promise<readonly Deployment[]>;
  readonly #clock: Clock;

  constructor({ client, options, deployments, clock }: AppClaimsDeps) {
    this.#client = client;
    this.#clock = clock;
    this.#options = options;
    this.#path = `/api/v1/namespaces/${options.namespace}/persistentvolumeclaims`;
    this.#deployments = deployments;
  }

  /**
   * Makes the missing claims of an app. Rejects with `name_conflict` for one of another owner, and with `other` while one is being deleted:
   * its pods would never start.
   */
  async ensure(owner: StorageOwner, mounts: readonly StorageMount[]): Promise<void> {
    for (const mount of mounts) {
      const { name, isShared = false } = mount;
      try {
        await this.#client.call("POST", this.#path, { body: claimOf(owner, mount, this.#options) });
        continue;
      } catch (error) {
        if (!(error instanceof KubernetesError) || error.status !== 409) throw error;
      }
      const existing = await this.#find(owner, name);
      if (existing?.metadata.deletionTimestamp !== undefined)
        throw new ContainerError("other", `the claim ${existing.metadata.name} is being deleted`);
      if (existing && !isOf(existing, owner))
        throw new ContainerError(
          "name_conflict",
          `the claim ${existing.metadata.name} is in use by ${ownerText(existing.metadata.labels ?? {})}`,
        );
      if (existing && isShared && !existing.spec.accessModes?.includes("ReadWriteMany"))
        throw new ContainerError(
          "refused",
          `the claim ${existing.metadata.name} is for one machine, and the app wants to share it`,
        );
    }
  }

  async list({ instance, appId }: StorageSelection): Promise<readonly StorageView[]> {
    const wanted = { ...managedBy, [containerLabels.instance]: instance, ...(appId ? { [containerLabels.appId]: appId } : {}) };
    const labelSelector = Object.entries(wanted)
      .map(([name, value]) => `${name}=${value}`)
      .join(",");
    const { items } = await this.#client.call<{ readonly items: readonly Claim[] }>("GET", this.#path, {
      query: { labelSelector },
    });
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => ({
        instance,
        appId: metadata.labels?.[containerLabels.appId] ?? "",
        name: metadata.labels?.[storageLabel] ?? "",
        createdAt: new Date(metadata.creationTimestamp),
      }));
  }

  /** Without a name: all of the app. Rejects while a container has one of them. Resolves when they no longer exist. */
  async remove(owner: StorageOwner, name?: string): Promise<void> {
    const names = name === undefined ? (await this.list(owner)).map((each) => each.name) : [name];
    for (const each of names) {
      const claim = claimName(owner, each);
      const user = (await this.#deployments()).find(({ spec }) =>
        spec.template.spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim),
      );
      if (user) throw new ContainerError("other", `the storage ${each} is in use by ${user.metadata.name}`);
    }
    for (const each of names) {
      const found = await this.#find(owner, each);
      if (!found || !isOf(found, owner)) continue;
      const path = `${this.#path}/${found.metadata.name}`;
      await this.#client.call("DELETE", path, { body: { preconditions: { uid: found.metadata.uid } } }).catch(ifMissing);
      const isDeleted = async () => (await this.#find(owner, each))?.metadata.uid !== found.metadata.uid;
      await eventually(this.#clock, isDeleted, { ms: removalMs, what: `the claim ${found.metadata.name} is deleted` });
    }
  }

  #find(owner: StorageOwner, name: string): Promise<Claim | undefined> {
    return this.#client.find<Claim>(`${this.#path}/${claimName(owner, name)}`);
  }
}

function isOf({ metadata: { labels = {} } }: Claim, { instance, appId }: StorageOwner): boolean {
  return labels[containerLabels.instance] === instance && labels[containerLabels.appId] === appId;
}
