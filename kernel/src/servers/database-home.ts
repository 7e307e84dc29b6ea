import { advisoryLocks } from "../advisory-locks.ts";
import type { SqlExecutor } from "../platform-ports/database.ts";
import { StartError } from "../start-error.ts";

/** `arriving`: a copy that no process may use yet. `left`: the platform was moved to another database. */
export type DatabaseState = "home" | "arriving" | "left";

export interface DatabaseMove {
  readonly move: string;
  /** The other side: host, port and database. */
  readonly peer: string;
  /** Those of the platform's tables. */
  readonly schemas: readonly string[];
}

interface HomeRow {
  readonly state: DatabaseState;
  readonly move: string | null;
  readonly peer: string | null;
  readonly schemas: readonly string[] | null;
}

const trigger = "refuse_write";

/**
 * Whether the platform runs on this database, or was moved to another one. At every moment of a move at most one of the two databases
 * accepts processes of the platform.
 */
export class DatabaseHome {
  readonly #sql: SqlExecutor;

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  /** Returns undefined for a database without the platform's tables. */
  async read(): Promise<HomeRow | undefined> {
    const { rows: tables } = await this.#sql.query<{ exists: boolean }>(
      "select to_regclass('platform.database_home') is not null as exists",
    );
    if (!tables[0]?.exists) return undefined;
    const { rows } = await this.#sql.query<HomeRow>("select state, move, peer, schemas from platform.database_home");
    return rows[0];
  }

  /** Rejects with StartError if the platform was moved away from this database, or is being moved. */
  async require(): Promise<void> {
    const { rows } = await this.#sql.query<{ isFree: boolean }>('select pg_try_advisory_xact_lock_shared($1) as "isFree"', [
      advisoryLocks.databaseMove,
    ]);
    if (!rows[0]?.isFree)
      throw new StartError(
        "the database is being moved: expected no process of the platform on it until `appserver database move` has ended",
      );
    const home = await this.read();
    if (home?.state === "left")
      throw new StartError(
        `the data of this database was moved to ${home.peer}: expected that one in APPSERVER_DB_HOST, APPSERVER_DB_PORT and APPSERVER_DB_NAME, or \`appserver database move --undo\` to use this one again`,
      );
    if (home?.state === "arriving")
      throw new StartError(
        `the move of ${home.peer} to this database has not ended: expected \`appserver database move\` once more, with the configuration of ${home.peer}`,
      );
  }

  /** Marks a copy before it is committed. Processes are refused until {@link release}. */
  async arrive({ move, peer, schemas }: DatabaseMove): Promise<void> {
    await this.#mark("arriving", { move, peer, schemas });
  }

  /** Accepts processes. */
  async release(): Promise<void> {
    await this.#sql.query("update platform.database_home set state = 'home'");
  }

  /**
   * Refuses processes, and writes of those that still have a connection. Called in a transaction that holds locks on the tables: a write
   * that waits for one of them is refused, too.
   */
  async leave(moved: DatabaseMove, tables: readonly string[]): Promise<void> {
    await this.#mark("left", moved);
    for (const table of tables) {
      await this.#sql.query(
        `create trigger ${trigger} before insert or update or delete or truncate on ${table} for each statement execute function platform.refuse_write()`,
      );
    }
  }

  /** Accepts processes and writes again in a database that was left. Called in a transaction. */
  async undo(): Promise<void> {
    const { rows } = await this.#sql.query<{ name: string }>(
      "select tgrelid::regclass::text as name from pg_trigger where tgname = $1 and not tgisinternal",
      [trigger],
    );
    for (const { name } of rows) await this.#sql.query(`drop trigger ${trigger} on ${name}`);
    await this.release();
  }

  async #mark(state: DatabaseState, { move, peer, schemas }: DatabaseMove): Promise<void> {
    await this.#sql.query("update platform.database_home set state = $1, move = $2, peer = $3, schemas = $4", [
      state,
      move,
      peer,
      schemas,
    ]);
  }
}
