import { resolve } from "node:path";

/**
 * Returns what replaces the paths in a text of an app: those of the copy that a development platform runs
 * (docs/interface/containers.md#drivers) become those of the folder that was copied.
 */
export function localPaths(folder: string): (text: string) => string {
  const own = resolve(folder);
  return (text) => text.replaceAll(copied, own);
}

const copied =
  /(?<=^|[\s"'(=:]|file:\/\/)\/[^/\s"'()][^\s"'()]*?\/processes\/snapshots\/[^\s/"'()]+\/[0-9a-f]{64}\/app(?=[/\s"'():]|$)/g;
