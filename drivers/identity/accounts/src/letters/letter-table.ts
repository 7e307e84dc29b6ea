import { uuidv7 } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { emailKey } from "../people/email.ts";

/** A letter with a link to a new password, which waits. The link is made when it is sent. */
export interface WaitingLetter {
  readonly id: string;
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly tries: number;
}

/** How long a claimed letter is not claimed again. */
const claimSeconds = 60;

export const letterTable = {
  /** Stores a letter for the account with this address. Costs the same if there is none: then it has no recipient. */
  async add(database: SqlExecutor, email: string): Promise<void> {
    await database.query(
      `insert into accounts.letters (id, person_id)
       select $1, p.id from (values ($2::text)) given (email_key)
       left join accounts.people p on p.email_key = given.email_key and p.state = 'active'`,
      [uuidv7(), emailKey(email)],
    );
  },

  /** Claims the next letter that is due. Those without a recipient, and those of a day ago, are deleted. */
  async claim(database: SqlExecutor): Promise<WaitingLetter | undefined> {
    await database.query("delete from accounts.letters where person_id is null or created_at < now() - interval '1 day'");
    const { rows } = await database.query<WaitingLetter>(
      `update accounts.letters l set tries = tries + 1, due_at = now() + $1 * power(2, least(tries, 6)) * interval '1 second'
       from accounts.people p
       where p.id = l.person_id and p.email is not null and l.id = (
         select id from accounts.letters where due_at <= now() and person_id is not null
         order by due_at limit 1 for update skip locked
       )
       returning l.id, l.person_id as "personId", p.email, p.name, l.tries`,
      [claimSeconds],
    );
    return rows[0];
  },

  async delete(database: SqlExecutor, id: string): Promise<void> {
    await database.query("delete from accounts.letters where id = $1", [id]);
  },
};
