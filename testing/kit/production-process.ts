import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { AppserverProcess, launcher } from "./appserver-process.ts";

const commandTimeoutMs = 60_000;

type Environment = Readonly<Record<string, string>>;

/** One process of the platform. It inherits nothing from the test's environment except what every program needs. */
export class ProductionProcess extends AppserverProcess {
  /** Its output is also written to `logFile`. Standard output goes directly to `outputFile` if that is set. */
  constructor(args: readonly string[], environment: Environment, logFile?: string, outputFile?: string) {
    super(args, {
      environment: { ...programEnvironment(), ...environment },
      outputFile,
      onOutput: (text) => logFile !== undefined && appendFileSync(logFile, text),
    });
  }
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `appserver …` to its end, with only this environment. Does not reject if the command fails. */
export async function runAppserver(
  args: readonly string[],
  environment: Environment,
  timeoutMs = commandTimeoutMs,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [launcher, ...args], {
    env: { ...programEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** Like {@link runAppserver}, but rejects with its output unless the exit code is 0. Returns its standard output. */
export async function appserver(args: readonly string[], environment: Environment): Promise<string> {
  const { code, stdout, stderr } = await runAppserver(args, environment);
  if (code !== 0) throw new Error(`appserver ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

function programEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "", APPSERVER_PLAIN_PATH } = process.env;
  // The person who runs the tests may choose how requests are read.
  return { PATH, HOME, ...(APPSERVER_PLAIN_PATH !== undefined && { APPSERVER_PLAIN_PATH }) };
}
