import { advisoryLocks } from "../advisory-locks.ts";
import type { Clock } from "../clock.ts";
import { every } from "../concurrency/every.ts";
import { uuidv7 } from "../ids.ts";
import type { Component } from "../lifecycle.ts";
import type { Logger } from "../logger.ts";
import type { Database, SqlExecutor, Transaction } from "../platform-ports/database.ts";
import { StartError } from "../start-error.ts";

export interface ServerPresenceOptions {
  readonly database: Database;
  /** Names the process for people: `host:pid`. */
  readonly name: string;
  readonly cacheDriver: string;
  /** Whether the server may run next to others. Both must tolerate it. */
  readonly toleratesOthers: boolean;
  readonly authorizationDriver: string;
  /** Called if another server took the place of this one, which did not reach the database for {@link aliveMs}. */
  readonly onDisplaced: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const beatMs = 2_000;
/** A server that was not seen for this time has ended, or cannot reach the database. */
const aliveMs = 6_000;
/** Of servers that run, for statements. */
export const isAlive = `seen_at > clock_timestamp() - interval '${aliveMs} milliseconds'`;

/** Removes the rows of servers that were killed. For a process that can be sure that no other server runs. */
export async function removeKilledServers(database: Database): Promise<void> {
  await database.query("delete from platform.servers");
}

/** Returns the names of the servers that run on this database. */
export async function runningServers(sql: SqlExecutor): Promise<readonly string[]> {
  const { rows } = await sql.query<{ name: string }>(`select name from platform.servers where ${isAlive} order by name`);
  return rows.map(({ name }) => name);
}

interface OtherServer {
  readonly id: string;
  readonly name: string;
  readonly cache_driver: string;
  readonly tolerates_others: boolean;
  readonly seen_at: Date;
}

/**
 * The row of a running server. A server that must run alone does not start next to another one. `start` waits for a server that was
 * killed until it counts as ended: {@link aliveMs} at most.
 */
export class ServerPresence implements Component {
  readonly name = "server presence";
  readonly #options: ServerPresenceOptions;
  readonly #id = uuidv7();
  readonly #stopped = new AbortController();
  #beating: Promise<void> | undefined;

  constructor(options: ServerPresenceOptions) {
    this.#options = options;
  }

  /** Rejects with StartError if another server runs and one of the two must run alone. */
  async start(signal?: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const seen = new Map<string, number>();
    for (let other = await this.#join(); other; other = await this.#join()) {
      const last = seen.get(other.id);
      if (last !== undefined && other.seen_at.getTime() !== last) throw new StartError(this.#refusal(other));
      if (last === undefined) {
        logger.warn({ server: other.name }, "server: waiting, because another server on this database may still run");
      }
      seen.set(other.id, other.seen_at.getTime());
      await clock.sleep(beatMs / 4, signal);
    }
    this.#beating = every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: beatMs,
      first: "after a pause",
      run: () => this.#beat(),
      onError: (error) => logger.debug({ err: error }, "server: could not note in the database that it runs"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#beating;
    await this.#options.database.query("delete from platform.servers where id = $1", [this.#id]).catch(() => {});
  }

  /** Stores the row. Returns a server next to which this one must not run; then the row is not stored. */
  #join(): Promise<OtherServer | undefined> {
    const { name, cacheDriver, toleratesOthers, authorizationDriver } = this.#options;
    return this.#options.database.transaction(async (tx) => {
      // Of two that start at the same time, the second one sees the first.
      await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.servers]);
      await tx.query(`delete from platform.servers where not (${isAlive})`);
      const other = await this.#conflict(tx);
      if (other) return other;
      await tx.query(
        `insert into platform.servers (id, name, cache_driver, tolerates_others, authorization_driver, seen_at)
         values ($1, $2, $3, $4, $5, clock_timestamp()) on conflict (id) do nothing`,
        [this.#id, name, cacheDriver, toleratesOthers, authorizationDriver],
      );
      return undefined;
    });
  }

  async #conflict(tx: Transaction): Promise<OtherServer | undefined> {
    const { rows } = await tx.query<OtherServer>(
      `select id, name, cache_driver, tolerates_others, seen_at from platform.servers
        where id <> $1 and not (tolerates_others and $2) order by seen_at desc limit 1`,
      [this.#id, this.#options.toleratesOthers],
    );
    return rows[0];
  }

  async #beat(): Promise<void> {
    const { database, logger, onDisplaced } = this.#options;
    const { count } = await database.query("update platform.servers set seen_at = clock_timestamp() where id = $1", [this.#id]);
    if (count > 0) return;
    // This server could not reach the database, and another one has removed its row.
    const other = await this.#join();
    if (!other) return;
    logger.error({ server: other.name }, `server: stopping, because ${this.#refusal(other)}`);
    onDisplaced();
  }

  #refusal(other: OtherServer): string {
    const { cacheDriver, toleratesOthers } = this.#options;
    const [which, driver] = toleratesOthers ? ["it", other.cache_driver] : ["this one", cacheDriver];
    return `another server (${other.name}) runs on the same database, and ${which} has cache.driver ${driver}, which counts limits and used signatures for one process only: expected cache.driver postgres or redis on every server, or cache.accept_unshared`;
  }
}
