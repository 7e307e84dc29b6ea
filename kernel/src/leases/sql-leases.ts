import type { Database } from "../platform-ports/database.ts";
import type { Lease, Leases } from "../platform-ports/leases.ts";

export interface SqlLeasesOptions {
  readonly database: Database;
  /** Names this process for people that read the table: `orchestrator@host:pid`. */
  readonly holder: string;
}

/**
 * Stores leases as rows of `platform.leases`. Only the database's clock decides expiry, so processes with different clocks
 * agree. Rows stay after release, because the fence must never restart.
 */
export class SqlLeases implements Leases {
  readonly #database: Database;
  readonly #holder: string;

  constructor(options: SqlLeasesOptions) {
    this.#database = options.database;
    this.#holder = options.holder;
  }

  /**
   * Ends every lease. For a process that can be sure that all earlier holders are dead: it need not wait until their leases
   * expire. Fences continue to count.
   */
  async releaseAll(): Promise<void> {
    await this.#database.query("update platform.leases set expires_at = '-infinity' where expires_at > clock_timestamp()");
  }

  async acquire(name: string, ttlMs: number): Promise<Lease | undefined> {
    // clock_timestamp(), not now(): the statement may have waited for a row lock of another process.
    const { rows } = await this.#database.query<{ fence: number }>(
      `insert into platform.leases as held (name, holder, fence, expires_at)
       values ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
       on conflict (name) do update
         set holder = excluded.holder, fence = held.fence + 1,
             expires_at = clock_timestamp() + $3 * interval '1 millisecond'
         where held.expires_at <= clock_timestamp()
       returning fence`,
      [name, this.#holder, ttlMs],
    );
    const fence = rows[0]?.fence;
    return fence === undefined ? undefined : new SqlLease(this.#database, name, fence, ttlMs);
  }
}

class SqlLease implements Lease {
  readonly name: string;
  readonly fence: number;
  readonly #database: Database;
  readonly #ttlMs: number;

  constructor(database: Database, name: string, fence: number, ttlMs: number) {
    this.#database = database;
    this.name = name;
    this.fence = fence;
    this.#ttlMs = ttlMs;
  }

  async renew(): Promise<boolean> {
    const { count } = await this.#database.query(
      `update platform.leases set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       where name = $1 and fence = $2 and expires_at > clock_timestamp()`,
      [this.name, this.fence, this.#ttlMs],
    );
    return count > 0;
  }

  async release(): Promise<void> {
    await this.#database.query("update platform.leases set expires_at = '-infinity' where name = $1 and fence = $2", [
      this.name,
      this.fence,
    ]);
  }
}
