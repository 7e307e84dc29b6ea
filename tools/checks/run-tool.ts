import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";

export const root: string = resolve(import.meta.dirname, "../..");

/** Where each tool starts: run by our own Node, since the one that a launcher script would find may be too old. */
const tools = {
  biome: "@biomejs/biome/bin/biome",
  buf: "@bufbuild/buf/bin/buf",
  knip: "knip/bin/knip.js",
  oxlint: "oxlint/bin/oxlint",
  tsc: "typescript-native/bin/tsc",
} as const;

/** Environment in which `node` and the installed tools are found by name. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), join(root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(":");
  return { ...process.env, PATH: path, NO_COLOR: "1" };
}

/** Runs an installed tool in the repository's root, its output going to ours. Answers whether it found nothing wrong. */
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

/** Ends this step: failed unless everything held. */
export function finish(...held: readonly boolean[]): void {
  process.exitCode = held.every(Boolean) ? 0 : 1;
}
