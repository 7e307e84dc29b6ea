import type { Clock } from "../clock.ts";
import type { Component } from "../lifecycle.ts";
import type { Logger } from "../logger.ts";
import { every } from "./every.ts";

export interface PeriodicTask {
  /** For log lines. */
  readonly name: string;
  /** The pause between the end of one turn and the start of the next. */
  readonly intervalMs: number;
  /** `signal` aborts when the component stops: a turn of many steps ends after the current one. */
  readonly run: (signal: AbortSignal) => unknown;
}

export interface PeriodicTasksOptions {
  /** Of the component, for log lines: "hooks". */
  readonly name: string;
  readonly tasks: readonly PeriodicTask[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Repeats tasks, from the start of the component until its stop. Turns of one task never overlap, and no task waits for another.
 * The error of a turn is logged, and the task runs again.
 */
export class PeriodicTasks implements Component {
  readonly name: string;
  readonly #options: PeriodicTasksOptions;
  readonly #stopping = new AbortController();
  #loops: readonly Promise<void>[] = [];

  constructor(options: PeriodicTasksOptions) {
    this.name = `${options.name}: periodic tasks`;
    this.#options = options;
  }

  start(): void {
    const { name, tasks, clock, logger } = this.#options;
    const { signal } = this.#stopping;
    this.#loops = tasks.map(({ name: task, intervalMs, run }) =>
      every({
        clock,
        signal,
        intervalMs,
        run: () => run(signal),
        first: "at once",
        onError: (error) => logger.warn({ err: error, task }, `${name}: a periodic task failed; retrying at its next interval`),
      }),
    );
  }

  /** Resolves when the running turns have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops);
  }
}
