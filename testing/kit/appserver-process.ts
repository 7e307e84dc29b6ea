import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./eventually.ts";

export const launcher = resolve(import.meta.dirname, "../../bin/appserver.mjs");
const maxShown = 4_000;

export interface AppserverProcessOptions {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /**
   * `test` (default): the process group of the test, so that ending the group ends this process. `own`: its own group, which is
   * killed as a whole if the process does not stop; its children may outlive a {@link AppserverProcess.kill}.
   */
  readonly group?: "test" | "own";
  /** The program to run instead of `appserver`. */
  readonly program?: string;
  /** Its working directory. Default: that of the test. */
  readonly folder?: string;
  /** Receives everything that it writes. */
  readonly onOutput?: (text: string) => void;
  /** Standard output goes directly to this file, and not to {@link AppserverProcess.log}. */
  readonly outputFile?: string | undefined;
  /** Time limit of {@link AppserverProcess.until}. Default: a minute. */
  readonly startTimeoutMs?: number;
  /** Time from the signal of {@link AppserverProcess.stop} to SIGKILL. Default: 45 s. */
  readonly stopTimeoutMs?: number;
}

/** Runs `appserver …` as its own process: starts it, waits until it is ready, reads its log, stops and kills it. */
export class AppserverProcess {
  readonly #args: readonly string[];
  readonly #options: AppserverProcessOptions;
  #child: ChildProcess | undefined;
  #exit: Promise<unknown> = Promise.resolve();
  #log = "";
  #lastStart = 0;

  constructor(args: readonly string[], options: AppserverProcessOptions) {
    this.#args = args;
    this.#options = options;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Exit code or signal. */
  get exitReason(): string {
    return String(this.#child?.exitCode ?? this.#child?.signalCode);
  }

  /** Everything that it has written so far, over all its starts. */
  get log(): string {
    return this.#log;
  }

  /** The output since its last start. */
  get printed(): string {
    return this.#log.slice(this.#lastStart);
  }

  /**
   * Starts the process and returns at once. Can be called again after {@link kill} or {@link stop}. The launcher runs the server
   * in its own process if the Node version matches.
   */
  start(): void {
    const { environment, outputFile, group, folder, program = launcher } = this.#options;
    const output = outputFile === undefined ? undefined : openSync(outputFile, "a");
    const child = spawn(process.execPath, [program, ...this.#args], {
      env: environment,
      ...(folder !== undefined && { cwd: folder }),
      stdio: ["ignore", output ?? "pipe", "pipe"],
      detached: group === "own",
    });
    if (output !== undefined) closeSync(output);
    if (group !== "own") endWithTest(child);
    this.#lastStart = this.#log.length;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => this.#keep(chunk));
    this.#child = child;
    // In its own group it may leave children that keep its output open.
    this.#exit = once(child, group === "own" ? "exit" : "close");
  }

  #keep(chunk: string): void {
    this.#log += chunk;
    this.#options.onOutput?.(chunk);
  }

  /** Waits until `isReady` holds. Rejects with its last lines if the process ends before that, or at the time limit. */
  async until(isReady: () => boolean | Promise<boolean>, timeoutMs = this.#options.startTimeoutMs ?? 60_000): Promise<void> {
    const look = async (): Promise<boolean> => {
      if (await isReady()) return true;
      if (!this.isRunning) throw new Error(`ended with ${this.exitReason}`);
      return false;
    };
    try {
      await eventually(look, Boolean, { timeoutMs, intervalMs: 20, what: "it is ready" });
    } catch (cause) {
      throw new Error(`appserver ${this.#args.join(" ")}: ${String(cause)}:\n${this.printed.slice(-maxShown)}`, { cause });
    }
  }

  /** Resolves when the process has ended. */
  async ended(): Promise<void> {
    await this.#exit;
  }

  /** Sends SIGKILL to the process. Its workers, apps and database, if any, detect it and end by themselves. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exit;
  }

  /**
   * Sends the signal. Resolves with the exit code, or with null if it did not end in time and was killed. Containers keep
   * running.
   */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (!this.isRunning) return this.#child?.exitCode ?? null;
    this.#child?.kill(signal);
    const patience = new AbortController();
    const timer = { signal: patience.signal, ref: false };
    const late = sleep(this.#options.stopTimeoutMs ?? 45_000, "late", timer).catch(() => "");
    if ((await Promise.race([this.#exit, late])) === "late") {
      if (this.#options.group === "own") process.kill(-this.pid, "SIGKILL");
      await this.kill();
    }
    patience.abort();
    return this.#child?.exitCode ?? null;
  }
}

function endWithTest(child: ChildProcess): void {
  const end = (): boolean => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
}

/** Whether /ready returns 200, in cleartext. */
export async function isReady(httpUrl: string): Promise<boolean> {
  const answer = await fetch(`${httpUrl}/ready`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}
