import { installCommand, missingPackages, pythonFolder } from "../../../../examples/python-packages.ts";
import type { ExampleApp } from "./example-apps.ts";

/** Returns what a sample app needs before it can run, as a sentence. Undefined if it can. */
export async function obstacleOf({ runtime }: ExampleApp): Promise<string | undefined> {
  if (runtime !== "python") return undefined;
  if (pythonFolder() === undefined) return "It needs python3.";
  return (await missingPackages()) && `To add it: ${installCommand}`;
}
