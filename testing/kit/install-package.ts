import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs the libraries of a package with a lockfile of its own, at its first use. Such a package has libraries that the platform
 * does not need, or in other versions. Throws with the output of npm if it fails.
 */
export function installPackage(folder: string): void {
  // npm writes it last: an interrupted installation begins again.
  if (existsSync(join(folder, "node_modules/.package-lock.json"))) return;
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
}
