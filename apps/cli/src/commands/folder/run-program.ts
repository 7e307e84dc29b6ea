import { type ChildProcess, spawn } from "node:child_process";

interface RunOptions {
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a program in a folder and shows what it prints, on standard error: it is no result of appctl. Rejects if it fails. */
export async function runProgram(
  folder: string,
  program: string,
  args: readonly string[],
  { environment = {} }: RunOptions = {},
): Promise<void> {
  const env = { ...process.env, ...environment };
  const child = spawn(program, [...args], { cwd: folder, env, stdio: ["ignore", process.stderr, process.stderr] });
  await ended(child, folder, [program, ...args].join(" "));
}

/** Like {@link runProgram}. Returns what the program prints on standard output, which is shown only if `isShown` is set. */
export async function outputOf(
  folder: string,
  program: string,
  args: readonly string[],
  { isShown, environment = {} }: RunOptions & { readonly isShown: boolean },
): Promise<string> {
  const env = { ...process.env, ...environment };
  const child = spawn(program, [...args], { cwd: folder, env, stdio: ["ignore", "pipe", process.stderr] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (isShown) process.stderr.write(text);
  });
  await ended(child, folder, [program, ...args].join(" "));
  return output;
}

function ended(child: ChildProcess, folder: string, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`could not run ${command} in ${folder}: ${cause.message}`, { cause })));
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} failed in ${folder} with exit code ${code}`)),
    );
  });
}
