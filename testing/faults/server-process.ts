import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export { quietPort } from "../kit/quiet-port.ts";

const launcher = join(import.meta.dirname, "../../bin/appserver.mjs");
const startTimeoutMs = 60_000;
const stopTimeoutMs = 40_000;

export interface ServerOptions {
  readonly dataDir: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Default debug: what a fault test that fails wants to read. */
  readonly logLevel?: "debug" | "info";
}

/** `appserver dev --no-examples` as its own process, on a data folder that outlives it. */
export class ServerProcess {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;
  #exit: Promise<unknown> = Promise.resolve();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.httpUrl = `http://127.0.0.1:${options.httpPort}`;
    this.grpcUrl = `http://127.0.0.1:${options.grpcPort}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves at once; {@link ready} waits. The launcher runs the server in its own process under a Node like this one. */
  start(): void {
    const { dataDir, httpPort, grpcPort, logLevel = "debug" } = this.#options;
    const child = spawn(process.execPath, [launcher, "dev", "--no-examples"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        APPSERVER_DATA_DIR: dataDir,
        APPSERVER_HTTP_PORT: String(httpPort),
        APPSERVER_GRPC_PORT: String(grpcPort),
        APPSERVER_LOG_LEVEL: logLevel,
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const output = createWriteStream(join(dataDir, "output.log"), { flags: "a" });
    for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
    child.once("close", () => output.end());
    this.#child = child;
    this.#exit = once(child, "exit");
  }

  /** Until /ready answers 200. Rejects when the process ends before. */
  async ready(): Promise<void> {
    for (const deadline = performance.now() + startTimeoutMs; ; await sleep(20)) {
      const answer = await fetch(`${this.httpUrl}/ready`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.status === 200) return;
      if (!this.isRunning) throw new Error(`the server ended with ${this.#child?.exitCode ?? this.#child?.signalCode}`);
      if (performance.now() > deadline) throw new Error(`/ready was not 200 within ${startTimeoutMs} ms`);
    }
  }

  /** kill -9 of the process that serves; its apps and its database see to themselves. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exit;
  }

  /** SIGTERM; resolves with the exit code. */
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
