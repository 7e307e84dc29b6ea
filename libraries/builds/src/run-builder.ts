import { spawn } from "node:child_process";

/** Longer than any build, but short enough to end one that hangs: requests wait for it. */
const timeout = 120_000;

/**
 * Runs a builder in a separate process, so that its memory is freed after the build. Prints nothing. Rejects with its output if it
 * fails.
 */
export function runBuilder(command: string, args: readonly string[], folder: string): Promise<void> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`building ${folder} failed (${signal ?? `exit code ${code}`}):\n${output}`)),
    );
  });
}
