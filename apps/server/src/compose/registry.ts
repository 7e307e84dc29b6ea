import type { Lifecycle } from "@appserver/kernel";
import { createNamedImages } from "@appserver/marketplace";
import { createRegistry, type RegistryOptions } from "@appserver/registry";
import type { ServeConfig } from "../config/serve-config.ts";
import type { Drivers, ServerOptions } from "./server-options.ts";
import type { Services } from "./services.ts";

/** Returns what the operator has set. Undefined if the platform takes no images. */
export function registryOptions({
  registry,
  containers,
}: Pick<ServeConfig, "registry" | "containers">): RegistryOptions | undefined {
  const { folder, maxLayerBytes, maxAppBytes, maxTotalBytes, keepUnusedMs } = registry;
  if (folder === undefined) return undefined;
  const limits = { maxLayerBytes, maxAppBytes, maxTotalBytes };
  return { folder, limits, keepUnusedMs, imageKind: containers.driver === "process" ? "folders" : "images" };
}

/** Returns whether the container engine pulls from the platform. */
export function pullsFromPlatform({ registry, containers }: Pick<ServeConfig, "registry" | "containers">): boolean {
  return registry.folder !== undefined && containers.registryUrl === undefined;
}

/** Starts the registry of the platform and returns its handler, if it has one. */
export async function startRegistry(
  lifecycle: Lifecycle,
  { cache, database }: Drivers,
  services: Services,
  { registry: options, settingsKeys, clock, logger }: ServerOptions,
) {
  if (!options) return {};
  const { http, cleanup } = createRegistry({
    ...options,
    ...services,
    cache,
    database,
    keys: settingsKeys,
    retainedImages: createNamedImages(database),
    clock,
    logger,
  });
  await lifecycle.use(cleanup);
  return { registry: http };
}
