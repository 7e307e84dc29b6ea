import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const mark = "end-of-commands-7c1f";

/** The terminal of an operator: one bash, whose variables and functions stay from one command to the next. It ends at the first failure. */
export class OperatorShell {
  readonly #child: ChildProcess;
  readonly #script: string;
  readonly #ended: Promise<unknown>;
  #stdout = "";
  #stderr = "";

  /** `folder` is for its files. */
  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.#script = join(folder, "commands.sh");
    this.#child = spawn("bash", ["-e", "-o", "pipefail"], { env: environment, stdio: ["pipe", "pipe", "pipe"] });
    this.#ended = once(this.#child, "close");
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
  }

  /** Returns what the commands print. Rejects with all their output if one of them fails, or at the time limit. */
  async run(commands: string, timeoutMs = 180_000): Promise<string> {
    const [from, errorsFrom] = [this.#stdout.length, this.#stderr.length];
    const printed = (): string => this.#stdout.slice(from);
    const failed = (why: string): Error =>
      new Error(`${why}: ${commands}\n${printed()}${this.#stderr.slice(errorsFrom)}`.slice(0, 6_000));
    writeFileSync(this.#script, commands, { mode: 0o600 });
    this.#child.stdin?.write(`source '${this.#script}' < /dev/null; printf '%s\\n' ${mark}\n`);
    let hasEnded = false;
    void this.#ended.then(() => {
      hasEnded = true;
    });
    for (const deadline = performance.now() + timeoutMs; !printed().endsWith(`${mark}\n`); await sleep(20)) {
      if (hasEnded) throw failed(`the shell ended with ${this.#child.exitCode}`);
      if (performance.now() > deadline) throw failed(`not done after ${timeoutMs} ms`);
    }
    return printed().slice(0, -mark.length - 1);
  }

  /** Ends it, as the loss of its machine does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
