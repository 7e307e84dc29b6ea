import { copyFile, cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildOnce } from "./build-once.ts";
import { publishedPackage } from "./published-package.ts";
import { runBuilder } from "./run-builder.ts";

const license = resolve(import.meta.dirname, "../../../LICENSE");
const bundler = join(import.meta.dirname, "bundle-process.ts");
/** What packs a package. */
const packer = [import.meta.filename, bundler, join(import.meta.dirname, "published-package.ts")];

/** A package for apps outside of the repository, and where platforms serve it. */
export interface ServedPackage {
  /** Of its sources, in the repository. */
  readonly folder: string;
  /** Subfolders with sources. */
  readonly sources: readonly string[];
  readonly path: string;
  readonly file: string;
  /** What it is. */
  readonly text: string;
}

export const packages: readonly ServedPackage[] = [
  {
    folder: "sdk",
    sources: ["src", "web"],
    path: "/sdk",
    file: "appserver-sdk.tgz",
    text: "the SDK for apps, for npm install",
  },
  {
    folder: "apps/cli",
    sources: ["src", "templates"],
    path: "/cli",
    file: "appctl.tgz",
    text: "the command line, for npm install --global",
  },
];

/**
 * Builds a package for apps outside of the repository into `dist/<file>`: a tarball that npm installs without a registry, because it
 * contains all that the code needs, with declarations and source maps. Skips the build if `dist` was built from the same sources with
 * the same libraries. Equal sources give equal bytes. Rejects with the builder's output if the build fails.
 */
export async function buildPackage(folder: string, { file, sources }: Pick<ServedPackage, "file" | "sources">): Promise<void> {
  const files = [join(folder, "README.md"), license, ...packer];
  await buildOnce({ folder, sources, files, into: (draft) => pack(folder, draft, file) });
}

async function pack(folder: string, draft: string, file: string): Promise<void> {
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
