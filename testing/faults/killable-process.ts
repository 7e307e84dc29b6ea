import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a script of this folder in its own process, which tests kill and start again. */
export class KillableProcess {
  readonly #script: string;
  readonly #arguments: readonly string[];
  #child: ChildProcess | undefined;

  constructor(script: string, scriptArguments: readonly string[]) {
    this.#script = script;
    this.#arguments = scriptArguments;
  }

  start(): ChildProcess {
    this.#child = spawn(process.execPath, [this.#script, ...this.#arguments], { stdio: ["ignore", "pipe", "inherit"] });
    return this.#child;
  }

  /** Starts it and waits for its first output. Rejects if it ends before that. */
  async startAndWait(): Promise<void> {
    const child = this.start();
    const gone = once(child, "exit").then(() => {
      throw new Error(`${this.#script} ended with ${child.exitCode ?? child.signalCode}`);
    });
    gone.catch(() => {});
    await Promise.race([once(child.stdout ?? child, "data"), gone]);
  }

  /** Sends SIGKILL. Resolves when it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}
