import { copyFile, cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildOnce } from "./build-once.ts";
import { publishedPackage } from "./published-package.ts";
import { runBuilder } from "./run-builder.ts";

const license = resolve(import.meta.dirname, "../../../LICENSE");
const bundler = join(import.meta.dirname, "bundle-process.ts");
/** What packs a package. */
const packers: Readonly<Record<OutsidePackage["format"], readonly string[]>> = {
  npm: [import.meta.filename, bundler, join(import.meta.dirname, "published-package.ts")],
  wheel: ["build-package.ts", "python-index.ts", "wheel.ts", "write-wheel.ts"].map((file) => join(import.meta.dirname, file)),
};

/** A package for code outside of the repository. */
export interface OutsidePackage {
  readonly format: "npm" | "wheel";
  /** Of its sources, in the repository. */
  readonly folder: string;
  /** Subfolders with sources. */
  readonly sources: readonly string[];
  /** The tarball, or the first page of the index with the wheel. */
  readonly file: string;
}

/** A package for apps, and where platforms serve it. */
export interface ServedPackage extends OutsidePackage {
  readonly path: string;
  /** What it is. */
  readonly text: string;
}

export const packages: readonly ServedPackage[] = [
  {
    format: "npm",
    folder: "sdk",
    sources: ["src", "web"],
    path: "/sdk",
    file: "appserver-sdk.tgz",
    text: "the SDK for apps, for npm install",
  },
  {
    format: "wheel",
    folder: "sdk/python",
    sources: ["src"],
    path: "/sdk/python",
    file: "index.html",
    text: "the SDK for apps in Python, for pip install",
  },
  {
    format: "npm",
    folder: "apps/cli",
    sources: ["src", "templates"],
    path: "/cli",
    file: "appctl.tgz",
    text: "the command line, for npm install --global",
  },
];

/** The package for drivers, with the tests of their families. Only releases have it: a server has no tests. */
export const driverPackage: OutsidePackage = {
  format: "npm",
  folder: "libraries/driver",
  sources: ["src", "../../testing/kit", "../../drivers"],
  file: "appserver-driver.tgz",
};

/**
 * Builds a package for code outside of the repository into `dist/<file>`: a tarball that npm installs without a registry, because it
 * contains all that the code needs, with declarations and source maps; or a wheel in an index for pip. Skips the build if `dist` was
 * built from the same sources with the same libraries. Equal sources give equal bytes. Rejects with the builder's output if the build
 * fails.
 */
export async function buildPackage(
  folder: string,
  { format, file, sources }: Pick<OutsidePackage, "format" | "file" | "sources">,
): Promise<void> {
  const description = format === "wheel" ? [join(folder, "pyproject.toml")] : [];
  const files = [join(folder, "README.md"), license, ...description, ...packers[format]];
  await buildOnce({
    folder,
    sources,
    files,
    into: (draft) => (format === "wheel" ? packWheel(folder, draft) : packTarball(folder, draft, file)),
  });
}

/** Loads the libraries for it only here: a server that serves built packages does not have them. */
async function packWheel(folder: string, draft: string): Promise<void> {
  const { writeWheel } = await import("./write-wheel.ts");
  await writeWheel(folder, draft, license);
}

async function packTarball(folder: string, draft: string, file: string): Promise<void> {
  const contents = join(draft, "package");
  await mkdir(contents, { recursive: true });
  const { files, manifest } = await publishedPackage(folder);
  await runBuilder(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", bundler, folder, join(contents, "dist")],
    folder,
  );
  await writeFile(join(contents, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const each of files) await cp(join(folder, each), join(contents, each), { recursive: true });
  await copyFile(join(folder, "README.md"), join(contents, "README.md"));
  await copyFile(license, join(contents, "LICENSE"));
  await runBuilder("npm", ["pack", contents, "--pack-destination", draft, "--silent", "--ignore-scripts", "--offline"], draft);
  const packed = (await readdir(draft)).find((name) => name.endsWith(".tgz"));
  if (packed === undefined) throw new Error(`npm made no package of ${folder}`);
  await rename(join(draft, packed), join(draft, file));
  await rm(contents, { recursive: true });
}
