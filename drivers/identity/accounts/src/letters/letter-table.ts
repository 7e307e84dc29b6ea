import { uuidv7 } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { emailKey } from "../people/email.ts";
import type { LinkPurpose } from "../people/link-table.ts";

/** A letter with a link, which waits. The link is made when it is sent. */
export interface WaitingLetter {
  readonly id: string;
  readonly purpose: LinkPurpose;
  readonly personId: string;
  /** A user's id, or `letter`. */
  readonly createdBy: string;
  readonly email: string;
  readonly name: string;
  readonly tries: number;
  /** How much longer its link may be valid. Null: the link has its own time. */
  readonly leftMs: number | null;
}

export interface InvitationLetter {
  readonly personId: string;
  /** A user's id. */
  readonly createdBy: string;
  readonly validMs: number;
}

/** How long a claimed letter is not claimed again. */
const claimSeconds = 60;

export const letterTable = {
  /** Stores a letter for the account with this address. Costs the same if there is none: then it has no recipient. */
  async addRecovery(database: SqlExecutor, email: string): Promise<void> {
    await database.query(
      `insert into accounts.letters (id, person_id)
       select $1, p.id from (values ($2::text)) given (email_key)
       left join accounts.people p on p.email_key = given.email_key and p.state = 'active'`,
      [uuidv7(), emailKey(email)],
    );
  },

  /** Stores a letter to an invited person, and returns until when its link will be valid. */
  async addInvitation(tx: SqlExecutor, { personId, createdBy, validMs }: InvitationLetter): Promise<Date> {
    const { rows } = await tx.query<{ endsAt: Date }>(
      `insert into accounts.letters (id, purpose, person_id, created_by, ends_at)
       values ($1, 'invitation', $2, $3, now() + $4 * interval '1 millisecond') returning ends_at as "endsAt"`,
      [uuidv7(), personId, createdBy, validMs],
    );
    const [row] = rows;
    if (!row) throw new Error("the database returned no row for a new letter");
    return row.endsAt;
  },

  /** Claims the next letter that is due. Those without a recipient, those of a day ago, and those whose end is over are deleted. */
  async claim(database: SqlExecutor): Promise<WaitingLetter | undefined> {
    await database.query(
      "delete from accounts.letters where person_id is null or created_at < now() - interval '1 day' or ends_at <= now()",
    );
    const { rows } = await database.query<WaitingLetter>(
      `update accounts.letters l set tries = tries + 1, due_at = now() + $1 * power(2, least(tries, 6)) * interval '1 second'
       from accounts.people p
       where p.id = l.person_id and p.email is not null and l.id = (
         select id from accounts.letters where due_at <= now() and person_id is not null
         order by due_at limit 1 for update skip locked
       )
       returning l.id, l.purpose, l.person_id as "personId", l.created_by as "createdBy", p.email, p.name, l.tries,
         (extract(epoch from l.ends_at - now()) * 1000)::float8 as "leftMs"`,
      [claimSeconds],
    );
    return rows[0];
  },

  async delete(database: SqlExecutor, id: string): Promise<void> {
    await database.query("delete from accounts.letters where id = $1", [id]);
  },

  /** Deletes the letters of a person that wait. */
  async deleteAll(tx: SqlExecutor, purpose: LinkPurpose, personId: string): Promise<void> {
    await tx.query("delete from accounts.letters where person_id = $1 and purpose = $2", [personId, purpose]);
  },
};
