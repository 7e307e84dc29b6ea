import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export { quietPort } from "../kit/quiet-port.ts";

const launcher = join(import.meta.dirname, "../../bin/appserver.mjs");
const startTimeoutMs = 60_000;
const stopTimeoutMs = 40_000;
const installTimeoutMs = 120_000;

export interface ServerOptions {
  readonly dataDir: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Default debug, for the analysis of failed fault tests. */
  readonly logLevel?: "debug" | "info";
  /** Default false: without the sample apps. */
  readonly examples?: boolean;
}

/** Runs `appserver dev` as its own process, on a data folder that outlives it. */
export class ServerProcess {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;
  #exit: Promise<unknown> = Promise.resolve();
  #printed = "";

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

  /** Resolves at once; {@link ready} waits. The launcher runs the server in its own process if the Node version matches. */
  start(): void {
    const { dataDir, httpPort, grpcPort, logLevel = "debug", examples = false } = this.#options;
    const child = spawn(process.execPath, [launcher, "dev", ...(examples ? [] : ["--no-examples"])], {
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
    // The file is on the disk that a test fills.
    output.on("error", () => {});
    this.#printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.pipe(output, { end: false });
      stream.on("data", (chunk: Buffer) => {
        this.#printed += chunk;
      });
    }
    child.once("close", () => output.end());
    this.#child = child;
    this.#exit = once(child, "exit");
  }

  /** What it printed since its last start. */
  get printed(): string {
    return this.#printed;
  }

  /** Waits until it printed the table of the sample apps. Rejects if the process ends before that. */
  async installed(): Promise<void> {
    for (const deadline = performance.now() + installTimeoutMs; !this.#printed.includes("Ctrl-C stops"); await sleep(20)) {
      if (!this.isRunning) throw new Error(`the server ended with ${this.exitReason}:\n${this.#printed}`);
      if (performance.now() > deadline) throw new Error(`no table within ${installTimeoutMs} ms:\n${this.#printed}`);
    }
  }

  get exitReason(): string {
    return String(this.#child?.exitCode ?? this.#child?.signalCode);
  }

  /** Waits until /ready returns 200. Rejects if the process ends before that. */
  async ready(): Promise<void> {
    for (const deadline = performance.now() + startTimeoutMs; ; await sleep(20)) {
      const answer = await fetch(`${this.httpUrl}/ready`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.status === 200) return;
      if (!this.isRunning) throw new Error(`the server ended with ${this.exitReason}:\n${this.#printed}`);
      if (performance.now() > deadline) throw new Error(`/ready was not 200 within ${startTimeoutMs} ms`);
    }
  }

  /** Sends SIGKILL to the server process only. Its apps and its database end by themselves. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exit;
  }

  /** Sends SIGTERM. Resolves with the exit code. */
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
