import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { componentsFor } from "./slow-components.ts";

/** A test file and how to run it. */
export interface PlannedFile {
  /** Path from the repository's root. */
  readonly file: string;
  /** Whether it runs alone, because it measures or puts a high load on the machine. */
  readonly alone: boolean;
  /** Whether it waits until all slow components are installed and built. */
  readonly prepared: boolean;
  readonly timeoutMs: number;
  /** Runs the file on the shared production platform instead of one that the file starts. */
  readonly variant?: "production";
}

/** Returns the label of a planned file: its path and its variant. */
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
  "testing/security/settings-canary",
  // Their containers have the same names as those of the production platform, on the same engine.
  "testing/contract/docker",
  "testing/security/app-isolation",
  "testing/security/production-app-isolation",
] as const;
/** Exceptions: these mostly wait for servers. */
const sociablePrefix = "testing/faults/production";

/** Files under this folder run twice, the second time on production. */
const inBothVariants = "testing/contract/";

const timeouts = { shortMs: 180_000, longMs: 600_000, wholeMs: 14_400_000 } as const;

/**
 * Returns every test file below `root` whose label contains one of `filters` (all files if there are no filters), in a stable
 * order.
 */
export function planFiles(root: string, filters: readonly string[]): readonly PlannedFile[] {
  const isWanted = (planned: PlannedFile): boolean =>
    filters.length === 0 || filters.some((filter) => labelOf(planned).includes(filter.replace(/^\.\//, "")));
  return testFiles(root, "").sort().flatMap(variantsOf).filter(isWanted);
}

/**
 * Returns the planned files that call `scaled`, themselves or in an imported file of their folder, with a time limit for all
 * their work: `npm run test:long`.
 */
export function planWhole(root: string, filters: readonly string[]): readonly PlannedFile[] {
  return planFiles(root, filters)
    .filter(({ file }) => isScaled(join(root, file)))
    .map((planned) => ({ ...planned, timeoutMs: timeouts.wholeMs }));
}

function isScaled(file: string): boolean {
  const text = readFileSync(file, "utf8");
  const imported = [...text.matchAll(/ from "\.\/([\w-]+\.ts)"/g)].map(([, name = ""]) => join(dirname(file), name));
  return [text, ...imported.map((path) => readFileSync(path, "utf8"))].some((each) => /\bscaled\(/.test(each));
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
