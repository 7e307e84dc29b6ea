import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { folderCommands } from "@appserver/sdk";
import { runProgram } from "./run-program.ts";

/**
 * Runs `build` of `app.yaml`, or else the script `build` of `package.json`, if there is one. Rejects if it fails. `isShown`: whether what
 * a successful build prints is shown.
 */
export async function buildFolder(folder: string, options: { readonly isShown: boolean } = { isShown: true }): Promise<void> {
  const { build: own } = folderCommands(folder);
  if (own) {
    const [program, ...args] = own;
    return await runProgram(folder, program, args, options);
  }
  if (readBuildScript(folder) !== undefined) await runProgram(folder, "npm", ["run", "--silent", "build"], options);
}

/** Returns the script `build` of the `package.json` in a folder, if there is one. */
export function readBuildScript(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly scripts?: { readonly build?: string } }).scripts?.build;
}
