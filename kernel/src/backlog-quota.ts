import { AppError } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import { SingleFlight } from "./concurrency/single-flight.ts";
import type { Logger } from "./logger.ts";

export interface BacklogQuotaOptions {
  /** Most pieces of work of one owner that may wait. */
  readonly max: number;
  /** For messages, in the plural: "deliveries". */
  readonly what: string;
  /** How much of the owner's waits; counting may stop after `limit`. */
  readonly count: (owner: string, limit: number) => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Backlog {
  /** As last counted. */
  counted: number;
  countedAt: number;
  /** Admitted since that count began. */
  admitted: number;
  counting: Promise<void> | undefined;
}

/** Counting for each piece of work would cost more than the work. */
const countEveryMs = 5_000;

/**
 * Keeps one app from filling the database with work that waits. It counts every few seconds, and each process for itself, so
 * that a fast app may get somewhat above the limit: what counts is that it does not go on.
 */
export class BacklogQuota {
  readonly #options: BacklogQuotaOptions;
  readonly #backlogs = new Map<string, Backlog>();
  /** Shared by everyone who comes during it: each with a count of its own would be admitted in the order of the answers. */
  readonly #firstCounts = new SingleFlight<string, Backlog>();

  constructor(options: BacklogQuotaOptions) {
    this.#options = options;
  }

  /** Rejects with RATE_LIMIT_EXCEEDED while too much of the owner's waits, and as `count` if it was never counted. */
  async admit(owner: string): Promise<void> {
    const backlog = this.#backlogs.get(owner) ?? (await this.#firstCounts.run(owner, () => this.#firstCount(owner)));
    const { max, what, clock, logger } = this.#options;
    if (!backlog.counting && clock.monotonic() - backlog.countedAt >= countEveryMs) {
      // No caller waits for it: the last count still holds, plus the items admitted since.
      this.#count(owner, backlog).catch((error: unknown) => logger.warn({ err: error, owner, what }, "quota: counting failed"));
    }
    if (backlog.counted + backlog.admitted < max) return;
    throw new AppError(
      "RATE_LIMIT_EXCEEDED",
      `${owner} has ${max} or more ${what} waiting: no more are accepted until some are done`,
      {
        details: { limit: max, retry_after: countEveryMs / 1_000 },
      },
    );
  }

  /** Counts what was stored after `admit`. */
  added(owner: string, amount = 1): void {
    const backlog = this.#backlogs.get(owner);
    if (backlog) backlog.admitted += amount;
  }

  async #firstCount(owner: string): Promise<Backlog> {
    const backlog: Backlog = { counted: 0, countedAt: Number.NEGATIVE_INFINITY, admitted: 0, counting: undefined };
    await this.#count(owner, backlog);
    this.#backlogs.set(owner, backlog);
    return backlog;
  }

  #count(owner: string, backlog: Backlog): Promise<void> {
    const { count, max, clock } = this.#options;
    const before = backlog.admitted;
    const startedAt = clock.monotonic();
    backlog.counting = count(owner, max)
      .then((counted) => {
        backlog.counted = counted;
        backlog.admitted -= before;
      })
      .finally(() => {
        backlog.countedAt = startedAt;
        backlog.counting = undefined;
      });
    return backlog.counting;
  }
}
