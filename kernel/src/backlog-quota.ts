import { AppError } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import { SingleFlight } from "./concurrency/single-flight.ts";
import type { Logger } from "./logger.ts";

export interface BacklogQuotaOptions {
  /** Maximum number of waiting items of one owner. */
  readonly max: number;
  /** For messages, in the plural: "deliveries". */
  readonly what: string;
  /** Counts the owner's waiting items. Counting may stop after `limit`. */
  readonly count: (owner: string, limit: number) => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Backlog {
  /** The last count. */
  counted: number;
  countedAt: number;
  /** Items added since that count began. */
  added: number;
  counting: Promise<void> | undefined;
}

/** A count for each item would cost more than the item itself. */
const countEveryMs = 5_000;

/**
 * Keeps one app from filling the database with waiting items. Each process counts every few seconds, so a fast app may exceed
 * the limit a little before it is refused.
 */
export class BacklogQuota {
  readonly #options: BacklogQuotaOptions;
  readonly #backlogs = new Map<string, Backlog>();
  /** The count in progress. Callers share it: with separate counts they would be accepted in the order of the results. */
  readonly #firstCounts = new SingleFlight<string, Backlog>();

  constructor(options: BacklogQuotaOptions) {
    this.#options = options;
  }

  /** Rejects with RATE_LIMIT_EXCEEDED while the owner has too many waiting items, and as `count` if the first count fails. */
  async checkQuota(owner: string): Promise<void> {
    const backlog = this.#backlogs.get(owner) ?? (await this.#firstCounts.run(owner, () => this.#firstCount(owner)));
    const { max, what, clock, logger } = this.#options;
    if (!backlog.counting && clock.monotonic() - backlog.countedAt >= countEveryMs) {
      // No caller waits for this count: the last count plus the items added since then is used.
      this.#count(owner, backlog).catch((error: unknown) => logger.warn({ err: error, owner, what }, "quota: counting failed"));
    }
    if (backlog.counted + backlog.added < max) return;
    throw new AppError(
      "RATE_LIMIT_EXCEEDED",
      `${owner} has ${max} or more ${what} waiting: no more are accepted until some are done`,
      {
        details: { limit: max, retry_after: countEveryMs / 1_000 },
      },
    );
  }

  /** Adds items that were stored after `admit`. */
  added(owner: string, amount = 1): void {
    const backlog = this.#backlogs.get(owner);
    if (backlog) backlog.added += amount;
  }

  async #firstCount(owner: string): Promise<Backlog> {
    const backlog: Backlog = { counted: 0, countedAt: Number.NEGATIVE_INFINITY, added: 0, counting: undefined };
    await this.#count(owner, backlog);
    this.#backlogs.set(owner, backlog);
    return backlog;
  }

  #count(owner: string, backlog: Backlog): Promise<void> {
    const { count, max, clock } = this.#options;
    const before = backlog.added;
    const startedAt = clock.monotonic();
    backlog.counting = count(owner, max)
      .then((counted) => {
        backlog.counted = counted;
        backlog.added -= before;
      })
      .finally(() => {
        backlog.countedAt = startedAt;
        backlog.counting = undefined;
      });
    return backlog.counting;
  }
}
