import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { DatabaseError } from "../platform-ports/database.ts";
import { type BackoffOptions, backoffMs } from "./backoff.ts";

export interface IsolatedRowsOptions<Row> {
  /** What a turn does with a row, for log lines: "activity: starting a due schedule". */
  readonly what: string;
  /** Identifies a row in the next turn. */
  readonly keyOf: (row: Row) => string;
  /** Identifies a row in log lines. */
  readonly fields: (row: Row) => Readonly<Record<string, unknown>>;
  /** How long a row that fails is left out. @defaultValue 5 s, doubling up to 5 min */
  readonly pauses?: BackoffOptions;
  /** For rows that store their failures, so that they are left out on every replica. @defaultValue the memory of this process */
  readonly stored?: StoredFailures<Row>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Where the failures of rows are stored. */
export interface StoredFailures<Row> {
  /** Returns how often the row has failed since it last succeeded. A success of its step must reset it. */
  readonly failuresOf: (row: Row) => number;
  /** Stores a further failure. The row must not be in a turn before `retryMs` have passed. */
  readonly postpone: (row: Row, error: unknown, retryMs: number) => Promise<void>;
}

interface FailedRow {
  readonly failures: number;
  /** Monotonic. */
  readonly retryAt: number;
}

/**
 * Runs the step of a periodic task for each of its rows. A row that fails never stops the others: it is left out for a while, longer
 * after each failure. Its first failure is a warning, the further ones are logged at level debug.
 */
export class IsolatedRows<Row> {
  readonly #options: IsolatedRowsOptions<Row>;
  #failed: ReadonlyMap<string, FailedRow> = new Map();

  constructor(options: IsolatedRowsOptions<Row>) {
    this.#options = options;
  }

  /** The keys of the rows that are left out now. A read that takes a limited number of rows must not be filled by them. */
  get leftOut(): readonly string[] {
    const now = this.#options.clock.monotonic();
    return [...this.#failed].flatMap(([key, { retryAt }]) => (retryAt > now ? key : []));
  }

  /**
   * Runs `step` once for all rows that are not left out. If it fails, runs it for each of them alone, so that only those that fail
   * alone are left out. `step` must be one transaction. Rejects like {@link run}.
   */
  async runTogether(rows: readonly Row[], step: (rows: readonly Row[]) => unknown): Promise<void> {
    const leftOut = new Set(this.leftOut);
    const present = rows.filter((row) => !leftOut.has(this.#options.keyOf(row)));
    if (present.length === 0) return;
    try {
      await step(present);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      await this.run(rows, (row) => step([row]));
    }
  }

  /**
   * Runs `step` for one row after the other. `rows` are all rows of the turn. Returns what the steps returned. Rejects only if the
   * database is unreachable, because no other row would succeed.
   */
  async run<Result>(rows: Iterable<Row>, step: (row: Row) => Result | Promise<Result>): Promise<readonly Awaited<Result>[]> {
    const { keyOf, stored } = this.#options;
    const results: Awaited<Result>[] = [];
    const leftOut = new Set(this.leftOut);
    const failed = new Map([...this.#failed].filter(([key]) => leftOut.has(key)));
    for (const row of rows) {
      const key = keyOf(row);
      const before = this.#failed.get(key);
      if (leftOut.has(key)) continue;
      try {
        results.push(await step(row));
        failed.delete(key);
        const failures = before?.failures ?? stored?.failuresOf(row) ?? 0;
        if (failures > 0) this.#logRecovery(row, failures);
      } catch (error) {
        if (isUnreachable(error)) throw error;
        const failure = await this.#fail(row, error, before);
        if (!stored) failed.set(key, failure);
      }
    }
    this.#failed = failed;
    return results;
  }

  async #fail(row: Row, error: unknown, before: FailedRow | undefined): Promise<FailedRow> {
    const { what, fields, pauses = { firstMs: 5_000, maxMs: 300_000 }, stored, clock, logger } = this.#options;
    const failures = (before?.failures ?? stored?.failuresOf(row) ?? 0) + 1;
    const retryMs = backoffMs(failures, pauses);
    logger[failures === 1 ? "warn" : "debug"]({ err: error, ...fields(row), failures, retryMs }, `${what} failed; retrying`);
    await stored?.postpone(row, error, retryMs);
    return { failures, retryAt: clock.monotonic() + retryMs };
  }

  #logRecovery(row: Row, failures: number): void {
    const { what, fields, logger } = this.#options;
    logger.info({ ...fields(row), failures }, `${what} works again`);
  }
}

/** Not a timeout: a single row may be locked for long. */
function isUnreachable(error: unknown): boolean {
  return error instanceof DatabaseError && error.reason === "unavailable";
}
