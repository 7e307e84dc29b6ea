import { spawn } from "node:child_process";

/** Runs npm in a folder and shows what it prints. Rejects if it fails. */
export function runNpm(folder: string, args: readonly string[]): Promise<void> {
  const child = spawn("npm", [...args], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`npm ${args.join(" ")} failed in ${folder} with exit code ${code}`)),
    );
  });
}
