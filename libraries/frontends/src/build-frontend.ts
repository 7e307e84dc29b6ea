import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** Contains the hash of the sources of `dist`. Files that start with a dot are not assets. */
const inputsFile = ".inputs";

/**
 * Builds a frontend from `web` into `dist` with Vite. Skips the build if `dist` was built from the same sources with the same
 * libraries. Prints nothing. Rejects with the builder's output if the build fails.
 */
export async function buildFrontend(folder: string): Promise<void> {
  const inputs = await hashInputs(folder);
  const dist = join(folder, "dist");
  if ((await readFile(join(dist, inputsFile), "utf8").catch(() => "")) === inputs) return;
  // Build into a temporary folder and rename it, so that concurrent readers and builders never see a partial `dist`.
  const draft = join(folder, `.dist-${randomUUID()}`);
  try {
    await runVite(folder, draft);
    await writeFile(join(draft, inputsFile), inputs);
    await rm(dist, { recursive: true, force: true });
    await rename(draft, dist).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function hashInputs(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const source of [folder, ...(await ownPackages(folder))]) {
    for (const file of await sourceFiles(source)) {
      hash
        .update(`${relative(folder, file)}\0`)
        .update(await readFile(file))
        .update("\0");
    }
    for (const name of await libraries(source)) hash.update(`${name}@${await installedVersion(name, source)}\0`);
  }
  return hash.digest("hex");
}

/** Returns what Vite may read: `web` and the configuration of a frontend, the whole of another package. */
async function sourceFiles(folder: string): Promise<readonly string[]> {
  const sources = existsSync(join(folder, "web")) ? join(folder, "web") : folder;
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const configuration = (await readdir(folder)).filter((name) => name === "package.json" || name.endsWith(".ts"));
  return [...new Set([...files, ...configuration.map((name) => join(folder, name))])].sort();
}

/**
 * Returns the folders of the repository's packages that it imports from: contracts, the SDK, another version of an example. Their
 * versions do not change with their sources.
 */
async function ownPackages(folder: string): Promise<readonly string[]> {
  const { dependencies = {} } = await readPackage(folder);
  const folders = await Promise.all(Object.keys(dependencies).map((name) => realpath(dirname(packageFile(name, folder)))));
  return folders.filter((each) => !each.includes(`${sep}node_modules${sep}`));
}

interface Package {
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

async function readPackage(folder: string): Promise<Package> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Package;
}

/** Returns the libraries that build the frontend or are bundled into it. */
async function libraries(folder: string): Promise<readonly string[]> {
  const { devDependencies = {} } = await readPackage(folder);
  return Object.keys(devDependencies).sort();
}

async function installedVersion(name: string, folder: string): Promise<string> {
  return (await readPackage(dirname(packageFile(name, folder)))).version;
}

function packageFile(name: string, folder: string): string {
  const from = pathToFileURL(join(folder, "package.json"));
  let file: string | undefined;
  try {
    file = findPackageJSON(name, from);
  } catch {
    // Reported below.
  }
  if (file === undefined) throw new Error(`${name} is not installed; run \`npm ci\``);
  return file;
}

/** Runs Vite in a separate process, so that its memory is freed after the build. */
function runVite(folder: string, outDir: string): Promise<void> {
  const vite = join(dirname(packageFile("vite", folder)), "bin/vite.js");
  const child = spawn(process.execPath, [vite, "build", "--outDir", outDir, "--logLevel", "warn"], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`building ${folder} failed:\n${output}`))));
  });
}
