import type { SqlExecutor } from "@appserver/kernel/ports";
import { emailKey } from "../people/email.ts";
import { userCondition } from "./conditions.ts";
import type { Found, Page } from "./page.ts";
import { accountNameOf, addressOf, nameKey, type UserProfile } from "./user-profile.ts";

export interface StoredUser {
  readonly id: string;
  readonly profile: UserProfile;
  readonly isActive: boolean;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly version: number;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

interface UserRow extends Omit<StoredUser, "profile"> {
  readonly userName: string;
  readonly externalId: string | null;
  readonly profile: Pick<UserProfile, "displayName" | "name" | "emails">;
}

const columns = `
  u.person_id as id, u.user_name as "userName", u.external_id as "externalId", u.profile, p.state = 'active' as "isActive", u.version,
  u.created_at as "createdAt", u.modified_at as "modifiedAt",
  (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.display_name) order by g.id), '[]')
   from accounts.scim_members m join accounts.scim_groups g on g.id = m.group_id where m.person_id = u.person_id) as groups`;
const tables = "accounts.scim_users u join accounts.people p on p.id = u.person_id";

/** The rows of people that SCIM made, and of their accounts. */
export const userTable = {
  async find(database: SqlExecutor, id: string): Promise<StoredUser | undefined> {
    const { rows } = await database.query<UserRow>(`select ${columns} from ${tables} where u.person_id = $1`, [id]);
    return rows[0] && storedUser(rows[0]);
  },

  /** Keeps the person as it is until the transaction ends. */
  async hold(tx: SqlExecutor, id: string): Promise<StoredUser | undefined> {
    await tx.query(`select 1 from ${tables} where u.person_id = $1 for update`, [id]);
    return await this.find(tx, id);
  },

  async list(database: SqlExecutor, { conditions, offset, limit }: Page): Promise<Found<StoredUser>> {
    const { sql, parameters } = userCondition(conditions);
    const counted = await database.query<{ total: number }>(`select count(*) as total from ${tables} where ${sql}`, parameters);
    const at = parameters.length;
    const { rows } = await database.query<UserRow>(
      `select ${columns} from ${tables} where ${sql} order by u.person_id offset $${at + 1} limit $${at + 2}`,
      [...parameters, offset, limit],
    );
    return { total: counted.rows[0]?.total ?? 0, resources: rows.map(storedUser) };
  },

  /** Makes the account. Rejects with a unique violation if another one has the address or the name. */
  async insert(tx: SqlExecutor, id: string, profile: UserProfile): Promise<void> {
    const email = addressOf(profile);
    const state = profile.active === false ? "disabled" : "active";
    await tx.query(
      "insert into accounts.people (id, email, email_key, email_proven, name, state) values ($1, $2, $3, $4, $5, $6)",
      [id, email ?? null, keyOf(email), email !== undefined, accountNameOf(profile), state],
    );
    await tx.query(
      `insert into accounts.scim_users (person_id, user_name, user_name_key, external_id, profile, email_keys)
       values ($1, $2, $3, $4, $5, $6)`,
      [id, ...valuesOf(profile)],
    );
  },

  async update(tx: SqlExecutor, id: string, profile: UserProfile): Promise<void> {
    await tx.query(
      `update accounts.scim_users set user_name = $2, user_name_key = $3, external_id = $4, profile = $5, email_keys = $6,
         version = version + 1, modified_at = now()
       where person_id = $1`,
      [id, ...valuesOf(profile)],
    );
  },

  /** What other people see of the account. A name that the person has chosen stays until the client changes its own. */
  async updateName(tx: SqlExecutor, id: string, name: string): Promise<void> {
    await tx.query("update accounts.people set name = $2 where id = $1", [id, name]);
  },

  /** The new address counts as proven, and letters to the earlier one open nothing. */
  async updateAddress(tx: SqlExecutor, id: string, email: string | undefined): Promise<void> {
    await tx.query("update accounts.people set email = $2, email_key = $3, email_proven = $4 where id = $1", [
      id,
      email ?? null,
      keyOf(email),
      email !== undefined,
    ]);
    await tx.query("delete from accounts.links where person_id = $1", [id]);
    await tx.query("delete from accounts.letters where person_id = $1", [id]);
  },

  /** Triggers end the sessions of a person who is disabled. */
  async setActive(tx: SqlExecutor, id: string, isActive: boolean): Promise<void> {
    await tx.query("update accounts.people set state = $2 where id = $1 and state <> $2", [
      id,
      isActive ? "active" : "disabled",
    ]);
  },

  /** Deletes the account with its sessions. */
  async delete(tx: SqlExecutor, id: string): Promise<void> {
    await tx.query("delete from accounts.people where id = $1", [id]);
  },
};

function keyOf(email: string | undefined): string | null {
  return email === undefined ? null : emailKey(email);
}

function valuesOf({ userName, externalId, displayName, name, emails }: UserProfile): readonly unknown[] {
  const profile = JSON.stringify({ displayName, name, emails });
  return [userName, nameKey(userName), externalId ?? null, profile, emails.map(({ value }) => emailKey(String(value)))];
}

function storedUser({ userName, externalId, profile, ...row }: UserRow): StoredUser {
  const { displayName, name, emails } = profile;
  return {
    ...row,
    profile: { userName, externalId: externalId ?? undefined, displayName, name, emails, active: row.isActive },
  };
}
