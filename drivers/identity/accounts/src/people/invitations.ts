import type { AccountInvitation, AccountInvitations, InvitationLink } from "@appserver/driver";
import { AppError, advisoryLocks } from "@appserver/kernel";
import { DatabaseError, type SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { isToken, keyOfToken, newToken } from "../token.ts";
import { isEmail } from "./email.ts";
import { type InvitedPerson, personTable } from "./person-table.ts";

/** The page that completes an account. Browsers send no fragment to servers, so the token is in no log. */
const page = "/login/registration";

/** Invitations to complete an account. Each link works once. */
export class Invitations implements AccountInvitations {
  readonly #database: AccountsDatabase;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  /** Throws INVALID_REQUEST for a text that is no address, CONFLICT for the address of an account. */
  async invite({ email, name = "", invitedBy, validMs }: AccountInvitation): Promise<InvitationLink> {
    if (email !== undefined && !isEmail(email)) {
      throw new AppError("INVALID_REQUEST", `${JSON.stringify(email)} is no e-mail address`);
    }
    try {
      return await this.#database.transaction(async (tx) => {
        const id = await personTable.invite(tx, { email, name, isFirst: false });
        return await link(tx, id, invitedBy, validMs);
      });
    } catch (error) {
      throw isTaken(error) ? new AppError("CONFLICT", `${email} has an account already`) : error;
    }
  }

  /** Returns undefined if the first administrator has a valid link. */
  async inviteFirst(validMs: number, prepare: (userId: string) => Promise<void>): Promise<InvitationLink | undefined> {
    return await this.#database.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.firstAdministrator]);
      if (!(await personTable.isEmpty(tx))) return undefined;
      const known = await personTable.invitedFirst(tx);
      const { rows } = await tx.query("select 1 from accounts.links where person_id = $1 and ends_at > now()", [known]);
      if (rows.length > 0) return undefined;
      const id = known ?? (await personTable.invite(tx, { email: undefined, name: "", isFirst: true }));
      await prepare(id);
      return await link(tx, id, "operator", validMs);
    });
  }

  /** Returns who may complete an account with this token. Undefined if the link was used, or its time is over. */
  async find(token: string): Promise<InvitedPerson | undefined> {
    if (!isToken(token)) return undefined;
    const { rows } = await this.#database.query<{ id: string; email: string | null; name: string }>(
      `select p.id, p.email, p.name from accounts.links l join accounts.people p on p.id = l.person_id
       where l.token_key = $1 and l.ends_at > now() and p.state = 'invited'`,
      [keyOfToken(token)],
    );
    const [row] = rows;
    return row && { ...row, email: row.email ?? undefined };
  }

  /** Uses the link up. Returns whether it was valid. */
  async use(tx: SqlExecutor, token: string): Promise<boolean> {
    const used = await tx.query("delete from accounts.links where token_key = $1 and ends_at > now()", [keyOfToken(token)]);
    return used.count === 1;
  }
}

async function link(tx: SqlExecutor, personId: string, createdBy: string, validMs: number): Promise<InvitationLink> {
  const token = newToken();
  const { rows } = await tx.query<{ endsAt: Date }>(
    `insert into accounts.links (token_key, purpose, person_id, created_by, ends_at)
     values ($1, 'invitation', $2, $3, now() + $4 * interval '1 millisecond') returning ends_at as "endsAt"`,
    [keyOfToken(token), personId, createdBy, validMs],
  );
  const [row] = rows;
  if (!row) throw new Error("the database returned no row for a new link");
  return { userId: personId, path: `${page}#token=${token}`, endsAt: row.endsAt };
}

/** Returns whether an address belongs to another account. */
export function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.reason === "unique_violation";
}
