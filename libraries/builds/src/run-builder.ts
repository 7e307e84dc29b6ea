import { spawn } from "node:child_process";

/**
 * Runs a builder in a separate process, so that its memory is freed after the build. Prints nothing. Rejects with its output if it
 * fails.
 */
export function runBuilder(command: string, args: readonly string[], folder: string): Promise<void> {
  const child = spawn(command, args, {
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
