import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";

export const root: string = resolve(import.meta.dirname, "../..");

/** Main file of each tool. It is run by the Node of this process, because a launcher script may find an older one. */
const tools = {
  biome: "@biomejs/biome/bin/biome",
  buf: "@bufbuild/buf/bin/buf",
  knip: "knip/bin/knip.js",
  oxlint: "oxlint/bin/oxlint",
  tsc: "typescript-native/bin/tsc",
} as const;

/** Returns an environment whose PATH contains `node` and the installed tools. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), join(root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(":");
  return { ...process.env, PATH: path, NO_COLOR: "1" };
}

/** Runs an installed tool in the repository's root and passes its output through. Returns whether it succeeded. */
export function runTool(tool: keyof typeof tools, args: readonly string[], options: SpawnSyncOptions = {}): boolean {
  const entry = join(root, "node_modules", tools[tool]);
  const done = spawnSync(process.execPath, [entry, ...args], {
    cwd: root,
    stdio: "inherit",
    env: toolEnvironment(),
    ...options,
  });
  if (done.error) throw done.error;
  return done.status === 0;
}

/** Ends this step. It fails unless all arguments are true. */
export function finish(...held: readonly boolean[]): void {
  process.exitCode = held.every(Boolean) ? 0 : 1;
}
