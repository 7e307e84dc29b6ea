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
import { archiveHelperName, helperFolder, helperName, noImage, removeHelper, withHelper } from "./volume-helper.ts";
import { volumeName } from "./volume-mounts.ts";

/** Label of a volume with the name of the storage. */
const storageLabel = "appserver.storage";

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
    const filters = JSON.stringify({
      label: [storageLabel, ...labelsOf(selection).map(([name, value]) => `${name}=${value}`)],
    });
    const { body } = await this.#request("GET", "/volumes", { query: { filters } });
    return viewsOf((body as { readonly Volumes: readonly Volume[] | null }).Volumes);
  }

  async measure(selection: StorageSelection, signal: AbortSignal): Promise<readonly StorageView[]> {
    const { body } = await this.#request("GET", "/system/df", {
      query: { type: "volume" },
      timeoutMs: measureTimeoutMs,
      signal,
    });
    const { Volumes } = body as { readonly Volumes: readonly Volume[] | null };
    const ours = Volumes?.filter(({ Labels }) => labelsOf(selection).every(([name, value]) => Labels?.[name] === value));
    return viewsOf(ours ?? []);
  }

  async remove(owner: StorageOwner, name?: string): Promise<void> {
    const volumes = name === undefined ? (await this.list(owner)).map((storage) => storage.name) : [name];
    // Left by a process that was killed, they would keep the volumes in use.
    for (const helper of [helperName(owner), archiveHelperName(owner)]) await removeHelper(this.#engine, helper);
    for (const each of volumes) {
      await this.#request("DELETE", `/volumes/${encodeURIComponent(volumeName(owner, each))}`, { accept: [404] });
    }
  }

  /** Creates a volume, or finds that of the same owner. Returns its name. */
  async create(owner: StorageOwner, name: string): Promise<string> {
    const Name = volumeName(owner, name);
    const Labels = { ...Object.fromEntries(labelsOf(owner)), [storageLabel]: name };
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

function storageOwnerOf(labels: Readonly<Record<string, string>>): StorageOwner {
  return { instance: labels[containerLabels.instance] ?? "", appId: labels[containerLabels.appId] ?? "" };
}

function labelsOf({ instance, appId }: StorageSelection): [string, string][] {
  const app: [string, string][] = appId === undefined ? [] : [[containerLabels.appId, appId]];
  return [[containerLabels.instance, instance], ...app];
}

function viewsOf(volumes: readonly Volume[] | null): readonly StorageView[] {
  return (volumes ?? []).flatMap(({ CreatedAt, Labels, UsageData }) => {
    const name = Labels?.[storageLabel];
    if (!Labels || name === undefined) return [];
    const [instance = "", appId = ""] = [Labels[containerLabels.instance], Labels[containerLabels.appId]];
    // -1: the engine could not measure it.
    const isMeasured = UsageData != null && UsageData.Size >= 0;
    const used = isMeasured ? { usedBytes: UsageData.Size } : {};
    return [{ instance, appId, name, createdAt: new Date(CreatedAt ?? 0), ...used }];
  });
}
