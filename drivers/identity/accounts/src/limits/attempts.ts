import { AppError, advisoryLocks } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";

/** So many attempts in the time before. */
export interface AttemptLimit {
  readonly key: string;
  /** Infinity: they are counted only. */
  readonly limit: number;
  readonly windowMs: number;
}

/** No window is longer. */
const keptMs = 3_600_000;
const maxInt = 2 ** 31 - 1;

/** Counts attempts by rows, so that all servers count together. */
export class Attempts {
  readonly #database: AccountsDatabase;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  /** Counts an attempt. Throws RATE_LIMIT_EXCEEDED, and counts nothing, if one of the limits is reached. */
  async count(limits: readonly AttemptLimit[]): Promise<void> {
    const keys = limits.map(({ key }) => key).sort();
    const waitMs = await this.#database.transaction(async (tx) => {
      // In a statement of their own, so that the next one sees what the holder of a lock has counted.
      for (const key of keys) await tx.query("select pg_advisory_xact_lock($1, hashtext($2))", [advisoryLocks.attempts, key]);
      const { rows } = await tx.query<{ waitMs: number }>(
        `select coalesce(max(extract(epoch from full_at + window_ms * interval '1 millisecond' - statement_timestamp()) * 1000), 0)::float8
           as "waitMs"
         from unnest($1::text[], $2::int[], $3::int8[]) given (key, max, window_ms)
         cross join lateral (
           select at as full_at from accounts.attempts a
           where a.key = given.key and a.at > statement_timestamp() - window_ms * interval '1 millisecond'
           order by at desc offset given.max - 1 limit 1
         ) recent`,
        [
          limits.map(({ key }) => key),
          limits.map(({ limit }) => Math.min(limit, maxInt)),
          limits.map(({ windowMs }) => windowMs),
        ],
      );
      const wait = rows[0]?.waitMs ?? 0;
      if (wait <= 0) {
        await tx.query("insert into accounts.attempts (key, at) select unnest($1::text[]), statement_timestamp()", [keys]);
      }
      return wait;
    });
    if (waitMs <= 0) return;
    const details = { retry_after: Math.max(1, Math.ceil(waitMs / 1_000)) };
    throw new AppError("RATE_LIMIT_EXCEEDED", "too many attempts to sign in", { details });
  }

  /** Forgets what was counted by a key, after a success. */
  async forget(tx: SqlExecutor, key: string): Promise<void> {
    await tx.query("delete from accounts.attempts where key = $1", [key]);
  }

  /** Returns how many were deleted. */
  async deleteOld(): Promise<number> {
    const deleted = await this.#database.query(
      `delete from accounts.attempts where ctid in (
         select ctid from accounts.attempts where at < now() - $1 * interval '1 millisecond' limit 10000
       )`,
      [keptMs],
    );
    return deleted.count;
  }
}
