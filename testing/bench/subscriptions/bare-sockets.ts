import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Served, servedBy } from "../gateways/forked.ts";
import type { PeerCommand, PeerReport } from "./broadcast-process.ts";

/** The running peer: a bare `ws` server. */
export class BareSockets {
  readonly httpUrl: string;
  readonly pid: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { port, pid }: Served) {
    this.#child = child;
    this.httpUrl = `http://127.0.0.1:${port}`;
    this.pid = pid;
  }

  static async start(): Promise<BareSockets> {
    const execArgv = ["--disable-warning=ExperimentalWarning", "--expose-gc"];
    const child = fork(join(import.meta.dirname, "broadcast-process.ts"), { execArgv });
    return new BareSockets(child, await servedBy(child));
  }

  /** Sends the text to all clients. Returns when it began, in milliseconds since 1970. */
  async broadcast(text: string): Promise<number> {
    return this.#run({ kind: "broadcast", text });
  }

  async collectGarbage(): Promise<void> {
    await this.#run({ kind: "collect" });
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await once(this.#child, "exit");
  }

  async #run(command: PeerCommand): Promise<number> {
    const reported = once(this.#child, "message") as Promise<[PeerReport]>;
    this.#child.send(command);
    const [{ at }] = await reported;
    return at;
  }
}
