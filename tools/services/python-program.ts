import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withFileLock } from "@appserver/kernel/files";
import { cacheFolder } from "./cache-folder.ts";
import { ensurePip } from "./python-packages.ts";

/** A program in Python that is installed with pip, once per list of requirements, version of Python and user. */
export interface PythonProgram {
  readonly name: string;
  /** A list of requirements with the version and the hashes of every package. */
  readonly requirements: string;
}

/** How to run an installed program: `python3` and the folder from which it imports. */
export interface InstalledPython {
  readonly path: string;
  readonly packages: string;
}

const installTimeoutMs = 10 * 60_000;

/**
 * Installs a program and its packages if necessary. Callers in several processes wait for one installation. On failure returns the
 * reason, worded for a test's summary.
 */
export async function ensurePythonProgram(program: PythonProgram): Promise<InstalledPython | { unavailable: string }> {
  const python = ensurePip();
  if ("unavailable" in python) return python;
  const { path } = python;
  const cache = cacheFolder("python");
  const packages = join(cache, `${program.name}-${fingerprint(path, program)}`);
  if (existsSync(packages)) return { path, packages };
  mkdirSync(cache, { recursive: true });
  return await withFileLock(
    `${packages}.lock`,
    async () => {
      if (existsSync(packages)) return { path, packages };
      const scratch = mkdtempSync(join(cache, "installing-"));
      try {
        const failure = install(path, program, scratch);
        if (failure) return { unavailable: `python packages: ${program.name} could not be installed: ${failure}` };
        // Rename the finished installation, so that a killed one never looks complete.
        renameSync(scratch, packages);
        return { path, packages };
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    },
    { timeoutMs: installTimeoutMs },
  );
}

/** Packages with compiled code are those of one version of Python. */
function fingerprint(python: string, { requirements }: PythonProgram): string {
  const { stdout } = spawnSync(python, ["--version"]);
  return createHash("sha256").update(stdout).update(readFileSync(requirements)).digest("hex").slice(0, 12);
}

/** Installs wheels only. Returns the reason if it fails, else undefined. */
function install(python: string, { requirements }: PythonProgram, folder: string): string | undefined {
  const options = ["--quiet", "--disable-pip-version-check", "--no-input", "--only-binary=:all:", "--require-hashes"];
  const args = ["-m", "pip", "install", ...options, "--target", folder, "--requirement", requirements];
  const { status, stderr, error, signal } = spawnSync(python, args, { encoding: "utf8", timeout: installTimeoutMs });
  if (status === 0) return undefined;
  return stderr?.trim().split("\n").slice(-5).join("; ") || error?.message || String(signal);
}
