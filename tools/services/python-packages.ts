import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { withFileLock } from "@appserver/kernel/files";
import { installPackages, missingPackages, packagesFolder, pythonFolder, pythonPath } from "../../examples/python-packages.ts";
import { ensureDebianProgram } from "./debian-package.ts";

const installTimeoutMs = 10 * 60_000;

/**
 * Returns a `python3`, and as its PYTHONPATH the SDK and the packages that it needs, which this installs if they are missing. Otherwise
 * returns the reason, worded for a test's summary.
 */
export async function ensureBoardPython(): Promise<{ path: string; packages: string } | { unavailable: string }> {
  const python = ensurePython();
  if ("unavailable" in python) return python;
  const { path } = python;
  const packages = packagesFolder();
  mkdirSync(dirname(packages), { recursive: true });
  return await withFileLock(
    `${packages}.lock`,
    async () => {
      if ((await missingPackages()) === undefined) return { path, packages: pythonPath() };
      const pip = ensurePip();
      if ("unavailable" in pip) return pip;
      const failure = installPackages() ?? (await missingPackages());
      return failure === undefined ? { path, packages: pythonPath() } : { unavailable: `python packages: ${failure}` };
    },
    { timeoutMs: installTimeoutMs },
  );
}

/** Returns what {@link ensureBoardPython} does, with what a list of requirements names, if there is one. */
export async function ensurePythonWith(requirements: string): ReturnType<typeof ensureBoardPython> {
  const python = await ensureBoardPython();
  if ("unavailable" in python || !existsSync(requirements)) return python;
  const folder = packagesFolder(requirements);
  return await withFileLock(
    `${folder}.lock`,
    async () => {
      const pip = ensurePip();
      if ("unavailable" in pip) return pip;
      const failure = existsSync(folder) ? undefined : installPackages(requirements);
      if (failure !== undefined) return { unavailable: `python packages: ${failure}` };
      return { path: python.path, packages: [python.packages, folder].join(delimiter) };
    },
    { timeoutMs: installTimeoutMs },
  );
}

/** Returns the `python3` of the PATH, or the reason why there is none, worded for a test's summary. */
function ensurePython(): { path: string } | { unavailable: string } {
  const python = ensureDebianProgram("python3", "python3");
  return "unavailable" in python ? python : { path: join(pythonFolder() ?? "", "python3") };
}

/** Returns a `python3` that has pip. Otherwise returns the reason, worded for a test's summary. */
export function ensurePip(): { path: string } | { unavailable: string } {
  const python = ensurePython();
  if ("unavailable" in python || spawnSync(python.path, ["-m", "pip", "--version"]).status === 0) return python;
  const pip = ensureDebianProgram("pip3", "python3-pip");
  return "unavailable" in pip ? pip : python;
}
