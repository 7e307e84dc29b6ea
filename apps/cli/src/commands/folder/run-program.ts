import { type ChildProcess, spawn } from "node:child_process";

interface RunOptions {
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a program in a folder and shows what it prints, on standard error: it is no result of appctl. Without `isShown`, that is shown only
 * if the program fails. Rejects if it fails.
 */
export async function runProgram(
  folder: string,
  program: string,
  args: readonly string[],
  { environment = {}, isShown = true }: RunOptions & { readonly isShown?: boolean } = {},
): Promise<void> {
  const env = { ...process.env, ...environment };
  const output = isShown ? process.stderr : "pipe";
  const child = spawn(program, [...args], { cwd: folder, env, stdio: ["ignore", output, output] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-maxKept)));
  try {
    await ended(child, folder, [program, ...args].join(" "));
  } catch (error) {
    process.stderr.write(printed);
    throw error;
  }
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

/** Characters of the output that are kept of a program whose output is not shown. */
const maxKept = 65_536;

function ended(child: ChildProcess, folder: string, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`could not run ${command} in ${folder}: ${cause.message}`, { cause })));
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} failed in ${folder} with exit code ${code}`)),
    );
  });
}
