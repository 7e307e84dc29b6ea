import { type Clock, type Component, type Logger, PeriodicTasks } from "@appserver/kernel";
import type { AppFigures, Lease, Leases } from "../ports.ts";

const intervalMs = 60_000;
const leaseName = "records-figures";
/** Of a process that has died, so that another one continues after it. */
const leaseTtlMs = 150_000;
const stepMs = 300_000;
const dayMs = 24 * 3_600_000;
/** Samples are kept for an hour. The steps of this time have all of theirs. */
const sampledMs = 50 * 60_000;

export interface FigureKeeperOptions {
  readonly figures: Pick<AppFigures, "rollUp" | "removeBefore">;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Adds up the samples of all processes to the figures of a day, every minute, in one process of the platform. Each turn computes the
 * steps since the turn before again, so that a turn may be repeated or fail; the first one of a process computes those of the hour.
 */
export class FigureKeeper implements Component {
  readonly name = "figures of apps";
  readonly #options: FigureKeeperOptions;
  readonly #tasks: PeriodicTasks;
  #lease: Lease | undefined;
  /** Of the last turn that succeeded under this lease. */
  #rolledUpAt: number | undefined;

  constructor(options: FigureKeeperOptions) {
    this.#options = options;
    const task = { name: this.name, intervalMs, run: () => this.turn() };
    this.#tasks = new PeriodicTasks({ ...options, name: "records", tasks: [task] });
  }

  start(): void {
    this.#tasks.start();
  }

  async stop(): Promise<void> {
    await this.#tasks.stop();
    // If it is not released, it expires.
    await this.#lease?.release().catch(() => {});
  }

  async turn(): Promise<void> {
    const { figures, leases, clock } = this.#options;
    if (!(await this.#lease?.renew())) {
      this.#rolledUpAt = undefined;
      this.#lease = await leases.acquire(leaseName, leaseTtlMs);
    }
    if (!this.#lease) return;
    const now = clock.now();
    const since = Math.max(now - sampledMs, (this.#rolledUpAt ?? 0) - stepMs);
    await figures.rollUp(new Date(Math.floor(since / stepMs) * stepMs));
    await figures.removeBefore(new Date(now - dayMs));
    this.#rolledUpAt = now;
  }
}
