import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A `package.json` of the repository, whose exports are sources. */
interface SourcePackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  /** `{ "./page": "./web/page.ts" }` */
  readonly exports?: Readonly<Record<string, string>>;
  /**
   * What an app installs itself, if it uses the export that needs it. The published package does not name it: npm would ask its registry
   * about it, for a minute where there is none, also if it is optional.
   */
  readonly peerDependencies?: Readonly<Record<string, string>>;
  /** Folders that the package contains as they are. */
  readonly files?: readonly string[];
  /** Commands, and exports that packages of the repository reach by another name: `{ "bin": { "appctl": "./src/main.ts" } }`. */
  readonly publishConfig?: {
    readonly bin?: Readonly<Record<string, string>>;
    readonly exports?: Readonly<Record<string, string>>;
  };
}

/** A package as npm installs it outside of the repository. */
export interface PublishedPackage {
  /** Sources by the name of the bundle: `{ page: "./web/page.ts" }`. */
  readonly entries: Readonly<Record<string, string>>;
  /** Names of packages that it does not contain. */
  readonly peers: readonly string[];
  /** Folders that it contains as they are. */
  readonly files: readonly string[];
  /** Its `package.json`. */
  readonly manifest: object;
}

/** Reads what the package in a folder of the repository becomes. Its bundles are in `dist`. */
export async function publishedPackage(folder: string): Promise<PublishedPackage> {
  const source = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as SourcePackage;
  const { name, version, description, license, type, files = [], publishConfig = {} } = source;
  const { bin = {} } = publishConfig;
  const exports = { ...source.exports, ...publishConfig.exports };
  const exported = Object.keys(exports).map((path): [string, string] => [path, path === "." ? "index" : path.slice(2)]);
  const commands = Object.keys(bin);
  return {
    entries: { ...Object.fromEntries(exported.map(([path, bundle]) => [bundle, exports[path] ?? ""])), ...bin },
    peers: Object.keys(source.peerDependencies ?? {}),
    files,
    manifest: {
      name,
      version,
      description,
      license,
      type,
      engines: { node: ">=20.12" },
      ...(exported.length > 0 && { exports: exportsOf(exported) }),
      ...(commands.length > 0 && { bin: Object.fromEntries(commands.map((command) => [command, `./dist/${command}.mjs`])) }),
      files: ["dist", ...files],
    },
  };
}

function exportsOf(exported: readonly (readonly [string, string])[]): object {
  const files = exported.map(([path, bundle]) => [path, { types: `./dist/${bundle}.d.mts`, default: `./dist/${bundle}.mjs` }]);
  return { ...Object.fromEntries(files), "./package.json": "./package.json" };
}
