import type { DatabaseError, Pool } from "pg";
import { type Check, type Hour, maxChanges, maxServices } from "./service.ts";

export interface StoredService {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly last: Check | null;
  readonly share: number | null;
}

const check = `json_strip_nulls(json_build_object('checkedAt', checked_at, 'isUp', is_up, 'ms', ms, 'problem', problem))`;
const services = `select id, name, url,
  (select ${check} from checks where service_id = id order by checked_at desc limit 1) as last,
  (select avg(is_up::int)::float from checks where service_id = id and checked_at > now() - interval '1 day') as share
  from services`;

export class Services {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async list(): Promise<readonly StoredService[]> {
    return (await this.#pool.query<StoredService>(`${services} order by name`)).rows;
  }

  async find(id: number): Promise<StoredService | undefined> {
    return (await this.#pool.query<StoredService>(`${services} where id = $1`, [id])).rows[0];
  }

  /** Returns its id, "taken" if another service has the name, and "full" if there are too many. */
  async add(name: string, url: string): Promise<number | "taken" | "full"> {
    const sql = `insert into services (name, url) select $1, $2 where (select count(*) from services) < $3 returning id`;
    try {
      const { rows } = await this.#pool.query<{ readonly id: number }>(sql, [name, url, maxServices]);
      return rows[0]?.id ?? "full";
    } catch (error) {
      if ((error as Partial<DatabaseError>).code === "23505") return "taken";
      throw error;
    }
  }

  async remove(id: number): Promise<boolean> {
    return (await this.#pool.query("delete from services where id = $1", [id])).rowCount === 1;
  }

  /** Stores a check, unless the service was removed in between. */
  async store(id: number, ms: number, problem: string | null): Promise<void> {
    const sql = "insert into checks (service_id, is_up, ms, problem) select id, $2, $3, $4 from services where id = $1";
    await this.#pool.query(sql, [id, problem === null, ms, problem]);
  }

  /** The hours of the last day with a check, the newest first. */
  async hours(id: number): Promise<readonly Hour[]> {
    const sql = `select to_json(date_trunc('hour', checked_at)) as "from", count(*)::int as checks,
      count(*) filter (where not is_up)::int as failures
      from checks where service_id = $1 and checked_at > now() - interval '1 day'
      group by date_trunc('hour', checked_at) order by date_trunc('hour', checked_at) desc`;
    return (await this.#pool.query<Hour>(sql, [id])).rows;
  }

  async changes(id: number): Promise<readonly Check[]> {
    const sql = `select ${check} as check
      from (select *, lag(is_up) over (order by checked_at) as before from checks where service_id = $1) found
      where is_up is distinct from before order by checked_at desc limit $2`;
    return (await this.#pool.query<{ readonly check: Check }>(sql, [id, maxChanges])).rows.map((row) => row.check);
  }

  /** Removes checks that no page shows, except the last one of each service. */
  async removeOld(): Promise<void> {
    await this.#pool.query(`delete from checks where checked_at < now() - interval '1 day'
      and exists (select from checks later where later.service_id = checks.service_id and later.checked_at > checks.checked_at)`);
  }
}
