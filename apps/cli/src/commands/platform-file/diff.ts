import { exitCodes } from "../../exit-codes.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { compare } from "../../platform-file/compare.ts";
import { readPlatform } from "../../platform-file/read-platform.ts";
import { readPlatformFile } from "../../platform-file/read-platform-file.ts";
import { stepLines } from "../../platform-file/step.ts";
import { findReleases } from "./find-releases.ts";

export interface DiffFlags {
  readonly file: string;
  readonly releases?: string;
}

/** Lists what differs between a platform and a file. */
export async function diffPlatform(options: GlobalOptions, { file: path, releases }: DiffFlags): Promise<void> {
  const file = await readPlatformFile(path);
  const live = await readPlatform(options);
  const steps = compare(file, live, await findReleases(releases, file));
  const lines = steps.flatMap(stepLines);
  if (options.json) printJson({ differences: steps.map((step) => ({ ...step.change, text: stepLines(step) })) });
  else print(lines.length === 0 ? `the platform is as ${path} says` : lines.join("\n"));
  if (lines.length > 0) process.exitCode = exitCodes.differs;
}
