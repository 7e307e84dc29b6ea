import type { Pool } from "pg";
import { shownWeeks } from "./rota.ts";

/** A week in the database. */
export interface Duty {
  readonly monday: string;
  readonly userId: string | null;
  readonly askedId: string | null;
}

const columns = `to_char(monday, 'YYYY-MM-DD') as monday, user_id as "userId", asked_id as "askedId"`;

export class Duties {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The present week and those after it, also those without a person. */
  async coming(): Promise<readonly Duty[]> {
    const weeks = `select day::date as monday
      from generate_series(date_trunc('week', now()), date_trunc('week', now()) + make_interval(weeks => $1 - 1), '1 week') day`;
    return await this.#duties(`select ${columns} from (${weeks}) weeks left join duties using (monday) order by 1`, [
      shownWeeks,
    ]);
  }

  async find(monday: string): Promise<Duty> {
    const [duty] = await this.#duties(`select ${columns} from duties where monday = $1`, [monday]);
    return duty ?? { monday, userId: null, askedId: null };
  }

  /** Says who is on duty. A question for a swap is void then. */
  async plan(monday: string, userId: string): Promise<void> {
    const sql = `insert into duties (monday, user_id) values ($1, $2)
      on conflict (monday) do update set user_id = excluded.user_id, asked_id = null, told_at = null`;
    await this.#pool.query(sql, [monday, userId]);
  }

  /** Asks another person. `null` takes the question back. Returns false if `userId` is not on duty. */
  ask(monday: string, userId: string, askedId: string | null): Promise<boolean> {
    return this.#changes("update duties set asked_id = $3 where monday = $1 and user_id = $2", [monday, userId, askedId]);
  }

  /** Gives the week to the person who was asked, if `userId` still asks for it. Returns false if not. */
  accept(monday: string, askedId: string, userId: string): Promise<boolean> {
    const sql = `update duties set user_id = asked_id, asked_id = null, told_at = null
      where monday = $1 and asked_id = $2 and user_id = $3`;
    return this.#changes(sql, [monday, askedId, userId]);
  }

  /** The week that begins tomorrow, unless its person has been told. */
  async toTell(): Promise<Duty | undefined> {
    const sql = `select ${columns} from duties where monday = current_date + 1 and told_at is null`;
    return (await this.#duties(sql, []))[0];
  }

  async told(monday: string): Promise<void> {
    await this.#pool.query("update duties set told_at = now() where monday = $1", [monday]);
  }

  async #duties(sql: string, values: unknown[]): Promise<readonly Duty[]> {
    return (await this.#pool.query<Duty>(sql, values)).rows;
  }

  async #changes(sql: string, values: unknown[]): Promise<boolean> {
    return (await this.#pool.query(sql, values)).rowCount === 1;
  }
}
