import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";

export type CrowdCommand =
  | { readonly kind: "open"; readonly urls: readonly string[]; readonly tokens: readonly string[]; readonly count: number }
  | { readonly kind: "close" };

export type CrowdReport =
  | { readonly kind: "opened" | "closed" }
  | { readonly kind: "received"; readonly messages: number; readonly at: number; readonly text: string }
  | { readonly kind: "ended"; readonly text: string }
  | { readonly kind: "lost"; readonly code: number };

/** Maximum time until all sockets are open, or have received an event. */
const timeoutMs = 120_000;

/** Many subscribers of `appStateChanged`, each with its own WebSocket, in a separate process. */
export class SubscriberCrowd {
  /** Close codes of connections that a server closed. */
  readonly lost: number[] = [];
  /** Messages with which a server ended subscriptions. */
  readonly ended: string[] = [];
  readonly #child: ChildProcess;
  readonly #reports = new EventEmitter<Record<string, []>>();
  readonly #completedAt: number[] = [];
  readonly #exited = new AbortController();
  #size = 0;
  #lastText = "";

  constructor() {
    this.#child = fork(join(import.meta.dirname, "subscriber-process.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child.on("message", (report: CrowdReport) => this.#receive(report));
    this.#child.once("exit", () => this.#exited.abort());
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * Opens the subscriptions, in turn on each server, and on each server with each token in turn. Resolves when all of them have
   * started.
   */
  async open(httpUrls: readonly string[], tokens: readonly string[], count: number): Promise<void> {
    this.#size = count;
    this.#completedAt.length = 0;
    const urls = httpUrls.map((url) => `${url.replace("http", "ws")}/graphql`);
    await this.#run({ kind: "open", urls, tokens, count }, "opened");
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    await this.#run({ kind: "close" }, "closed");
  }

  /** Number of events that every subscriber has received. */
  get events(): number {
    return this.#completedAt.length;
  }

  /** The message with which the last event was complete. */
  get lastText(): string {
    return this.#lastText;
  }

  /**
   * Returns when the last subscriber received the event with this number, from 0. Milliseconds since 1970. Rejects if a server ended
   * a subscription or its connection.
   */
  async lastReceived(event: number): Promise<number> {
    for (;;) {
      const [text = this.lost[0]] = this.ended;
      if (text !== undefined) throw new Error(`a subscriber was lost: ${text}`);
      const at = this.#completedAt[event];
      if (at !== undefined) return at;
      await once(this.#reports, "any", { signal: this.#limit() });
    }
  }

  /** Ends the process and its connections. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  async #run(command: CrowdCommand, end: "opened" | "closed"): Promise<void> {
    const ended = this.#next(end);
    this.#child.send(command);
    await ended;
  }

  /** Rejects if the process ends before, or after the time limit. */
  async #next(kind: CrowdReport["kind"]): Promise<void> {
    await once(this.#reports, kind, { signal: this.#limit() });
  }

  #limit(): AbortSignal {
    return AbortSignal.any([this.#exited.signal, AbortSignal.timeout(timeoutMs)]);
  }

  #receive(report: CrowdReport): void {
    if (report.kind === "lost") this.lost.push(report.code);
    if (report.kind === "ended") this.ended.push(report.text);
    if (report.kind === "received") {
      this.#completedAt[report.messages / this.#size - 1] = report.at;
      this.#lastText = report.text;
    }
    this.#reports.emit(report.kind);
    this.#reports.emit("any");
  }
}
