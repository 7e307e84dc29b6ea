import { installCommand, missingPackages } from "../../../../examples/python-packages.ts";
import type { DevConfig } from "../config/dev-config.ts";
import type { ExampleApp } from "./example-apps.ts";

/** Returns why a sample app cannot run, as the end of a sentence. Undefined if it can. */
export async function obstacleOf({ runtime }: ExampleApp, config: DevConfig): Promise<string | undefined> {
  if (runtime !== "python") return undefined;
  if (config.dev.containers === "docker")
    return "no image with Python is built, and without --containers docker it runs as a process";
  const missing = await missingPackages();
  return missing && `${missing}. To install what it needs: ${installCommand}`;
}
