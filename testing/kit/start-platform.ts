import { type EmbeddedAddresses, EmbeddedPlatform } from "./embedded-platform.ts";
import type { PlatformUnderTest } from "./platform-under-test.ts";
import { platformVariant, sharedAddresses } from "./platform-variant.ts";
import { type ProductionAddresses, ProductionPlatform } from "./production-platform.ts";
import { type PlatformOptions, RunningPlatform } from "./running-platform.ts";

/**
 * Returns the platform that contract files share, with the sample apps. Other test files use it, too: the apps, users and data of a
 * file need names that no other file and no earlier run used (`uniqueName`). Starts a platform of its own if the
 * environment names none.
 */
export async function startPlatform(): Promise<PlatformUnderTest> {
  if (platformVariant === "production") return await productionPlatform();
  if (sharedAddresses === undefined) return await RunningPlatform.start();
  return new EmbeddedPlatform(sharedAddresses as EmbeddedAddresses);
}

/**
 * Returns a platform with options that only this file needs, for the given reason. A production platform has no options: a file
 * shares it all the same.
 */
export async function startOwnPlatform(_reason: string, options: PlatformOptions): Promise<PlatformUnderTest> {
  return platformVariant === "production" ? await productionPlatform() : await RunningPlatform.start(options);
}

/** The production platform that the environment names. */
export async function productionPlatform(): Promise<ProductionPlatform> {
  if (sharedAddresses !== undefined) return new ProductionPlatform(sharedAddresses as ProductionAddresses);
  const { startProductionPlatform } = await import("./start-production-platform.ts");
  const started = await startProductionPlatform();
  if ("unavailable" in started) throw new Error(`there is no production platform here: ${started.unavailable}`);
  return started;
}
