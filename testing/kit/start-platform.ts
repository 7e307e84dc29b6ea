import { readFile } from "node:fs/promises";
import type { PlatformUnderTest, PlatformVariant } from "./platform-under-test.ts";
import { type ProductionAddresses, ProductionPlatform } from "./production-platform.ts";
import { type PlatformOptions, RunningPlatform } from "./running-platform.ts";

/** `embedded` (default), `production`, or the path of a file with the addresses of a production platform that runs already. */
const variable = "APPSERVER_TEST_PLATFORM";

/** On what this process's black-box tests run. */
export const platformVariant: PlatformVariant =
  (process.env[variable] || "embedded") === "embedded" ? "embedded" : "production";

/**
 * The platform that the environment names, with or without the sample apps. Production always has them, and may be shared
 * with other test files: apps of one file need names that no other file uses.
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<PlatformUnderTest> {
  if (platformVariant === "embedded") return await RunningPlatform.start(options);
  return await productionPlatform();
}

/** The production platform that the environment names. */
export async function productionPlatform(): Promise<ProductionPlatform> {
  const file = process.env[variable] ?? "";
  if (file !== "production" && file !== "") {
    return new ProductionPlatform(JSON.parse(await readFile(file, "utf8")) as ProductionAddresses, async () => {});
  }
  const { startProductionPlatform } = await import("./start-production-platform.ts");
  const started = await startProductionPlatform();
  if ("unavailable" in started) throw new Error(`there is no production platform here: ${started.unavailable}`);
  return started;
}
