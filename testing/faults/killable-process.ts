import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A script of this folder in a process of its own, made to be killed and started again. */
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

  /** Starts it and waits for what it prints first. Rejects when it ends before. */
  async startAndWait(): Promise<void> {
    const child = this.start();
    const gone = once(child, "exit").then(() => {
      throw new Error(`${this.#script} ended with ${child.exitCode ?? child.signalCode}`);
    });
    gone.catch(() => {});
    await Promise.race([once(child.stdout ?? child, "data"), gone]);
  }

  /** kill -9; resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}
