import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { promisify } from "node:util";

const repositoryRoot = join(import.meta.dirname, "..");
const boardRequirements = join(import.meta.dirname, "board/requirements.txt");
/** The SDK for Python. The sample app uses its sources, as those on Node use those of theirs. */
const sdkFolder = join(repositoryRoot, "sdk/python/src");
/** Imports the SDK and what the requirements list, and prints the folders that it was found in. */
const probe = `
import json, os, sys
import appserver_sdk, cryptography.hazmat.primitives.serialization, google.protobuf.message_factory, grpc
folders = []
for name in ("appserver_sdk", "cryptography", "google.protobuf", "grpc"):
    folder = sys.modules[name].__file__
    for _ in ["__init__.py", *name.split(".")]:
        folder = os.path.dirname(folder)
    folders.append(folder)
print(json.dumps(folders))`;
const probeTimeoutMs = 10_000;
const installTimeoutMs = 10 * 60_000;

/** The command that installs the packages. */
export const installCommand = "npm run examples:python";

/**
 * The folder outside of the app's own one where the packages of a list of requirements are, by default of the sample app in Python: other
 * requirements have another folder.
 */
export function packagesFolder(requirements: string = boardRequirements): string {
  const hash = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  return join(repositoryRoot, "tools/runtime/python", hash);
}

/** Returns the `PYTHONPATH` of an app with a list of requirements: the SDK, and {@link packagesFolder}. */
export function pythonPath(requirements: string = boardRequirements): string {
  return [sdkFolder, packagesFolder(requirements)].join(delimiter);
}

/** Returns the folder of the first `python3` of this process's PATH. Undefined if there is none. */
export function pythonFolder(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  return folders.find((folder) => existsSync(join(folder, "python3")));
}

/** What the sample app in Python runs with. */
export interface PythonWithPackages {
  /** The `python3` of the PATH. */
  readonly python: string;
  /** The folders from which it imports the packages: those of {@link pythonPath}, or of a virtual environment. */
  readonly packages: readonly string[];
}

/** Imports the packages with the `python3` of the PATH. If that fails, `missing` is the reason, as a clause. */
export async function findPackages(): Promise<PythonWithPackages | { readonly missing: string }> {
  const folder = pythonFolder();
  if (folder === undefined) return { missing: "it needs python3" };
  const python = join(folder, "python3");
  try {
    const env = { ...process.env, PYTHONPATH: pythonPath() };
    const { stdout } = await promisify(execFile)(python, ["-B", "-c", probe], { timeout: probeTimeoutMs, env });
    return { python, packages: [...new Set(JSON.parse(stdout) as string[])] };
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    return { missing: stderr.trim().split("\n").at(-1) || (error as Error).message };
  }
}

/** Returns why {@link findPackages} does not find the packages, as a clause. Undefined if it does. */
export async function missingPackages(): Promise<string | undefined> {
  const found = await findPackages();
  return "missing" in found ? found.missing : undefined;
}

/** Installs the packages of a list of requirements with pip, wheels only. Returns why it failed, as a clause. */
export function installPackages(requirements: string = boardRequirements): string | undefined {
  const folder = pythonFolder();
  if (folder === undefined) return "there is no python3";
  const options = ["--quiet", "--disable-pip-version-check", "--no-input", "--only-binary=:all:", "--upgrade"];
  const args = ["-m", "pip", "install", ...options, "--target", packagesFolder(requirements), "--requirement", requirements];
  const result = spawnSync(join(folder, "python3"), args, { encoding: "utf8", timeout: installTimeoutMs });
  if (result.status === 0) return undefined;
  const output = result.stderr?.trim().split("\n").slice(-5).join("; ");
  return `pip could not install ${relative(repositoryRoot, requirements)}: ${output || result.error?.message || result.signal}`;
}
