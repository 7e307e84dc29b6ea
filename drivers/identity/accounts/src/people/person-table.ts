import { uuidv7 } from "@appserver/kernel";
import type { PeopleQuery, Person, SqlExecutor } from "@appserver/kernel/ports";
import { letterTable } from "../letters/letter-table.ts";
import { emailKey } from "./email.ts";
import { LinkUsed, linkTable } from "./link-table.ts";

export interface InvitedPerson {
  readonly id: string;
  /** Undefined: the person chooses it. */
  readonly email: string | undefined;
  readonly name: string;
}

export interface Profile {
  readonly name: string;
  /** Empty if it is not known. */
  readonly email: string;
  readonly hasPassword: boolean;
}

export interface CompletedPerson {
  readonly id: string;
  readonly email: string | undefined;
  readonly isEmailProven?: boolean;
  readonly name: string;
}

/** Who might sign in with an address. All fields but one are undefined if no one does. */
export interface Candidate {
  readonly personId: string | undefined;
  readonly passwordHash: string | undefined;
  /** Whether the person signed in from this network in the last weeks. */
  readonly isKnownNetwork: boolean;
}

const knownNetworkDays = 30;

/** The rows of people and their passwords. */
export const personTable = {
  /** Costs the same statement whether or not the address is known. */
  async candidate(database: SqlExecutor, email: string, network: string): Promise<Candidate> {
    const { rows } = await database.query<{ personId: string | null; passwordHash: string | null; isKnownNetwork: boolean }>(
      `select p.id as "personId", w.hash as "passwordHash", n.person_id is not null as "isKnownNetwork"
       from (values ($1::text)) given (email_key)
       left join accounts.people p on p.email_key = given.email_key and p.state = 'active'
       left join accounts.passwords w on w.person_id = p.id
       left join accounts.networks n on n.person_id = p.id and n.network = $2 and n.seen_at > now() - $3 * interval '1 day'`,
      [emailKey(email), network, knownNetworkDays],
    );
    return candidateOf(rows[0]);
  },

  /** Returns the password's hash of a person who can sign in. Both stay as they are until the transaction ends. */
  async heldPassword(tx: SqlExecutor, personId: string): Promise<string | undefined> {
    const { rows } = await tx.query<{ hash: string }>(
      `select w.hash from accounts.people p join accounts.passwords w on w.person_id = p.id
       where p.id = $1 and p.state = 'active' for share`,
      [personId],
    );
    return rows[0]?.hash;
  },

  /** Keeps a person as they are until the transaction ends. Returns whether they can sign in. */
  async hold(tx: SqlExecutor, personId: string): Promise<boolean> {
    const { rows } = await tx.query("select 1 from accounts.people where id = $1 and state = 'active' for no key update", [
      personId,
    ]);
    return rows.length === 1;
  },

  async setPassword(tx: SqlExecutor, personId: string, hash: string): Promise<void> {
    await tx.query(
      `insert into accounts.passwords (person_id, hash) values ($1, $2)
       on conflict (person_id) do update set hash = excluded.hash, changed_at = now()`,
      [personId, hash],
    );
  },

  async find(database: SqlExecutor, query: PeopleQuery): Promise<readonly Person[]> {
    const [condition, parameters] =
      "ids" in query
        ? ["id = any($1::uuid[])", [query.ids.filter(isId)]]
        : [
            "(id::text = $1 or strpos(email_key, $1) > 0 or strpos(lower(name), $1) > 0) order by name limit $2",
            [emailKey(query.search), query.limit],
          ];
    const { rows } = await database.query<Omit<Person, "email"> & { readonly email: string | null }>(
      `select id as "userId", coalesce(nullif(name, ''), email, 'invited administrator') as "displayName", email,
         state = 'active' as "isActive"
       from accounts.people where ${condition}`,
      parameters as readonly unknown[],
    );
    return rows.map((row) => ({ ...row, email: row.email ?? undefined }));
  },

  async idOf(database: SqlExecutor, email: string): Promise<string | undefined> {
    const { rows } = await database.query<{ id: string }>("select id from accounts.people where email_key = $1", [
      emailKey(email),
    ]);
    return rows[0]?.id;
  },

  async profile(database: SqlExecutor, personId: string): Promise<Profile> {
    const { rows } = await database.query<Profile>(
      `select name, coalesce(email, '') as email, email_key is not null and exists (select from accounts.passwords where person_id = id) as "hasPassword"
       from accounts.people where id = $1`,
      [personId],
    );
    return rows[0] ?? { name: "", email: "", hasPassword: false };
  },

  async rename(tx: SqlExecutor, personId: string, name: string): Promise<void> {
    await tx.query("update accounts.people set name = $2 where id = $1", [personId, name]);
  },

  /** Returns whether no account has been completed. */
  async isEmpty(database: SqlExecutor): Promise<boolean> {
    const { rows } = await database.query("select 1 from accounts.people where state <> 'invited' limit 1");
    return rows.length === 0;
  },

  /** Returns the account with this address that was not completed yet. */
  async invitedWith(tx: SqlExecutor, email: string): Promise<string | undefined> {
    const { rows } = await tx.query<{ id: string }>(
      "select id from accounts.people where email_key = $1 and state = 'invited' for update",
      [emailKey(email)],
    );
    return rows[0]?.id;
  },

  /** Makes an account that the person completes. Its id is final. Rejects with a unique violation for a known address. */
  async invite(tx: SqlExecutor, { email, name, isFirst }: Omit<InvitedPerson, "id"> & { isFirst: boolean }): Promise<string> {
    const id = uuidv7();
    await tx.query(
      "insert into accounts.people (id, email, email_key, name, state, is_first) values ($1, $2, $3, $4, 'invited', $5)",
      [id, email ?? null, email === undefined ? null : emailKey(email), name, isFirst],
    );
    return id;
  },

  /** Returns the account if it was not completed yet. */
  async invited(database: SqlExecutor, id: string): Promise<InvitedPerson | undefined> {
    const { rows } = await database.query<{ id: string; email: string | null; name: string }>(
      "select id, email, name from accounts.people where id = $1 and state = 'invited'",
      [id],
    );
    const [row] = rows;
    return row && { ...row, email: row.email ?? undefined };
  },

  /** Its owner has opened a letter to it. */
  async setEmailProven(tx: SqlExecutor, id: string): Promise<void> {
    await tx.query("update accounts.people set email_proven = true where id = $1", [id]);
  },

  /** Returns the account of the first administrator that was not completed yet. */
  async invitedFirst(tx: SqlExecutor): Promise<string | undefined> {
    const { rows } = await tx.query<{ id: string }>("select id from accounts.people where is_first and state = 'invited'");
    return rows[0]?.id;
  },

  /** Rejects with {@link LinkUsed} if it was completed, and with a unique violation if the address belongs to another account. */
  async complete(tx: SqlExecutor, { id, email, isEmailProven = false, name }: CompletedPerson): Promise<void> {
    const completed = await tx.query(
      `update accounts.people set email = $2, email_key = $3, email_proven = $4, name = $5, state = 'active'
       where id = $1 and state = 'invited'`,
      [id, email ?? null, email === undefined ? null : emailKey(email), isEmailProven, name],
    );
    if (completed.count !== 1) throw new LinkUsed();
    await letterTable.deleteAll(tx, "invitation", id);
    await linkTable.deleteAll(tx, "invitation", id);
  },

  /** Makes an account that is complete. Rejects with a unique violation if the address belongs to another one. */
  async create(tx: SqlExecutor, { id, email, isEmailProven = false, name }: CompletedPerson): Promise<void> {
    await tx.query(
      "insert into accounts.people (id, email, email_key, email_proven, name, state) values ($1, $2, $3, $4, $5, 'active')",
      [id, email ?? null, email === undefined ? null : emailKey(email), isEmailProven, name],
    );
  },

  /** Returns the account with an address that its owner has proven, or that has a valid invitation. */
  async withProvenEmail(
    tx: SqlExecutor,
    email: string,
  ): Promise<{ readonly id: string; readonly isInvited: boolean } | undefined> {
    const { rows } = await tx.query<{ id: string; isInvited: boolean }>(
      `select id, state = 'invited' as "isInvited" from accounts.people
       where email_key = $1 and (state = 'active' and email_proven or state = 'invited' and exists (
         select from accounts.links where person_id = id and purpose = 'invitation' and ends_at > now()
       ))`,
      [emailKey(email)],
    );
    return rows[0];
  },

  async isActive(tx: SqlExecutor, id: string): Promise<boolean> {
    const { rows } = await tx.query("select 1 from accounts.people where id = $1 and state = 'active'", [id]);
    return rows.length === 1;
  },
};

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isId(text: string): boolean {
  return idForm.test(text);
}

function candidateOf(row: { personId: string | null; passwordHash: string | null; isKnownNetwork: boolean } | undefined) {
  return {
    personId: row?.personId ?? undefined,
    passwordHash: row?.passwordHash ?? undefined,
    isKnownNetwork: row?.isKnownNetwork ?? false,
  };
}
