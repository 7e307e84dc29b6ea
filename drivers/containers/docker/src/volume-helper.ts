import { tar } from "@appserver/contracts/folder-images";
import { ContainerError, containerLabels, type StorageOwner } from "@appserver/kernel/ports";
import { type EngineClient, EngineError } from "./engine-client.ts";

/** Label of a container through which this driver reaches volumes. It never runs. */
export const helperLabel = "appserver.storage-helper";
/** Where the helper has the volumes. */
export const helperFolder = "appserver-storage";

/** Of the image without programs that helpers are made of. */
export const helperRepository = "appserver-storage-helper";
const helperTag = "1";

export interface VolumeHelper {
  /** The engine has it. */
  readonly image: string;
  /** Name of the container. One that a killed process left under this name is replaced. */
  readonly helper: string;
}

/**
 * Does work while a container has volumes, each at a name in {@link helperFolder}. `work` gets the path of the container in the API, for
 * its archive interface.
 */
export async function withHelper<T>(
  engine: EngineClient,
  { image, helper }: VolumeHelper,
  volumes: Readonly<Record<string, string>>,
  work: (path: string) => Promise<T>,
): Promise<T> {
  await createHelper(engine, { image, helper }, volumes);
  try {
    return await work(`/containers/${helper}`);
  } finally {
    await removeHelper(engine, helper);
  }
}

async function createHelper(
  engine: EngineClient,
  { image, helper }: VolumeHelper,
  volumes: Readonly<Record<string, string>>,
): Promise<void> {
  const Mounts = Object.entries(volumes).map(([name, Source]) => ({
    Type: "volume",
    Source,
    Target: `/${helperFolder}/${name}`,
    VolumeOptions: { NoCopy: true },
  }));
  const body = {
    Image: image,
    Entrypoint: ["/"],
    Labels: { [helperLabel]: "true", [containerLabels.gateway]: "" },
    HostConfig: { NetworkMode: "none", Mounts },
  };
  const create = (accept: readonly number[]) =>
    engine.request("POST", "/containers/create", { query: { name: helper }, body, accept });
  let { status } = await create([404, 409]);
  if (status === 409) {
    await removeHelper(engine, helper);
    ({ status } = await create([404]));
  }
  if (status === 404) throw noImage(image);
}

/** `v` removes the anonymous volumes that the image declares, and no named one. */
export async function removeHelper(engine: EngineClient, helper: string): Promise<void> {
  await engine.request("DELETE", `/containers/${helper}`, { query: { force: "true", v: "true" }, accept: [404, 409] });
}

export function noImage(image: string): ContainerError {
  return new ContainerError("image_not_found", `no image ${image} on the engine`);
}

/** The helper that sets the owners of volumes. */
export function helperName({ instance, appId }: StorageOwner): string {
  return `${helperPrefix(instance)}${appId}`;
}

/** The helper that reads what is copied to an app. Another app may get a copy of the same volume at the same time. */
export function sourceHelperName({ instance, appId }: StorageOwner): string {
  return `${helperPrefix(instance)}source_${appId}`;
}

/** The helper that reads and writes a volume. No app has a name with this beginning. */
export function archiveHelperName({ instance, appId }: StorageOwner): string {
  return `${helperPrefix(instance)}archive_${appId}`;
}

/** Does not begin like the container of an app. */
export function helperPrefix(instance: string): string {
  return `appserver-storage-${instance}-`;
}

/** Returns an image for helpers, which this driver imports if it is missing: an engine may have no image of an app. */
export async function emptyImage(engine: EngineClient): Promise<string> {
  const image = `${helperRepository}:${helperTag}`;
  const { status } = await engine.request("GET", `/images/${image}/json`, { accept: [404] });
  if (status !== 404) return image;
  const lines = engine.lines("POST", "/images/create", {
    query: { fromSrc: "-", repo: helperRepository, tag: helperTag },
    headers: { "content-type": "application/x-tar" },
    body: tar([{ kind: "folder", path: helperFolder }]),
  });
  for await (const line of lines) {
    const { error } = line as { readonly error?: string };
    if (error !== undefined) throw new EngineError(200, error);
  }
  return image;
}
