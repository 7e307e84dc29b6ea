import { readdirSync } from "node:fs";
import { join } from "node:path";
import { componentsFor } from "./slow-components.ts";

/** A test file and how it is run. */
export interface PlannedFile {
  /** Path from the repository's root. */
  readonly file: string;
  /** Whether it has the machine to itself: it starts servers, measures, or takes signals. */
  readonly alone: boolean;
  readonly timeoutMs: number;
}

const skippedFolders = new Set(["node_modules", "dist", ".appserver", ".git"]);

/** Files under these run one at a time, after all others, and may take longer (the first may install a component). */
const alonePrefixes = [
  "drivers/containers/docker/",
  "drivers/database/",
  "testing/integration/",
  "testing/contract/",
  "testing/e2e/",
  "testing/faults/",
] as const;

const timeouts = { sharedMs: 180_000, aloneMs: 600_000 } as const;

/** Every test file below `root` whose path holds one of `filters` (all, when there are none), in a stable order. */
export function planFiles(root: string, filters: readonly string[]): readonly PlannedFile[] {
  return testFiles(root, "")
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter.replace(/^\.\//, ""))))
    .sort()
    .map((file) => {
      const alone = alonePrefixes.some((prefix) => file.startsWith(prefix)) || componentsFor([file]).length > 0;
      return { file, alone, timeoutMs: alone ? timeouts.aloneMs : timeouts.sharedMs };
    });
}

function testFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : testFiles(root, path);
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}
