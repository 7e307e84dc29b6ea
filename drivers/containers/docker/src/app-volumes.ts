import { tar } from "@appserver/contracts/folder-images";
import {
  ContainerError,
  type ContainerSpec,
  containerLabels,
  isSameOwner,
  ownerOf,
  type StorageOwner,
  type StorageSelection,
  type StorageView,
} from "@appserver/kernel/ports";
import { containerError } from "./container-error.ts";
import type { InspectedContainer } from "./container-view.ts";
import type { EngineClient } from "./engine-client.ts";
import {
  archiveHelperName,
  emptyImage,
  helperFolder,
  helperName,
  noImage,
  removeHelper,
  sourceHelperName,
  withHelper,
} from "./volume-helper.ts";
import { storageOwnerOf, volumeName } from "./volume-mounts.ts";

/** Label of a volume with the name of the storage. */
const storageLabel = "appserver.storage";
/** Label of an empty volume with the name of a storage whose copy is not complete. */
const copyingLabel = "appserver.storage-copying";

/** The used fields of `GET /volumes` and of `Volumes` in `GET /system/df`. */
interface Volume {
  readonly Name: string;
  readonly CreatedAt?: string;
  readonly Labels: Readonly<Record<string, string>> | null;
  readonly UsageData?: { readonly Size: number } | null;
}

/** Numeric ids of the user and group that the files of a container belong to. */
interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

interface VolumeCopy {
  readonly from: StorageOwner;
  readonly to: StorageOwner;
  readonly name: string;
  readonly image: string;
  readonly signal: AbortSignal;
}

/** Maximum time of `GET /system/df`, which reads every file of every volume. */
const measureTimeoutMs = 600_000;

/** Keeps the storage of apps in one named volume each (docs/interface/containers.md#storage). */
export class AppVolumes {
  readonly #engine: EngineClient;

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  /**
   * Creates the missing volumes of a container, and sets the owner of each. `image` is the reference under which the engine has
   * the image.
   */
  async prepare(spec: ContainerSpec, image: string): Promise<void> {
    const { storage = [] } = spec;
    if (storage.length === 0) return;
    try {
      const owner = ownerOfUser(spec.user ?? (await this.#userOf(image)), image);
      await this.#requireComplete(storageOwnerOf(spec.labels), storage);
      const volumes: string[] = [];
      for (const { name } of storage) volumes.push(await this.create(storageOwnerOf(spec.labels), name));
      await this.#chown(volumes, owner, { image, helper: helperName(storageOwnerOf(spec.labels)) });
    } catch (error) {
      throw containerError(`the storage of ${spec.name}`, error);
    }
  }

  /** Sets the owner of the storage of a container again: a release that ran as another user may have had it. */
  async restore({ Image, Config, Mounts = [] }: InspectedContainer): Promise<void> {
    const owner = storageOwnerOf(Config.Labels ?? {});
    const prefix = volumeName(owner, "");
    const volumes = Mounts.flatMap(({ Name = "" }) => (Name.startsWith(prefix) ? Name : []));
    if (volumes.length === 0) return;
    await this.#chown(volumes, ownerOfUser(Config.User ?? "", Image), { image: Image, helper: helperName(owner) });
  }

  async list(selection: StorageSelection): Promise<readonly StorageView[]> {
    return completeViewsOf(await this.#volumesOf(selection));
  }

  async #volumesOf(selection: StorageSelection): Promise<readonly Volume[]> {
    const filters = JSON.stringify({ label: labelsOf(selection).map(([name, value]) => `${name}=${value}`) });
    const { body } = await this.#request("GET", "/volumes", { query: { filters } });
    return (body as { readonly Volumes: readonly Volume[] | null }).Volumes ?? [];
  }

  async measure(selection: StorageSelection, signal: AbortSignal): Promise<readonly StorageView[]> {
    const { body } = await this.#request("GET", "/system/df", {
      query: { type: "volume" },
      timeoutMs: measureTimeoutMs,
      signal,
    });
    const { Volumes } = body as { readonly Volumes: readonly Volume[] | null };
    const ours = Volumes?.filter(({ Labels }) => labelsOf(selection).every(([name, value]) => Labels?.[name] === value));
    return completeViewsOf(ours ?? []);
  }

  async remove(owner: StorageOwner, name?: string): Promise<void> {
    const volumes = name === undefined ? namesOf(await this.#volumesOf(owner)) : [name];
    // Left by a process that was killed, they would keep the volumes in use.
    for (const helper of [helperName(owner), sourceHelperName(owner), archiveHelperName(owner)])
      await removeHelper(this.#engine, helper);
    for (const each of volumes)
      for (const volume of [volumeName(owner, each), markerName(owner, each)]) await this.#removeVolume(volume);
  }

  /**
   * Replaces a volume by a copy. An engine cannot rename volumes, so another one marks the copy until it is complete. Returns the size of
   * the archive that was copied.
   */
  async copy(from: StorageOwner, to: StorageOwner, name: string, signal: AbortSignal): Promise<number> {
    if (!(await this.list(from)).some((storage) => storage.name === name))
      throw new ContainerError("not_found", `there is no storage ${name} to copy`);
    try {
      for (const helper of [helperName(to), sourceHelperName(to)]) await removeHelper(this.#engine, helper);
      await this.create(to, name, { volume: markerName(to, name), label: copyingLabel });
      await this.#removeVolume(volumeName(to, name));
      await this.create(to, name);
      const bytes = await this.#copyFiles({ from, to, name, image: await emptyImage(this.#engine), signal });
      await this.#removeVolume(markerName(to, name));
      return bytes;
    } catch (error) {
      signal.throwIfAborted();
      throw containerError(`the storage ${name}`, error);
    }
  }

  /** Copies through the archive interface, with two containers that never run. */
  async #copyFiles({ from, to, name, image, signal }: VolumeCopy): Promise<number> {
    const [reader, writer] = [sourceHelperName(to), helperName(to)];
    let size = 0;
    const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        size += chunk.length;
        yield chunk;
      }
    };
    await withHelper(this.#engine, { image, helper: reader }, { 0: volumeName(from, name) }, (source) =>
      withHelper(this.#engine, { image, helper: writer }, { 0: volumeName(to, name) }, async (target) => {
        const files = this.#engine.bytes(`${source}/archive`, { path: `/${helperFolder}/0` }, signal);
        await this.#engine.request("PUT", `${target}/archive`, {
          query: { path: `/${helperFolder}` },
          headers: { "content-type": "application/x-tar" },
          body: counted(files),
          timeoutMs: 0,
          signal,
        });
      }),
    );
    return size;
  }

  async #requireComplete(owner: StorageOwner, storage: readonly { readonly name: string }[]): Promise<void> {
    const incomplete = copyingOf(await this.#volumesOf(owner));
    const found = storage.find(({ name }) => incomplete.has(volumeName(owner, name)));
    if (found) throw new ContainerError("other", `the copy that replaces the storage ${found.name} was interrupted`);
  }

  async #removeVolume(volume: string): Promise<void> {
    await this.#request("DELETE", `/volumes/${encodeURIComponent(volume)}`, { accept: [404] });
  }

  /** Creates a volume, or finds that of the same owner. Returns its name. */
  async create(
    owner: StorageOwner,
    name: string,
    { volume: Name, label } = { volume: volumeName(owner, name), label: storageLabel },
  ): Promise<string> {
    const Labels = { ...Object.fromEntries(labelsOf(owner)), [label]: name };
    // Returns the existing one, if there is one.
    const { body } = await this.#engine.request("POST", "/volumes/create", { body: { Name, Labels } });
    const holder = (body as Volume).Labels ?? {};
    if (isSameOwner(holder, Labels)) return Name;
    throw new ContainerError("name_conflict", `the volume ${Name} is in use by ${ownerOf(holder)}`);
  }

  async #userOf(image: string): Promise<string> {
    const { status, body } = await this.#engine.request("GET", `/images/${image}/json`, { accept: [404] });
    if (status === 404) throw noImage(image);
    return (body as { readonly Config?: { readonly User?: string } | null }).Config?.User ?? "";
  }

  /**
   * Sets owner and mode of the volumes through the archive interface, as the user of the app cannot. The container of the app has
   * a read-only root, which refuses archives, so another one has the volumes for a moment. It never runs.
   */
  async #chown(
    volumes: readonly string[],
    owner: FileOwner,
    by: { readonly image: string; readonly helper: string },
  ): Promise<void> {
    await withHelper(this.#engine, by, Object.fromEntries(volumes.entries()), async (path) => {
      const folders = volumes.map((_, index) => ({ kind: "folder", path: String(index), mode: 0o700, owner }) as const);
      await this.#engine.request("PUT", `${path}/archive`, {
        query: { path: `/${helperFolder}` },
        headers: { "content-type": "application/x-tar" },
        body: tar(folders),
      });
    });
  }

  async #request(...request: Parameters<EngineClient["request"]>): ReturnType<EngineClient["request"]> {
    try {
      return await this.#engine.request(...request);
    } catch (error) {
      throw containerError("the storage of apps", error);
    }
  }
}

/** An empty user is root. Any other name is not unique across images. */
function ownerOfUser(user: string, image: string): FileOwner {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(user === "" || user === "root" ? "0:0" : user) ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid ?? uid) };
  const expected = "an app with storage needs a number, such as 1000:1000";
  throw new ContainerError("start_failed", `the user of the image ${image} is ${JSON.stringify(user)}; ${expected}`);
}

function labelsOf({ instance, appId }: StorageSelection): [string, string][] {
  const app: [string, string][] = appId === undefined ? [] : [[containerLabels.appId, appId]];
  return [[containerLabels.instance, instance], ...app];
}

/** Returns the name of the volume that marks an incomplete copy. No storage has it, because their names have no dots. */
function markerName(owner: StorageOwner, name: string): string {
  return volumeName(owner, `${name}.copying`);
}

/** Returns the names of all storage, also of incomplete copies. */
function namesOf(volumes: readonly Volume[]): readonly string[] {
  return [...new Set(volumes.flatMap(({ Labels }) => Labels?.[storageLabel] ?? Labels?.[copyingLabel] ?? []))];
}

/** Returns the names of the volumes with incomplete copies. */
function copyingOf(volumes: readonly Volume[]): ReadonlySet<string> {
  return new Set(
    volumes.flatMap(({ Labels }) => {
      const name = Labels?.[copyingLabel];
      return Labels && name !== undefined ? volumeName(storageOwnerOf(Labels), name) : [];
    }),
  );
}

function completeViewsOf(volumes: readonly Volume[]): readonly StorageView[] {
  const incomplete = copyingOf(volumes);
  return volumes.flatMap(({ CreatedAt, Labels, UsageData }) => {
    const name = Labels?.[storageLabel];
    if (!Labels || name === undefined) return [];
    const owner = storageOwnerOf(Labels);
    if (incomplete.has(volumeName(owner, name))) return [];
    // -1: the engine could not measure it.
    const isMeasured = UsageData != null && UsageData.Size >= 0;
    const used = isMeasured ? { usedBytes: UsageData.Size } : {};
    return [{ ...owner, name, createdAt: new Date(CreatedAt ?? 0), ...used }];
  });
}
