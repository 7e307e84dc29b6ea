import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { isAppName } from "@appserver/contracts/names";
import type { AppImageSource, ProcessImage } from "@appserver/driver";
import { ContainerError, type ContainerRuntime, type ContainerView, containerLabels } from "@appserver/kernel/ports";
import { ConfigError } from "@appserver/options";
import type { OrchestrationOptions } from "@appserver/orchestration";
import { folderBackend, manifestFile } from "@appserver/sdk";
import { findPackages, pythonFolder } from "../../../../examples/python-packages.ts";
import type { DevConfig } from "../config/dev-config.ts";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import { linkedImages, linkedTag } from "../dev/dev-data-folder.ts";
import {
  devRegistry,
  type ExampleApp,
  exampleImage,
  galleryFolder,
  galleryPrefix,
  runnableExamples,
} from "../dev/example-apps.ts";
import { folderImage } from "./folder-image.ts";

/**
 * Returns what the process driver runs for an image reference: the folder to which `images/{app}/{tag}` of the data folder links
 * (docs/interface/containers.md#drivers), or a sample app. Undefined if there is no such image.
 */
function devImage(image: string, config: DevConfig): ProcessImage | undefined {
  // A digest belongs to no tag. The folder is that of the tag that is linked.
  const [name = "", tag = linkedTag] = image.slice(`${devRegistry}/`.length).split(":");
  const folder = join(linkedImages(config.dev.dataDir), name, tag);
  // An app in a container may write to /tmp; an app as a process gets a persistent folder.
  const dataFolder = (appName: string): string => join(config.dev.dataDir, "apps", appName);
  if (existsSync(folder)) return folderImage(folder, dataFolder(name));
  const app = runnableExamples.find((example) => example.image === image) ?? galleryAppOf(image);
  return app && folderImage(app.folder, dataFolder(app.name));
}

/** Returns the app of the gallery that runs from an image. */
function galleryAppOf(image: string): ExampleApp | undefined {
  const name = image.slice(`${devRegistry}/`.length, -":latest".length);
  const folder = join(galleryFolder, name.slice(galleryPrefix.length));
  if (!isAppName(name) || image !== exampleImage(name) || !name.startsWith(galleryPrefix)) return undefined;
  return existsSync(join(folder, manifestFile)) ? { name, folder } : undefined;
}

/** Opens the configured container runtime. */
export function openDevContainers(config: DevConfig): Promise<ContainerRuntime> {
  return openDriver(config.drivers.containers, {
    pullPolicy: "if-not-present",
    processes: {
      stateFolder: join(config.dev.dataDir, "processes"),
      // Commands name `node` and `python3` without their folders, so that a snapshot stays runnable when they move.
      path: [dirname(process.execPath), ...developersPython(), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      images: (image) => devImage(image, config),
      stopOnClose: true,
    },
  });
}

/** Copies the linked folder of an app, unless there is such a copy, and returns its digest. Undefined without a linked folder. */
export async function takeFolder(
  appName: string,
  { dev }: DevConfig,
  runtime: Promise<ContainerRuntime>,
): Promise<string | undefined> {
  if (!existsSync(join(linkedImages(dev.dataDir), appName, linkedTag))) return undefined;
  const image = `${devRegistry}/${appName}:${linkedTag}`;
  const { digest } = await (await runtime).pull(image, { signal: AbortSignal.timeout(takeWithinMs) });
  return digest;
}

const takeWithinMs = 60_000;

/** A virtual environment that is active counts. */
function developersPython(): readonly string[] {
  const folder = pythonFolder();
  return folder === undefined ? [] : [folder];
}

/** Returns the address of this machine on the containers' network. Undefined if containers share its loopback interface. */
export async function appNetworkAddress(runtime: ContainerRuntime, network: string): Promise<string | undefined> {
  await runtime.ensureNetwork(network);
  return await runtime.networkGateway(network);
}

/** Rejects with a ConfigError that says what to do if the engine does not respond. */
export async function reachContainers(runtime: ContainerRuntime, { drivers }: Pick<DevConfig, "drivers">): Promise<void> {
  try {
    await runtime.ping();
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    const code = error.cause instanceof Error && "code" in error.cause ? ` (${String(error.cause.code)})` : "";
    const { driver, options } = drivers.containers;
    throw new ConfigError([`${error.message}${code}.`, driver.unreachableHint?.(options) ?? ""].join(" ").trimEnd());
  }
}

function isUnreachable(error: unknown): error is ContainerError {
  return error instanceof ContainerError && error.reason === "unreachable";
}

/** Stops all containers: an engine's containers would outlive this process. The next start finds and starts them. */
export async function closeContainers(runtime: ContainerRuntime, options: OrchestrationOptions): Promise<void> {
  const ours = runtime.abilities.outlivesProcess ? await ownContainers(runtime, options) : [];
  await Promise.all(ours.map((container) => runtime.stop(container.name, options.stopTimeoutMs)));
  await runtime.close();
}

/** Lists this installation's containers. Empty if the engine cannot be reached: then no container can be stopped either. */
async function ownContainers(runtime: ContainerRuntime, options: OrchestrationOptions): Promise<readonly ContainerView[]> {
  try {
    return await runtime.list({ [containerLabels.instance]: options.instance });
  } catch (error) {
    if (isUnreachable(error)) return [];
    throw error;
  }
}

/**
 * Builds the images of the sample apps if an engine is used, from local files and without a registry. An app in Python is left out
 * if this machine does not have its packages.
 */
export async function makeImages(config: DevConfig): Promise<void> {
  for (const app of runnableExamples) await makeImage(config, app);
}

/** Builds the image of one app in the same way. */
export async function makeImage(
  { drivers }: Pick<DevConfig, "drivers">,
  { folder, image }: Pick<ExampleApp, "folder"> & { readonly image: string },
): Promise<void> {
  const { driver, options } = drivers.containers;
  if (!driver.makeImage) return;
  const entry = await entryOf(folder);
  if (entry === undefined) return;
  const extraFolders = ["app.yaml", ...(existsSync(join(folder, "migrations")) ? ["migrations"] : [])];
  await driver.makeImage(options, { appFolder: folder, entry, image, extraFolders });
}

/** Returns what an image of the app runs. Undefined if this machine does not have the packages of an app in Python. */
async function entryOf(folder: string): Promise<AppImageSource["entry"] | undefined> {
  const backend = folderBackend(folder);
  if (backend.language === "node") return backend.main;
  if (backend.language === "any") return undefined;
  const found = await findPackages();
  return "missing" in found ? undefined : { module: backend.module, ...found };
}
