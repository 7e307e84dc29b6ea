import { readdirSync } from "node:fs";
import { join } from "node:path";

/** `base` is `npm test`; `npm run test:production`, `test:faults` and `test:kubernetes` run the others. */
export type Tier = "base" | "production" | "faults" | "kubernetes";

const skippedFolders = new Set(["node_modules", "dist", ".appserver", ".git"]);

/**
 * Contract tests run in `base` on an embedded platform, and in `production` on a production platform. The endings
 * `.embedded.test.ts` and `.production.test.ts` name those that run on one of them only.
 */
export const contractFolder = "testing/contract/";

/**
 * Tests of the console run in `production` twice: on an embedded platform that each file starts, and on one production platform. The
 * endings name those that run once, as in {@link contractFolder}.
 */
export const consoleFolder = "testing/production/e2e/console/";

/**
 * Returns the tiers in which a test file runs. They follow from its path: `testing/faults/`, `testing/production/` and the endings
 * `.production.test.ts` and `.kubernetes.test.ts` name the tier; every other file runs in `base`.
 */
export function tiersOf(file: string): readonly Tier[] {
  if (file.startsWith("testing/faults/")) return ["faults"];
  if (file.endsWith(".kubernetes.test.ts")) return ["kubernetes"];
  if (file.startsWith("testing/production/") || file.endsWith(".production.test.ts")) return ["production"];
  if (file.endsWith(".embedded.test.ts")) return ["base"];
  return file.startsWith(contractFolder) ? ["base", "production"] : ["base"];
}

/** Returns the paths of all test files of a tier below `root`, in a stable order. */
export function filesOfTier(root: string, tier: Tier): readonly string[] {
  return testFiles(root, "")
    .filter((file) => tiersOf(file).includes(tier))
    .sort();
}

function testFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : testFiles(root, path);
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}
