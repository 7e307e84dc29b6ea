import type { AccountChange, AccountRecords, AccountRemoval, AccountState, Accounts } from "@appserver/driver";
import { AppError } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";

/** What an export has of a person. Secrets and hashes are not in it. */
const exported: Readonly<Record<string, string>> = {
  account: "select id, email, email_proven, name, state, created_at from accounts.people where id = $1",
  providers: "select provider_id, issuer, subject, created_at from accounts.identities where person_id = $1",
  password: "select changed_at from accounts.passwords where person_id = $1",
  authenticatorApp: "select created_at from accounts.totp where person_id = $1",
  passkeys: "select name, created_at, used_at from accounts.passkeys where person_id = $1",
  sessions: "select device, network, methods, created_at, used_at, ends_at from accounts.sessions where person_id = $1",
  networks: "select network, seen_at from accounts.networks where person_id = $1",
  provisioned: "select user_name, external_id, profile, created_at, modified_at from accounts.scim_users where person_id = $1",
};

/** Disables, enables, exports and removes accounts. */
export class AccountStates implements Pick<Accounts, "find" | "setActive" | "remove" | "export"> {
  readonly #database: AccountsDatabase;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  async find(userId: string): Promise<AccountState | undefined> {
    const { rows } = await this.#database.query<AccountState>(
      'select state, created_at as "createdAt" from accounts.people where id::text = $1',
      [userId],
    );
    return rows[0];
  }

  /** Triggers end the sessions of a person who is disabled. */
  async setActive({ userId, isActive, admit }: AccountChange): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const state = await hold(tx, userId);
      if (state === "invited")
        throw new AppError("INVALID_STATE", "the account was never completed: delete it, or invite the person again");
      if (state === (isActive ? "active" : "disabled")) return;
      await admit(tx);
      await tx.query("update accounts.people set state = $2 where id = $1", [userId, isActive ? "active" : "disabled"]);
    });
  }

  async remove({ userId, admit }: AccountRemoval): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await hold(tx, userId);
      await admit(tx);
      await tx.query("delete from accounts.people where id = $1", [userId]);
    });
  }

  async export(userId: string): Promise<AccountRecords> {
    return await this.#database.transaction(async (tx) => {
      await hold(tx, userId);
      const records: Record<string, readonly object[]> = {};
      for (const [name, statement] of Object.entries(exported)) records[name] = (await tx.query(statement, [userId])).rows;
      return records;
    });
  }
}

/** Keeps the account until the transaction ends. Returns its state. Throws NOT_FOUND. */
async function hold(tx: SqlExecutor, userId: string): Promise<string> {
  const { rows } = await tx.query<{ state: string }>("select state from accounts.people where id::text = $1 for update", [
    userId,
  ]);
  const [row] = rows;
  if (!row) throw new AppError("NOT_FOUND", `there is no account with the id ${JSON.stringify(userId)}`);
  return row.state;
}
