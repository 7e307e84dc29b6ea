import type { Pool } from "pg";
import { type Expense, maxListed } from "./expense.ts";

/** An expense in the database, with ids in place of names. */
export type StoredExpense = Omit<Expense, "person" | "decidedBy" | "decidedAt" | "reason"> & {
  readonly decidedById: string | null;
  readonly decidedAt: Date | null;
  readonly reason: string | null;
};
export type NewExpense = Pick<Expense, "userId" | "purpose" | "cents" | "currency" | "spentOn">;

const columns = `id, user_id as "userId", purpose, cents, currency, to_char(spent_on, 'YYYY-MM-DD') as "spentOn", state,
  decided_by as "decidedById", decided_at as "decidedAt", reason`;

export class Expenses {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Those of a person, or of all people: open ones first, then the newest first. */
  list(userId: string | null): Promise<readonly StoredExpense[]> {
    const sql = `select ${columns} from expenses where $1::text is null or user_id = $1
      order by state <> 'OPEN', id desc limit $2`;
    return this.#expenses(sql, [userId, maxListed]);
  }

  async find(id: number): Promise<StoredExpense | undefined> {
    return (await this.#expenses(`select ${columns} from expenses where id = $1`, [id]))[0];
  }

  async add({ userId, purpose, cents, currency, spentOn }: NewExpense): Promise<StoredExpense> {
    const sql = `insert into expenses (user_id, purpose, cents, currency, spent_on) values ($1, $2, $3, $4, $5) returning ${columns}`;
    const [expense] = await this.#expenses(sql, [userId, purpose, cents, currency, spentOn]);
    if (!expense) throw new Error("the database returned no expense");
    return expense;
  }

  /** Approves an open expense, or refuses it with a reason. Returns undefined if it is not open. */
  async decide(id: number, decidedBy: string, reason: string | null): Promise<StoredExpense | undefined> {
    const sql = `update expenses set state = case when $3::text is null then 'APPROVED' else 'REFUSED' end, decided_by = $2,
      decided_at = now(), reason = $3 where id = $1 and state = 'OPEN' returning ${columns}`;
    return (await this.#expenses(sql, [id, decidedBy, reason]))[0];
  }

  /** Removes an open expense of a person. Returns whether there was one. */
  async remove(id: number, userId: string): Promise<boolean> {
    const sql = "delete from expenses where id = $1 and user_id = $2 and state = 'OPEN'";
    return (await this.#pool.query(sql, [id, userId])).rowCount === 1;
  }

  async #expenses(sql: string, values: unknown[]): Promise<readonly StoredExpense[]> {
    return (await this.#pool.query<StoredExpense>(sql, values)).rows;
  }
}
