import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, closeSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const launcher = resolve(import.meta.dirname, "../../bin/appserver.mjs");
const startTimeoutMs = 60_000;
const stopTimeoutMs = 45_000;

type Environment = Readonly<Record<string, string>>;

/** One process of the platform. It inherits nothing from the test's environment except what every program needs. */
export class ProductionProcess {
  readonly #args: readonly string[];
  readonly #environment: Environment;
  readonly #logFile: string | undefined;
  readonly #outputFile: string | undefined;
  #child: ChildProcess | undefined;
  #exit: Promise<unknown> = Promise.resolve();
  #log = "";

  /** Its output is also written to `logFile`. Standard output goes directly to `outputFile` if that is set. */
  constructor(args: readonly string[], environment: Environment, logFile?: string, outputFile?: string) {
    this.#args = args;
    this.#outputFile = outputFile;
    this.#environment = environment;
    this.#logFile = logFile;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Everything that it has written so far, over all its starts. */
  get log(): string {
    return this.#log;
  }

  /** Starts the process and returns at once. Can be called again after {@link kill} or {@link stop}. */
  start(): void {
    // In the process group of the test, so that ending the group ends this process.
    const output = this.#outputFile === undefined ? undefined : openSync(this.#outputFile, "a");
    const child = spawn(process.execPath, [launcher, ...this.#args], {
      env: { ...programEnvironment(), ...this.#environment },
      stdio: ["ignore", output ?? "pipe", "pipe"],
    });
    if (output !== undefined) closeSync(output);
    const endWithUs = (): boolean => child.kill("SIGKILL");
    process.once("exit", endWithUs);
    child.once("exit", () => process.off("exit", endWithUs));
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => this.#keep(chunk));
    this.#child = child;
    this.#exit = once(child, "close");
  }

  #keep(chunk: string): void {
    this.#log += chunk;
    if (this.#logFile !== undefined) appendFileSync(this.#logFile, chunk);
  }

  /** Waits until `isReady` holds. Rejects with its last lines if the process ends before that, or after a minute. */
  async until(isReady: () => boolean | Promise<boolean>): Promise<void> {
    for (const deadline = performance.now() + startTimeoutMs; ; await sleep(20)) {
      if (await isReady()) return;
      const problem = !this.isRunning
        ? `ended with ${this.#child?.exitCode ?? this.#child?.signalCode}`
        : performance.now() > deadline && `was not ready within ${startTimeoutMs} ms`;
      if (problem) throw new Error(`appserver ${this.#args.join(" ")} ${problem}:\n${this.#log.slice(-4_000)}`);
    }
  }

  /** Sends SIGKILL to the process. Its workers, if any, detect it. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exit;
  }

  /**
   * Sends SIGTERM. Resolves with the exit code, or with null if it did not end in time and was killed. Containers keep running.
   */
  async stop(): Promise<number | null> {
    if (!this.isRunning) return this.#child?.exitCode ?? null;
    this.#child?.kill("SIGTERM");
    const patience = new AbortController();
    const late = sleep(stopTimeoutMs, "late", { signal: patience.signal, ref: false }).catch(() => "");
    if ((await Promise.race([this.#exit, late])) === "late") await this.kill();
    patience.abort();
    return this.#child?.exitCode ?? null;
  }
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `appserver …` to its end, with only this environment. Does not reject if the command fails. */
export async function runAppserver(args: readonly string[], environment: Environment): Promise<CommandResult> {
  const child = spawn(process.execPath, [launcher, ...args], {
    env: { ...programEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: startTimeoutMs,
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
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME };
}
