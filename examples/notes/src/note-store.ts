import type pg from "pg";

export interface Note {
  readonly id: string;
  readonly text: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** `user:<id>` or `app:<name>`. */
  readonly createdBy: string;
  /** ISO 8601, UTC. Absent if the note was never edited. */
  readonly editedAt?: string;
}

export interface NotePage {
  readonly notes: readonly Note[];
  /** Number of all notes. */
  readonly total: number;
}

/** Sends a note. `traceparent` is the trace of the request that added it, if it is known. */
export type AnnounceNote = (note: Note, traceparent: string | undefined) => Promise<unknown>;

interface NoteRow {
  readonly id: string;
  readonly text: string;
  readonly created_at: Date;
  readonly created_by: string;
  readonly edited_at: Date | null;
}

const columns = "id, text, created_at, created_by, edited_at";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Stores notes in the app's database. During an upgrade two versions of the app use it at once. */
export class NoteStore {
  readonly #pool: pg.Pool;

  /** `pool` is the result of `database()`. */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Resolves when the note is committed. The note is announced in the trace. */
  async add(text: string, createdBy: string, traceparent?: string): Promise<Note> {
    const sql = `insert into notes (text, created_by, traceparent) values ($1, $2, $3) returning ${columns}`;
    const [note] = await this.#notes(sql, [text, createdBy, traceparent ?? null]);
    if (!note) throw new Error("the database returned no note");
    return note;
  }

  async get(id: string): Promise<Note | undefined> {
    if (!uuid.test(id)) return undefined;
    const [note] = await this.#notes(`select ${columns} from notes where id = $1`, [id]);
    return note;
  }

  /** Returns the note with its new text. Undefined if there is no such note. */
  async edit(id: string, text: string): Promise<Note | undefined> {
    if (!uuid.test(id)) return undefined;
    const sql = `update notes set text = $2, edited_at = clock_timestamp() where id = $1 returning ${columns}`;
    const [note] = await this.#notes(sql, [id, text]);
    return note;
  }

  /** Returns whether there was such a note. */
  async remove(id: string): Promise<boolean> {
    if (!uuid.test(id)) return false;
    const { rowCount } = await this.#pool.query("delete from notes where id = $1", [id]);
    return rowCount === 1;
  }

  /** Returns a text that differs after each change, whichever process made it. */
  async revision(): Promise<string> {
    const { rows } = await this.#pool.query<{ readonly revision: string }>(
      `select concat_ws('-', count(*), coalesce(max(position), 0), (extract(epoch from max(edited_at)) * 1000000)::bigint)
         as revision from notes`,
    );
    return rows[0]?.revision ?? "";
  }

  /** Returns all notes, newest first. */
  async list(): Promise<readonly Note[]> {
    return this.#notes(`select ${columns} from notes order by position desc`);
  }

  /** Returns the newest notes. */
  async page(limit: number): Promise<NotePage> {
    const { rows } = await this.#pool.query<NoteRow & { readonly total: string }>(
      `select ${columns}, count(*) over () as total from notes order by position desc limit $1`,
      [limit],
    );
    return { notes: rows.map(noteOf), total: Number(rows[0]?.total ?? 0) };
  }

  /** Returns the notes whose text contains `needle`, newest first. */
  async mentioning(needle: string): Promise<readonly Note[]> {
    // A text of PostgreSQL contains no U+0000.
    if (needle.includes("\0")) return [];
    return this.#notes(`select ${columns} from notes where strpos(text, $1) > 0 order by position desc`, [needle]);
  }

  /** Returns the number of notes that were created in a year (UTC). */
  async countOfYear(year: string): Promise<number> {
    const { rows } = await this.#pool.query<{ readonly count: string }>(
      "select count(*) from notes where to_char(created_at at time zone 'UTC', 'YYYY') = $1",
      [year],
    );
    return Number(rows[0]?.count);
  }

  /**
   * Calls `announce` with the oldest note that was not announced yet, and marks the note when `announce` has resolved. Returns
   * false if there is none. A note that another process is announcing is skipped. If a process ends in between, the note is
   * announced again.
   */
  async announceNext(announce: AnnounceNote): Promise<boolean> {
    const client = await this.#pool.connect();
    let failure: unknown;
    try {
      await client.query("begin");
      const { rows } = await client.query<NoteRow & { readonly traceparent: string | null }>(
        `select ${columns}, traceparent from notes where not is_announced order by position limit 1 for update skip locked`,
      );
      const [row] = rows;
      if (row) {
        await announce(noteOf(row), row.traceparent ?? undefined);
        await client.query("update notes set is_announced = true where id = $1", [row.id]);
      }
      await client.query("commit");
      return row !== undefined;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // Closing the connection ends the transaction, also if it no longer responds.
      client.release(failure !== undefined);
    }
  }

  /** Rejects if the database cannot be reached. */
  async check(): Promise<void> {
    await this.#pool.query("select from notes limit 1");
  }

  /** Closes the connections after the active queries. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #notes(sql: string, values: readonly unknown[] = []): Promise<readonly Note[]> {
    const { rows } = await this.#pool.query<NoteRow>(sql, [...values]);
    return rows.map(noteOf);
  }
}

function noteOf({ id, text, created_at, created_by, edited_at }: NoteRow): Note {
  const note = { id, text, createdAt: created_at.toISOString(), createdBy: created_by };
  return edited_at ? { ...note, editedAt: edited_at.toISOString() } : note;
}
