import type { LogLine } from "@appserver/kernel";
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
  type PullOptions,
  plainAbilities,
  type StorageOwner,
  type StorageSelection,
  type StorageView,
} from "@appserver/kernel/ports";
import { AppVolumes } from "./app-volumes.ts";
import { containerError, startError } from "./container-error.ts";
import { createdAsLabel, groupView, type InspectedContainer, nameOf } from "./container-view.ts";
import { createBody } from "./create-body.ts";
import { DockerNetworks } from "./docker-networks.ts";
import { EngineClient, EngineError } from "./engine-client.ts";
import {
  beforeNextLook,
  inspectContainer,
  isPerhapsNameConflict,
  nameConflict,
  notFound,
  removeContainer,
  startContainer,
  stopContainer,
} from "./engine-containers.ts";
import { writeIdentityFiles } from "./identity-files.ts";
import { splitImage } from "./image-reference.ts";
import { checkImageUser } from "./image-user.ts";
import { pullImage } from "./pull-image.ts";
import { readLogs } from "./read-logs.ts";
import { readAllStats } from "./read-stats.ts";
import { removeImages } from "./remove-images.ts";
import { ReplicaContainers } from "./replica-containers.ts";
import { firstOf, groupsOf, type ListedContainer, maxReplicas, newestOf } from "./replicas.ts";
import { VolumeArchives } from "./volume-archives.ts";

export interface DockerRuntimeOptions {
  /** Socket of Docker, or the compatible one of Podman (docs/reference/options.md#docker). */
  readonly socketPath: string;
  /**
   * `always` queries the registry on every pull, so a moved tag is found. `if-not-present` accepts an image that the engine
   * already has, which is required if images are built locally. Default `always`.
   */
  readonly pullPolicy?: "always" | "if-not-present";
}

interface InspectedImage {
  readonly Id: string;
  readonly RepoDigests?: readonly string[] | null;
}

/**
 * Runs containers on a Docker Engine, all with the same hardening, on user-defined networks. Keeps no state: the engine does.
 */
export class DockerRuntime implements ContainerRuntime {
  readonly driver = "docker";
  readonly abilities: EngineAbilities = { ...plainAbilities, outlivesProcess: true, maxReplicas };
  readonly networks: DockerNetworks;
  readonly #engine: EngineClient;
  readonly #pullPolicy: "always" | "if-not-present";
  readonly #volumes: AppVolumes;
  readonly #archives: VolumeArchives;
  readonly #replicas: ReplicaContainers;
  #init: Promise<boolean> | undefined;

  constructor(options: DockerRuntimeOptions) {
    this.#engine = new EngineClient(options.socketPath);
    this.#volumes = new AppVolumes(this.#engine);
    this.#archives = new VolumeArchives(this.#engine, this.#volumes);
    this.networks = new DockerNetworks(this.#engine);
    this.#replicas = new ReplicaContainers(this.#engine, () => this.#hasInit());
    this.#pullPolicy = options.pullPolicy ?? "always";
  }

  async ping(timeoutMs = 5_000): Promise<void> {
    await this.#engine.ping(timeoutMs);
  }

  async ensureNetwork(name: string): Promise<void> {
    if (await this.#network(name)) return;
    try {
      await this.#engine.request("POST", "/networks/create", { body: { Name: name, Driver: "bridge", CheckDuplicate: true } });
    } catch (error) {
      // Another replica created it first.
      if (!(await this.#network(name))) throw containerError(`network ${name}`, error);
    }
  }

  async networkGateway(name: string): Promise<string | undefined> {
    return (await this.#network(name))?.IPAM?.Config?.find((config) => config.Gateway !== undefined)?.Gateway;
  }

  async pull(image: string, options: PullOptions): Promise<{ readonly digest: string }> {
    const { digest } = splitImage(image);
    // A digest names the contents, so no registry can have newer ones.
    if (digest !== undefined && (await this.#local(image)) !== undefined) return { digest };
    if (this.#pullPolicy === "if-not-present") {
      const present = await this.#image(image);
      if (present) return { digest: digestOf(present, image) };
    }
    const reported = await pullImage(this.#engine, image, options);
    if (reported !== undefined) return { digest: reported };
    const pulled = await this.#image(image);
    if (!pulled) throw new ContainerError("pull_failed", `the engine reported ${image} as pulled and does not have it`);
    return { digest: digestOf(pulled, image) };
  }

  removeImages(images: readonly string[]): Promise<readonly string[]> {
    return removeImages(this.#engine, images);
  }

  async create(spec: ContainerSpec): Promise<ContainerView> {
    const image = (await this.#local(spec.image)) ?? spec.image;
    await this.#volumes.prepare(spec, image).catch((error: unknown) => {
      throw containerError(`the storage of ${spec.name}`, error);
    });
    const body = createBody(spec, image, await this.#hasInit());
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#engine.request("POST", "/containers/create", { query: { name: spec.name }, body });
      } catch (error) {
        if (!isPerhapsNameConflict(error)) throw createError(spec, error);
        const existing = await this.inspect(spec.name);
        // The engine reserves a name before the container is visible, and hides the container before the name is free: try
        // again.
        if (!existing && error.status === 409 && attempt < 20) {
          await beforeNextLook();
          continue;
        }
        if (!existing) throw createError(spec, error);
        if (isSameOwner(existing.labels, spec.labels)) return existing;
        throw nameConflict(existing, error);
      }
      await this.#requireUser(spec);
      return await this.#existing(spec.name);
    }
  }

  async #requireUser({ name, user }: ContainerSpec): Promise<void> {
    if (user === undefined) return;
    try {
      await checkImageUser(this.#engine, name, user);
    } catch (error) {
      await this.remove(name);
      throw containerError(name, error);
    }
  }

  async start(name: string, replicas = 1): Promise<ContainerView> {
    checkReplicas(this.driver, this.abilities, replicas);
    const container = await this.#inspected(name);
    if (!container) throw notFound(name);
    await this.#startFirst(container, name);
    await this.#replicas.scale(container, replicas);
    return await this.#existing(name);
  }

  async #startFirst(container: InspectedContainer, name: string): Promise<void> {
    try {
      await this.#volumes.restore(container);
    } catch (error) {
      throw error instanceof EngineError ? startError(name, error) : error;
    }
    await startContainer(this.#engine, name);
  }

  async stop(name: string, graceMs: number): Promise<void> {
    const container = await this.#inspected(name);
    if (!container) return;
    const all = [name, ...(await this.#replicas.of(container)).map(nameOf)];
    await Promise.all(all.map((each) => stopContainer(this.#engine, each, graceMs)));
  }

  async restart(name: string, graceMs: number): Promise<ContainerView> {
    const container = await this.#inspected(name);
    if (!container) throw notFound(name);
    const replicas = await this.#replicas.of(container);
    await stopContainer(this.#engine, name, graceMs);
    await this.#startFirst(container, name);
    for (const replica of replicas.map(nameOf)) {
      await stopContainer(this.#engine, replica, graceMs);
      await startContainer(this.#engine, replica);
    }
    return await this.#existing(name);
  }

  /** The first instance is removed last: what an interruption leaves is found by it. */
  async remove(name: string): Promise<void> {
    const container = await this.#inspected(name);
    if (container) await this.#replicas.remove(await this.#replicas.of(container));
    await removeContainer(this.#engine, name);
  }

  async rename(name: string, newName: string): Promise<ContainerView> {
    const path = `/containers/${encodeURIComponent(name)}/rename`;
    const first = name === newName ? undefined : await this.#inspected(name);
    // Otherwise the rename is refused below.
    if (first && !(await this.#inspected(newName))) await this.#replicas.rename(first, newName);
    for (let attempt = 1; name !== newName; attempt += 1) {
      try {
        await this.#engine.request("POST", path, { query: { name: newName } });
        break;
      } catch (error) {
        const [container, holder] = [await this.inspect(name), await this.inspect(newName)];
        if (container && holder) throw nameConflict(holder, error);
        if (holder?.labels[createdAsLabel] === name) return holder;
        if (!container) throw notFound(name, error);
        // As in `create`: a name may be reserved without a visible container.
        if (!isPerhapsNameConflict(error) || attempt === 20) throw containerError(name, error);
        await beforeNextLook();
      }
    }
    return await this.#existing(newName);
  }

  async writeFiles(name: string, files: readonly ContainerFile[]): Promise<void> {
    const container = await this.#inspected(name);
    if (!container) throw notFound(name);
    try {
      await writeIdentityFiles(this.#engine, { name, user: container.Config.User ?? "" }, files);
    } catch (error) {
      throw error instanceof EngineError && error.status === 404 ? notFound(name, error) : containerError(name, error);
    }
  }

  async inspect(name: string): Promise<ContainerView | undefined> {
    const container = await this.#inspected(name);
    return container && groupView(container, await this.#replicas.of(container));
  }

  /** Also removes instances whose first one was removed by hand. */
  async list(labels: Readonly<Record<string, string>>): Promise<readonly ContainerView[]> {
    const filters = JSON.stringify({ label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) });
    const { body } = await this.#engine
      .request("GET", "/containers/json", { query: { all: "true", filters } })
      .catch((error) => {
        throw containerError("the list of containers", error);
      });
    const { firsts, orphans } = groupsOf(body as readonly ListedContainer[], labels[containerLabels.instance]);
    await this.#replicas.remove(orphans);
    // The list has neither exit codes nor start times. Containers removed in between are omitted.
    const views = await Promise.all(
      [...firsts].map(async ([id, replicas]) => {
        const first = await this.#inspected(id);
        return first && groupView(first, await this.#replicas.inspectAll(replicas));
      }),
    );
    return views.filter((view) => view !== undefined);
  }

  async *logs(name: string, request: LogRequest): AsyncGenerator<readonly LogLine[]> {
    try {
      yield* readLogs(this.#engine, await this.#loggedInstance(name, request), request);
    } catch (error) {
      if (request.signal?.aborted) return;
      throw error instanceof EngineError && error.status === 404 ? notFound(name, error) : containerError(name, error);
    }
  }

  /** Returns the container of the instance whose lines are requested. */
  async #loggedInstance(name: string, { instance, ended }: LogRequest): Promise<string> {
    const wanted = instance ?? ended?.instance;
    const first = await this.#inspected(name);
    if (!first) throw notFound(name);
    if (wanted === first.Id) return wanted;
    const all = [first, ...(await this.#replicas.of(first))];
    const found = wanted === undefined ? newestOf(all) : all.find(({ Id }) => Id === wanted);
    if (!found) throw new ContainerError("not_found", `the container ${name} has no instance ${wanted}`);
    return found.Id;
  }

  async stats(name: string, signal?: AbortSignal): Promise<ContainerStats | undefined> {
    const first = await this.#inspected(name);
    if (!first) return undefined;
    const ids = [first, ...(await this.#replicas.of(first))].map(({ Id }) => Id);
    try {
      return await readAllStats(this.#engine, ids, signal);
    } catch (error) {
      throw containerError(name, error);
    }
  }

  async storage(selection: StorageSelection, measure?: { readonly signal: AbortSignal }): Promise<readonly StorageView[]> {
    return measure ? await this.#volumes.measure(selection, measure.signal) : await this.#volumes.list(selection);
  }

  async removeStorage(owner: StorageOwner, name?: string): Promise<void> {
    await this.#volumes.remove(owner, name);
  }

  readStorage(owner: StorageOwner, name: string): AsyncIterable<Uint8Array> {
    return this.#archives.read(owner, name);
  }

  async writeStorage(owner: StorageOwner, name: string, archive: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#archives.write(owner, name, archive);
  }

  async copyStorage(from: StorageOwner, to: StorageOwner, name: string, signal: AbortSignal): Promise<number> {
    return await this.#volumes.copy(from, to, name, signal);
  }

  /** Closes connections. Containers continue: they belong to the installation, not to this process. */
  async close(): Promise<void> {
    await this.#engine.close();
  }

  /** Further instances are no containers of their own. */
  async #inspected(name: string): Promise<InspectedContainer | undefined> {
    const found = await inspectContainer(this.#engine, name);
    return firstOf(found?.Config.Labels) === undefined ? found : undefined;
  }

  async #network(name: string): Promise<InspectedNetwork | undefined> {
    const path = `/networks/${encodeURIComponent(name)}`;
    const response = await this.#engine.request("GET", path, { accept: [404] }).catch((error: unknown) => {
      throw containerError(`network ${name}`, error);
    });
    return response.status === 404 ? undefined : (response.body as InspectedNetwork);
  }

  async #image(image: string): Promise<InspectedImage | undefined> {
    const { status, body } = await this.#engine
      .request("GET", `/images/${image}/json`, { accept: [404] })
      .catch((error: unknown) => {
        throw containerError(image, error);
      });
    return status === 404 ? undefined : (body as InspectedImage);
  }

  /**
   * Returns the reference under which the engine has an image that is named by digest; undefined if it does not have it. A local
   * image was never in a registry and has no digest there, so its id, which `pull` returned, is used.
   */
  async #local(image: string): Promise<string | undefined> {
    const { repository, digest } = splitImage(image);
    if (digest === undefined) return undefined;
    for (const reference of [`${repository}@${digest}`, digest]) if (await this.#image(reference)) return reference;
    return undefined;
  }

  #hasInit(): Promise<boolean> {
    this.#init ??= this.#engine.request("GET", "/info").then(({ body }) => {
      const info = body as { InitBinary?: string; InitCommit?: { ID?: string } };
      return Boolean(info.InitBinary) && info.InitCommit?.ID !== "N/A";
    });
    this.#init.catch(() => {
      this.#init = undefined;
    });
    return this.#init;
  }

  async #existing(name: string): Promise<ContainerView> {
    const view = await this.inspect(name);
    if (!view) throw notFound(name);
    return view;
  }
}

interface InspectedNetwork {
  readonly IPAM?: { readonly Config?: readonly { readonly Gateway?: string }[] | null };
}

/** Returns the image's digest in its own registry; the image's id if there is none. */
function digestOf(image: InspectedImage, reference: string): string {
  const prefix = `${splitImage(reference).repository}@`;
  return image.RepoDigests?.find((digest) => digest.startsWith(prefix))?.slice(prefix.length) ?? image.Id;
}

function createError(spec: ContainerSpec, error: unknown): unknown {
  if (error instanceof EngineError && error.status === 404) {
    return new ContainerError("image_not_found", `no image ${spec.image} on the engine`, { cause: error });
  }
  return containerError(spec.name, error);
}
