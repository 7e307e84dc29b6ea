import { execFile } from "node:child_process";
import { posix } from "node:path";
import { promisify } from "node:util";
import type { TarEntry } from "@appserver/contracts/folder-images";
import type { EngineClient } from "../index.ts";
import { copyOf, ensureBaseImage, requireLinux } from "./base-image.ts";
import { filesBelow } from "./files-below.ts";
import { sharedLibraries } from "./shared-libraries.ts";

/** Path of Python in the base image. It finds its standard library from there. */
export const pythonInImage = "/usr/local/bin/python3";
const prefixInImage = "usr/local";

/** What an interpreter reports about itself. The command that starts it may be a script or a link of a virtual environment. */
export interface PythonInstallation {
  readonly executable: string;
  /** `3.11.7` */
  readonly version: string;
  /** The folder that it is installed in. */
  readonly prefix: string;
  /** The folder of the standard library, below the prefix. */
  readonly library: string;
}

const question = `
import json, os, sys
print(json.dumps({
  "executable": os.path.realpath(getattr(sys, "_base_executable", sys.executable)),
  "version": ".".join(map(str, sys.version_info[:3])),
  "prefix": sys.base_prefix,
  "library": os.path.dirname(os.__file__),
}))`;
const questionTimeoutMs = 10_000;

/** Runs `command`, an interpreter of Python 3. */
export async function readPython(command: string): Promise<PythonInstallation> {
  requireLinux("Python");
  const { stdout } = await promisify(execFile)(command, ["-I", "-B", "-c", question], { timeout: questionTimeoutMs });
  return JSON.parse(stdout) as PythonInstallation;
}

export interface PythonBase {
  readonly image: string;
  readonly files: readonly TarEntry[];
}

/**
 * Creates the base image of apps in Python if the engine does not have it: the interpreter and its standard library, without
 * packages. About 50 MB, once per engine.
 */
export async function ensurePythonBase(engine: EngineClient, python: PythonInstallation): Promise<PythonBase> {
  const { executable, version, prefix, library } = python;
  const into = posix.join(prefixInImage, posix.relative(prefix, library));
  const modules = [...filesBelow(library, "", { into, isLeftOut: isUnusedModule })];
  const files = [
    ...sharedLibraries([executable, ...extensionModules(modules)], [library]),
    copyOf(executable, pythonInImage),
    ...modules,
  ];
  return { image: await ensureBaseImage(engine, { repository: "appserver/python", version, files }), files };
}

/** Returns those of the files that the loader links to libraries. */
export function extensionModules(files: readonly TarEntry[]): string[] {
  return files.flatMap((file) => (file.kind === "copy" && /\.so(\.\d+)*$/.test(file.path) ? file.source : []));
}

/** Tests, installed packages, what installs packages, windows, and what only programs that embed Python are built with. */
const unusedModules =
  /^(__pycache__|tests?|site-packages|dist-packages|ensurepip|idlelib|tkinter|turtledemo|turtle\.py|config-.*)$/;
const unusedExtensions = /^(_tkinter|_test\w*|_ctypes_test|_xxtestfuzz|xxlimited\w*)\..*so$/;

function isUnusedModule(name: string): boolean {
  return unusedModules.test(name) || unusedExtensions.test(name);
}
