import { spawn } from "node:child_process";

/** Runs a program in a folder and shows what it prints, on standard error: it is no result of appctl. Rejects if it fails. */
export function runProgram(folder: string, program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, [...args], { cwd: folder, stdio: ["ignore", process.stderr, process.stderr] });
  const command = [program, ...args].join(" ");
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`could not run ${command} in ${folder}: ${cause.message}`, { cause })));
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} failed in ${folder} with exit code ${code}`)),
    );
  });
}
