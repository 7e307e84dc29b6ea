import { readFile } from "node:fs/promises";
import type { PlatformUnderTest } from "./platform-under-test.ts";
import { addressesFile, platformVariant } from "./platform-variant.ts";
import { type ProductionAddresses, ProductionPlatform } from "./production-platform.ts";
import { type PlatformOptions, RunningPlatform } from "./running-platform.ts";

/**
 * Returns the platform that the environment names, with or without the sample apps. A production platform always has them, and
 * other test files may use it, too: each file's apps need unique names.
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<PlatformUnderTest> {
  if (platformVariant === "embedded") return await RunningPlatform.start(options);
  return await productionPlatform();
}

/** The production platform that the environment names. */
export async function productionPlatform(): Promise<ProductionPlatform> {
  if (addressesFile !== undefined) {
    return new ProductionPlatform(JSON.parse(await readFile(addressesFile, "utf8")) as ProductionAddresses, async () => {});
  }
  const { startProductionPlatform } = await import("./start-production-platform.ts");
  const started = await startProductionPlatform();
  if ("unavailable" in started) throw new Error(`there is no production platform here: ${started.unavailable}`);
  return started;
}
