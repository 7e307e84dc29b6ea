import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { withFileLock } from "@appserver/kernel/files";
import { installPackages, missingPackages, packagesFolder, pythonFolder } from "../../examples/python-packages.ts";
import { ensureDebianProgram } from "./debian-package.ts";

const installTimeoutMs = 10 * 60_000;

/**
 * Returns a `python3` and the folder of the packages that the sample app in Python needs, which it installs if they are
 * missing. Otherwise returns the reason, worded for a test's summary.
 */
export async function ensureBoardPython(): Promise<{ path: string; packages: string } | { unavailable: string }> {
  const python = ensureDebianProgram("python3", "python3");
  if ("unavailable" in python) return python;
  const path = join(pythonFolder() ?? "", "python3");
  const packages = packagesFolder();
  mkdirSync(dirname(packages), { recursive: true });
  return await withFileLock(
    `${packages}.lock`,
    async () => {
      if ((await missingPackages()) === undefined) return { path, packages };
      if (spawnSync(path, ["-m", "pip", "--version"]).status !== 0) {
        const pip = ensureDebianProgram("pip3", "python3-pip");
        if ("unavailable" in pip) return pip;
      }
      const failure = installPackages() ?? (await missingPackages());
      return failure === undefined ? { path, packages } : { unavailable: `python packages: ${failure}` };
    },
    { timeoutMs: installTimeoutMs },
  );
}
