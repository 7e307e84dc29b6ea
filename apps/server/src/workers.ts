import cluster, { type Worker } from "node:cluster";
import type { Logger } from "@appserver/kernel";
import { WorkerReadiness } from "./worker-readiness.ts";

/** A worker that ends sooner than this after its start counts as failed; the next start is delayed. */
const settledMs = 10_000;
const firstDelayMs = 500;
const maxDelayMs = 10_000;

/** The worker processes of one machine (APPSERVER_WORKERS). They share only the ports. */
export interface Workers {
  /** Resolves when every worker has ended: after {@link stop}, or when the first workers fail to start. */
  readonly ended: Promise<{ readonly exitCode: number }>;
  /** Sends SIGTERM to every worker, which drains and ends. Resolves when all workers have ended. */
  stop(): Promise<void>;
}

/**
 * Starts `count` worker processes of this program and restarts a worker that ends. Each worker is a replica. If a worker ends
 * before any has run for a while, all workers are stopped: a restart would fail in the same way.
 */
export function startWorkers(count: number, logger: Logger): Workers {
  const group = new WorkerGroup(count, logger);
  for (let index = 0; index < count; index++) group.fork();
  return group;
}

class WorkerGroup implements Workers {
  readonly ended: Promise<{ readonly exitCode: number }>;
  readonly #logger: Logger;
  readonly #readiness: WorkerReadiness;
  readonly #living = new Set<Worker>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #delayMs = firstDelayMs;
  #everSettled = false;
  #stopping = false;
  #exitCode = 0;
  #end: (result: { exitCode: number }) => void = () => {};

  constructor(count: number, logger: Logger) {
    this.#logger = logger;
    this.#readiness = new WorkerReadiness(count);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  fork(): void {
    const startedAt = performance.now();
    const worker = cluster.fork();
    this.#living.add(worker);
    this.#readiness.add(worker);
    const settled = this.#later(settledMs, () => {
      this.#everSettled = true;
      this.#delayMs = firstDelayMs;
    });
    // The channel can fail when a worker dies. The exit event reports the death too.
    worker.on("error", (error) => this.#logger.debug({ err: error }, "workers: lost the channel to a worker"));
    worker.once("exit", (code, signal) => {
      this.#living.delete(worker);
      this.#cancel(settled);
      this.#ended(code, signal, performance.now() - startedAt);
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) this.#cancel(timer);
    for (const worker of this.#living) worker.process.kill("SIGTERM");
    this.#endWhenEmpty();
    await this.ended;
  }

  #ended(code: number | null, signal: string | null, livedMs: number): void {
    if (!this.#stopping) {
      this.#logger.error({ code, signal, livedMs: Math.round(livedMs) }, "workers: a worker ended");
      if (!this.#everSettled && livedMs < settledMs) {
        this.#exitCode = code ?? 1;
        void this.stop();
      } else {
        this.#later(this.#delayMs, () => this.fork());
        this.#delayMs = Math.min(2 * this.#delayMs, maxDelayMs);
      }
    }
    this.#endWhenEmpty();
  }

  #endWhenEmpty(): void {
    if (this.#stopping && this.#living.size === 0) this.#end({ exitCode: this.#exitCode });
  }

  #later(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #cancel(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }
}
