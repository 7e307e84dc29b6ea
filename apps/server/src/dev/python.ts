import { installCommand, missingPackages } from "../../../../examples/python-packages.ts";
import type { ExampleApp } from "./example-apps.ts";

/** Returns why a sample app cannot run, as the end of a sentence. Undefined if it can. */
export async function obstacleOf({ runtime }: ExampleApp): Promise<string | undefined> {
  if (runtime !== "python") return undefined;
  const missing = await missingPackages();
  return missing && `${missing}. To install what it needs: ${installCommand}`;
}
