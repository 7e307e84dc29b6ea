import { readdirSync } from "node:fs";
import { join } from "node:path";
import { componentsFor } from "./slow-components.ts";

/**
 * `shared`: with others, at once. `prepared`: with others, when everything that takes long to install or build is there.
 * `alone`: after them, with the machine to itself: it measures, or kills what it starts.
 */
export type TestPhase = "shared" | "prepared" | "alone";

/** A test file and how it is run. */
export interface PlannedFile {
  /** Path from the repository's root. */
  readonly file: string;
  readonly phase: TestPhase;
  readonly timeoutMs: number;
  /** On the shared production platform, instead of what the file starts by itself. */
  readonly variant?: "production";
}

/** What a planned file is called: its path, and its variant. */
export function labelOf({ file, variant }: Pick<PlannedFile, "file" | "variant">): string {
  return variant === undefined ? file : `${file} (${variant})`;
}

const skippedFolders = new Set(["node_modules", "dist", ".appserver", ".git"]);

/** Files under these run one at a time, after all others. */
const alonePrefixes = ["drivers/containers/docker/", "testing/integration/", "testing/e2e/", "testing/faults/"] as const;

/** Files under this one run twice, the second time on production. */
const inBothVariants = "testing/contract/";

const timeoutsMs = { shared: 180_000, prepared: 600_000, alone: 600_000 } as const;

/** Every test file below `root` whose label holds one of `filters` (all, when there are none), in a stable order. */
export function planFiles(root: string, filters: readonly string[]): readonly PlannedFile[] {
  const isWanted = (planned: PlannedFile): boolean =>
    filters.length === 0 || filters.some((filter) => labelOf(planned).includes(filter.replace(/^\.\//, "")));
  return testFiles(root, "").sort().flatMap(variantsOf).filter(isWanted);
}

function variantsOf(file: string): readonly PlannedFile[] {
  const phase = phaseOf(file);
  const planned = { file, phase, timeoutMs: timeoutsMs[phase] };
  return file.startsWith(inBothVariants) ? [planned, { ...planned, variant: "production" }] : [planned];
}

function phaseOf(file: string): TestPhase {
  if (alonePrefixes.some((prefix) => file.startsWith(prefix))) return "alone";
  return componentsFor([file]).length > 0 ? "prepared" : "shared";
}

function testFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : testFiles(root, path);
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}
