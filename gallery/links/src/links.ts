import type { Pool } from "pg";
import { type Link, maxLinks, type NewLink } from "./link.ts";

const columns = 'id, group_name as "group", title, url';

/** The links in the database. */
export class Links {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** In the order of their groups and titles. */
  async list(): Promise<readonly Link[]> {
    const sql = `select ${columns} from links order by lower(group_name), group_name, lower(title), title`;
    return (await this.#pool.query<Link>(sql)).rows;
  }

  async isFull(): Promise<boolean> {
    return (await this.#pool.query("select from links limit $1", [maxLinks])).rowCount === maxLinks;
  }

  /** Returns undefined if the group has a link with this title. */
  async add({ group, title, url }: NewLink): Promise<Link | undefined> {
    const sql = `insert into links (group_name, title, url) values ($1, $2, $3)
      on conflict (group_name, title) do nothing returning ${columns}`;
    return (await this.#pool.query<Link>(sql, [group, title, url])).rows[0];
  }

  /** Returns whether there was a link with this id. */
  async remove(id: number): Promise<boolean> {
    return (await this.#pool.query("delete from links where id = $1", [id])).rowCount === 1;
  }
}
