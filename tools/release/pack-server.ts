import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative } from "node:path";
import { toolEnvironment } from "../checks/run-tool.ts";
import { compileSource } from "./compile-source.ts";
import { type LockedPackages, type PackageClosure, packageClosure } from "./package-closure.ts";

/** Folders whose `dist` the platform serves. `npm run build` makes it. */
export const served: readonly string[] = ["apps/console", "apps/playground", "apps/docs", "sdk", "sdk/python", "apps/cli"];

/** The parts of the repository's `package.json` that the package keeps. */
interface Description {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
}

/**
 * Packs the server with everything that it needs, and returns the tarball. PostgreSQL, which depends on the system, is installed
 * from npm. Sources keep their places, as JavaScript. Needs what `npm run build` makes.
 */
export async function packServer(root: string, target: string): Promise<string> {
  const lock = (await readJson(join(root, "package-lock.json")))["packages"] as LockedPackages;
  const { name, version, description, license, engines } = (await readJson(
    join(root, "package.json"),
  )) as unknown as Description;
  const closure = packageClosure(lock, "apps/server");
  const draft = join(target, ".package");
  await rm(draft, { recursive: true, force: true });
  await copyOwnFiles(root, draft, closure);
  for (const folder of closure.others) await copyPackage(join(root, folder), join(draft, folder));
  for (const folder of served) await cp(join(root, folder, "dist"), join(draft, folder, "dist"), { recursive: true });
  await cp(join(root, "LICENSE"), join(draft, "LICENSE"));
  await cp(join(root, "README.md"), join(draft, "README.md"));
  // The name belongs to another project in the registry of npm, which refuses to publish what is private.
  const parts = {
    name,
    version,
    private: true,
    description,
    license,
    type: "module",
    engines,
    bin: { appserver: "bin/appserver.mjs" },
  };
  await writeJson(join(draft, "package.json"), { ...parts, ...dependenciesOf(lock, closure, version) });
  const flags = ["--pack-destination", target, "--silent", "--ignore-scripts", "--offline"];
  execFileSync("npm", ["pack", draft, ...flags], {
    cwd: target,
    env: toolEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  });
  await rm(draft, { recursive: true });
  return join(target, `${name}-${version}.tgz`);
}

function dependenciesOf(lock: LockedPackages, { own, others, optional }: PackageClosure, version: string): object {
  // Those below another package come with it.
  const uppermost = others.filter((folder) => folder.lastIndexOf("node_modules/") === 0);
  const versions = uppermost.map((folder) => [folder.slice("node_modules/".length), lock[folder]?.version ?? ""]);
  const dependencies = Object.fromEntries([...versions, ...[...own.keys()].map((each) => [each, version])]);
  return { dependencies, bundleDependencies: Object.keys(dependencies), optionalDependencies: optional };
}

/** Copies what Git has of the programs and packages of the repository, without tests. */
async function copyOwnFiles(root: string, draft: string, { own }: PackageClosure): Promise<void> {
  const copyAll = async (folder: string, into: string, paths: readonly string[]): Promise<void> => {
    for (const path of paths.filter(isOfServer)) await copyFile(join(root, folder, path), join(draft, into, path));
  };
  for (const folder of ["bin", "apps/server", "deploy/up"]) await copyAll(folder, folder, tracked(root, folder));
  await copyAll(
    "examples",
    "examples",
    tracked(root, "examples").filter((path) => !path.includes("/")),
  );
  for (const [name, folder] of own) await copyAll(folder, join("node_modules", name), tracked(root, folder));
}

/** Returns paths below the folder. */
function tracked(root: string, folder: string): readonly string[] {
  return execFileSync("git", ["ls-files"], { cwd: join(root, folder), encoding: "utf8" })
    .trim()
    .split("\n");
}

function isOfServer(path: string): boolean {
  return (
    !/\.test\.ts$|\.suite\.ts$|^(?:test|testing|python|web|released)\//.test(path) && !["run.mjs", "appctl.mjs"].includes(path)
  );
}

/** Copies a package without what only its developers, compilers and debuggers read: thousands of small files. */
async function copyPackage(source: string, target: string): Promise<void> {
  await cp(source, target, { recursive: true, filter: (path) => isRun(relative(source, path)) });
}

/** Returns whether a file of another package, named by its path there, is for those who run it. */
export function isRun(path: string): boolean {
  return !/^(?:test|tests|__tests__|docs?|examples?|benchmarks?|man|\.github)(?:\/|$)|(?:^|\/)esnext\/|\.(?:map|[cm]?ts)$/.test(
    path,
  );
}

async function copyFile(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  if (basename(source) === "package.json") return await writeJson(target, compiledDescription(await readJson(source)));
  if (extname(source) === ".mjs") {
    const launcher = await readFile(source, "utf8");
    return await writeFile(target, launcher.replace('launch("apps/server/src/main.ts")', 'launch("apps/server/src/main.js")'), {
      mode: 0o755,
    });
  }
  if (source.endsWith(".d.ts")) return;
  if (extname(source) !== ".ts") return await cp(source, target);
  await writeFile(target.replace(/\.ts$/, ".js"), compileSource(await readFile(source, "utf8")));
}

/** Returns the `package.json` of a package of the repository, whose exports are now JavaScript. */
function compiledDescription({
  name,
  version,
  type,
  license,
  dependencies,
  exports,
}: Readonly<Record<string, unknown>>): object {
  const text = JSON.stringify({ name, version, type, license, dependencies, exports });
  return JSON.parse(text.replaceAll(/(?<!\.d)\.ts"/g, '.js"')) as object;
}

async function readJson(file: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(file, "utf8")) as Readonly<Record<string, unknown>>;
}

async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
