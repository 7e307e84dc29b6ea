import { existsSync } from "node:fs";
import { join } from "node:path";
import { manifestFile } from "@appserver/sdk";
import { exitCodes } from "../../exit-codes.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { lookAtFolder } from "./look-at-folder.ts";
import { lookAtPlatform } from "./look-at-platform.ts";

/** Prints what is wrong with the platform and with the app of the folder, and the way out. Without a problem the exit code is 0. */
export async function examine(options: GlobalOptions, folder: string): Promise<void> {
  const platform = await lookAtPlatform(options);
  const responds = platform.every(({ wayOut }) => wayOut === undefined);
  const app = existsSync(join(folder, manifestFile)) ? await lookAtFolder(options, folder, responds) : [];
  const findings = [...platform, ...app];
  const problems = findings.filter(({ wayOut }) => wayOut !== undefined);
  if (problems.length > 0) process.exitCode = exitCodes.refused;
  if (options.json) return printJson({ findings });
  for (const { what, wayOut } of findings)
    print(wayOut === undefined ? `ok       ${what}` : `PROBLEM  ${what}\n         ${wayOut}`);
  print(problems.length === 0 ? "\nNo problem found." : `\n${problems.length} of ${findings.length} are problems.`);
}
