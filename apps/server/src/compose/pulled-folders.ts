import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { AppProcesses, ProcessImage } from "@appserver/driver";
import { folderBackend } from "@appserver/sdk";

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

/** Throws if the folder cannot run here. */
function pulledImage(folder: string): Pick<ProcessImage, "command" | "environment"> {
  // It is read as a whole, and the app made it.
  const description = statSync(join(folder, "package.json"), { throwIfNoEntry: false });
  const isReadable = description?.isFile() && description.size <= maxDescriptionBytes;
  const backend = isReadable ? folderBackend(folder) : undefined;
  if (backend?.language !== "node")
    throw new Error(
      `the app's folder has no package.json of at most ${maxDescriptionBytes} bytes; apps in Python run in containers only`,
    );
  if (!existsSync(join(folder, backend.main)))
    throw new Error(`the app's folder has no ${backend.main}, which package.json names as main or which is the default`);
  return { command: ["node", backend.main], environment: { NODE_ENV: "production" } };
}
