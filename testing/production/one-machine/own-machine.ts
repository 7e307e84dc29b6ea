import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

interface OwnMachineOptions {
  /** For what is written. */
  readonly folder: string;
  /** Of an engine. It is `/run/docker.sock` there. */
  readonly engineSocket?: string;
}

/**
 * A machine for commands with the absolute paths of an installation: this one, with folders `/etc`, `/opt`,
 * `/usr/local`, `/var` and `/run` of its own. Needs root.
 */
export class OwnMachine {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  static async start({ folder, engineSocket }: OwnMachineOptions): Promise<OwnMachine> {
    const mounts = ["/etc", "/opt", "/usr/local", "/var", "/run"].map((path) => {
      const [upper, work] = [join(folder, "upper", path), join(folder, "work", path)];
      for (const each of [upper, work]) mkdirSync(each, { recursive: true });
      return `mount -t overlay overlay -o lowerdir=${path},upperdir=${upper},workdir=${work} ${path}`;
    });
    const bind = (from: string, to: string): string => `rm -f ${to}; touch ${to}; mount --bind ${from} ${to}`;
    // A socket below an overlay is another one.
    const socket = join(folder, "engine.sock");
    const [before, after] = engineSocket === undefined ? [] : [bind(engineSocket, socket), bind(socket, "/run/docker.sock")];
    const script = [before, ...mounts, after, "echo ready", "exec sleep infinity"]
      .filter((line) => line !== undefined)
      .join("\n");
    const [program = "", ...words] = ["unshare", "--mount", "sh", "-e", "-c", script];
    const holder = spawn(program, words, { stdio: ["ignore", "pipe", "inherit"] });
    const first = await Promise.race([once(holder.stdout, "data"), once(holder, "exit").then(() => ["ended"])]);
    if (String(first[0]).trim() !== "ready") throw new Error(`the machine is not ready: ${first[0]}`);
    return new OwnMachine(holder);
  }

  /** The words before a command that run it there, in `/`. */
  get prefix(): readonly string[] {
    return ["nsenter", `--mount=/proc/${this.#holder.pid}/ns/mnt`, "--"];
  }

  /** Runs a command of the shell, and returns what it prints. Rejects with its output if it fails. */
  async run(command: string, environment: NodeJS.ProcessEnv = process.env): Promise<string> {
    const [program = "", ...rest] = this.prefix;
    const { stdout } = await execute(program, [...rest, "sh", "-e", "-c", command], {
      env: environment,
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  }

  async stop(): Promise<void> {
    const ended = once(this.#holder, "exit");
    this.#holder.kill("SIGKILL");
    await ended;
  }
}
