import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { AppProcesses, ProcessImage } from "@appserver/driver";
import { folderBackend, manifestFile } from "@appserver/sdk";

/**
 * Returns what the process driver runs where all images come from a registry (docs/interface/registry.md#folders). The address and the
 * credentials are those of other drivers.
 */
export function pulledFolders(options: Pick<AppProcesses, "stateFolder" | "stopOnClose">): AppProcesses {
  return {
    ...options,
    path: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    images: () => undefined,
    pulled: pulledImage,
  };
}

const maxDescriptionBytes = 1024 * 1024;

/** Returns whether the file can be read as a whole, or is missing. The app made it. */
function isReadable(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && found.size <= maxDescriptionBytes);
}

/** Throws if the folder cannot run here. */
function pulledImage(folder: string): Pick<ProcessImage, "command" | "environment"> {
  const broken = ["package.json", manifestFile].find((name) => !isReadable(join(folder, name)));
  if (broken !== undefined) throw new Error(`${broken} of the app's folder is no file of at most ${maxDescriptionBytes} bytes`);
  const backend = folderBackend(folder);
  if (backend.language === "any") return { command: backend.command, environment: {} };
  if (backend.language === "python" || !existsSync(join(folder, "package.json")))
    throw new Error(
      `the app's folder has no command in ${manifestFile} and no package.json; apps in Python run in containers only`,
    );
  if (!existsSync(join(folder, backend.main)))
    throw new Error(`the app's folder has no ${backend.main}, which package.json names as main or which is the default`);
  return { command: ["node", backend.main], environment: { NODE_ENV: "production" } };
}
