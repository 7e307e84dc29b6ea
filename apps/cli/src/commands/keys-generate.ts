import { join } from "node:path";
import { certificateFile, ensureAppKeys, keyFile } from "@appserver/sdk";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";

export async function generateKeys(options: GlobalOptions, folder: string, appName: string): Promise<void> {
  await ensureAppKeys(folder, appName);
  const files = [join(folder, keyFile), join(folder, certificateFile)];
  if (options.json) printJson({ files });
  else print(files.join("\n"));
}
