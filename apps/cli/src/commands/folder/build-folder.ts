import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { folderCommands } from "@appserver/sdk";
import { runProgram } from "./run-program.ts";

/** Runs `build` of `app.yaml`, or else the script `build` of `package.json`, if there is one. Rejects if it fails. */
export async function buildFolder(folder: string): Promise<void> {
  const { build: own } = folderCommands(folder);
  if (own) {
    const [program, ...args] = own;
    return await runProgram(folder, program, args);
  }
  const file = join(folder, "package.json");
  if (!existsSync(file)) return;
  const { scripts } = JSON.parse(readFileSync(file, "utf8")) as { readonly scripts?: { readonly build?: string } };
  if (scripts?.build !== undefined) await runProgram(folder, "npm", ["run", "--silent", "build"]);
}
