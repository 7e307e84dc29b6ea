import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Installs what a peer with a package of its own needs, at its first use. */
export function installOwnPackage(folder: string): void {
  if (existsSync(join(folder, "node_modules"))) return;
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "ignore" });
}
