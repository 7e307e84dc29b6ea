import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { EngineClient } from "@appserver/containers-docker";
import {
  buildImage,
  ensureNodeBase,
  ensurePythonBase,
  extensionModules,
  filesBelow,
  readPython,
  sharedLibraries,
  type TarEntry,
} from "@appserver/containers-docker/images";

const run = promisify(execFile);
/** A folder of the build context. `COPY` puts what is in it below the root. */
const into = "root";
const skipCaches = (name: string): boolean => name === "__pycache__";

/**
 * Makes the images on which `appctl deploy` builds, with npm or pip, from files of this machine: they cannot be pulled
 * everywhere.
 */
export async function ensureTemplateNodeBase(engine: EngineClient): Promise<void> {
  const { stdout } = await run("sh", ["-c", "command -v npm"]);
  const folder = resolve(realpathSync(stdout.trim()), "../..");
  const script = '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n';
  await build(engine, "node:24-slim", await ensureNodeBase(engine), [
    ...filesBelow(folder, "", { into: `${into}/usr/local/lib/node_modules/npm` }),
    { kind: "file", path: `${into}/usr/local/bin/npm`, contents: script, mode: 0o755 },
  ]);
}

/** `packages` are folders with installed packages, which pip then does not load. */
export async function ensureTemplatePythonBase(
  engine: EngineClient,
  command: string,
  packages: readonly string[],
): Promise<void> {
  const python = await readPython(command);
  const { stdout } = await run(command, ["-c", "import os, pip; print(os.path.dirname(pip.__file__))"]);
  const [major, minor] = python.version.split(".");
  const library = `${into}/usr/local/lib/python${major}.${minor}/site-packages`;
  const installed = packages.flatMap((each) => [...filesBelow(each, "", { into: library, isLeftOut: skipCaches })]);
  const libraries = sharedLibraries(extensionModules(installed), packages);
  const { image, files } = await ensurePythonBase(engine, python);
  const present = new Set(files.map(({ path }) => path));
  await build(engine, "python:3.13-slim", image, [
    ...installed,
    ...filesBelow(stdout.trim(), "", { into: `${library}/pip`, isLeftOut: skipCaches }),
    ...libraries.filter(({ path }) => !present.has(path)).map((each) => ({ ...each, path: `${into}/${each.path}` })),
  ]);
}

/** Adds a shell, which RUN needs. */
async function build(engine: EngineClient, name: string, base: string, files: readonly TarEntry[]): Promise<void> {
  const shell: TarEntry = { kind: "copy", path: `${into}/bin/sh`, source: realpathSync("/bin/sh"), mode: 0o755 };
  await buildImage(engine, name, `FROM ${base}\nCOPY ${into} /\n`, [shell, ...files]);
}
