import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { componentsFor } from "./slow-components.ts";

/** A test file and how it is run. */
export interface PlannedFile {
  /** Path from the repository's root. */
  readonly file: string;
  /** Whether it has the machine to itself: it measures, or loads the machine by itself. */
  readonly alone: boolean;
  /** Whether it waits until everything that takes long to install or build is there. */
  readonly prepared: boolean;
  readonly timeoutMs: number;
  /** On the shared production platform, instead of what the file starts by itself. */
  readonly variant?: "production";
}

/** What a planned file is called: its path, and its variant. */
export function labelOf({ file, variant }: Pick<PlannedFile, "file" | "variant">): string {
  return variant === undefined ? file : `${file} (${variant})`;
}

const skippedFolders = new Set(["node_modules", "dist", ".appserver", ".git"]);

/** Files under these run one at a time. */
const alonePrefixes = [
  "drivers/containers/docker/",
  "testing/integration/event-loop/",
  "testing/integration/replicas/",
  "testing/e2e/",
  "testing/faults/",
  // Its containers have the names of those of the production platform, on the same engine.
  "testing/contract/docker",
] as const;
/** But not these: they wait for servers more than they work. */
const sociablePrefix = "testing/faults/production";

/** Files under this one run twice, the second time on production. */
const inBothVariants = "testing/contract/";

const timeouts = { shortMs: 180_000, longMs: 600_000, wholeMs: 3_600_000 } as const;

/** Every test file below `root` whose label holds one of `filters` (all, when there are none), in a stable order. */
export function planFiles(root: string, filters: readonly string[]): readonly PlannedFile[] {
  const isWanted = (planned: PlannedFile): boolean =>
    filters.length === 0 || filters.some((filter) => labelOf(planned).includes(filter.replace(/^\.\//, "")));
  return testFiles(root, "").sort().flatMap(variantsOf).filter(isWanted);
}

/** The planned files that call `scaled`, with time for the whole of their work: `npm run test:long`. */
export function planWhole(root: string, filters: readonly string[]): readonly PlannedFile[] {
  return planFiles(root, filters)
    .filter(({ file }) => /\bscaled\(/.test(readFileSync(join(root, file), "utf8")))
    .map((planned) => ({ ...planned, timeoutMs: timeouts.wholeMs }));
}

function variantsOf(file: string): readonly PlannedFile[] {
  const alone = alonePrefixes.some((prefix) => file.startsWith(prefix)) && !file.startsWith(sociablePrefix);
  const prepared = componentsFor([{ file }]).length > 0;
  const isTwice = file.startsWith(inBothVariants);
  const timeoutMs = alone || prepared || isTwice ? timeouts.longMs : timeouts.shortMs;
  const planned = { file, alone, prepared, timeoutMs };
  return isTwice ? [planned, { ...planned, prepared: true, variant: "production" }] : [planned];
}

function testFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : testFiles(root, path);
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}
