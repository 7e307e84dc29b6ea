import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Returns a sentence if the folder of an app needs a newer Node than `node` of the path, which `npm test` runs. appctl itself may run on
 * another one, which the platform ships. Undefined if it is new enough, and for an app without `package.json`.
 */
export async function neededNode(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { engines } = JSON.parse(text) as { readonly engines?: { readonly node?: string } };
  const found = await promisify(execFile)("node", ["--version"]).catch(() => undefined);
  return nodeProblem(engines?.node ?? "", found?.stdout.trim());
}

/** `needed`: `>=22.18`. `found`: `v20.20.2`, or undefined without Node. */
export function nodeProblem(needed: string, found: string | undefined): string | undefined {
  const [, minimum] = /^>=(\d+\.\d+)$/.exec(needed) ?? [];
  if (minimum === undefined || (found !== undefined && isAtLeast(found, minimum))) return undefined;
  const here = found === undefined ? "the path has none" : `the path has ${found}`;
  return `The tests of this app need Node ${minimum} or newer, and ${here}.`;
}

function isAtLeast(version: string, minimum: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = minimum.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
