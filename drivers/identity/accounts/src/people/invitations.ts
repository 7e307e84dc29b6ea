import type { AccountInvitation, AccountInvitations, FirstInvitation, InvitationLink } from "@appserver/driver";
import { AppError, advisoryLocks } from "@appserver/kernel";
import { DatabaseError, type SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { letterTable } from "../letters/letter-table.ts";
import type { Letters } from "../letters/letters.ts";
import { isEmail } from "./email.ts";
import { LinkUsed, linkTable } from "./link-table.ts";
import { type CompletedPerson, type InvitedPerson, personTable } from "./person-table.ts";

/** Invitations to complete an account. Each link works once. */
export class Invitations implements AccountInvitations {
  readonly #database: AccountsDatabase;
  readonly inviteByLetter?: Required<AccountInvitations>["inviteByLetter"];

  /** `letters`: undefined if none can be sent. */
  constructor(database: AccountsDatabase, letters: Pick<Letters, "send"> | undefined) {
    this.#database = database;
    if (letters) this.inviteByLetter = (invitation) => this.#write(invitation, letters);
  }

  /**
   * An account that was not completed yet gets a new link, in place of earlier ones. Throws INVALID_REQUEST for a text that is no
   * address, CONFLICT for the address of an account that is complete.
   */
  async invite(invitation: AccountInvitation): Promise<InvitationLink> {
    return await this.#invited(invitation, link);
  }

  async #write(invitation: AccountInvitation, letters: Pick<Letters, "send">): Promise<Omit<InvitationLink, "path">> {
    const written = await this.#invited(invitation, letter);
    letters.send();
    return written;
  }

  async #invited<Made>(
    { email, name = "", invitedBy, validMs }: AccountInvitation,
    make: (tx: SqlExecutor, personId: string, createdBy: string, validMs: number) => Promise<Made>,
  ): Promise<Made> {
    if (email !== undefined && !isEmail(email)) {
      throw new AppError("INVALID_REQUEST", `${JSON.stringify(email)} is no e-mail address`);
    }
    try {
      return await this.#database.transaction(async (tx) => {
        const known = email === undefined ? undefined : await personTable.invitedWith(tx, email);
        const id = known ?? (await personTable.invite(tx, { email, name, isFirst: false }));
        await letterTable.deleteAll(tx, "invitation", id);
        await linkTable.deleteAll(tx, "invitation", id);
        return await make(tx, id, invitedBy, validMs);
      });
    } catch (error) {
      throw isTaken(error) ? new AppError("CONFLICT", `${email} has an account already`) : error;
    }
  }

  /** Returns undefined if an account is complete, or the first administrator has a valid link that is not renewed. */
  async inviteFirst({ validMs, renews, prepare }: FirstInvitation): Promise<InvitationLink | undefined> {
    return await this.#database.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.firstAdministrator]);
      if (!(await personTable.isEmpty(tx))) return undefined;
      const known = await personTable.invitedFirst(tx);
      const { rows } = await tx.query("select 1 from accounts.links where person_id = $1 and ends_at > now()", [known]);
      if (rows.length > 0 && !renews) return undefined;
      const id = known ?? (await personTable.invite(tx, { email: undefined, name: "", isFirst: true }));
      await prepare(id);
      await linkTable.deleteAll(tx, "invitation", id);
      return await link(tx, id, "operator", validMs);
    });
  }

  /** Returns who may complete an account with this token. Undefined if the link was used, or its time is over. */
  async find(token: string, database: SqlExecutor = this.#database): Promise<InvitedPerson | undefined> {
    const personId = await linkTable.personOf(database, "invitation", token);
    return personId === undefined ? undefined : await personTable.invited(database, personId);
  }

  /** Completes the account, and uses the link up. Rejects with {@link LinkUsed}. */
  async accept(tx: SqlExecutor, token: string, person: CompletedPerson): Promise<void> {
    if (!(await linkTable.use(tx, "invitation", token))) throw new LinkUsed();
    await personTable.complete(tx, person);
  }
}

async function letter(tx: SqlExecutor, personId: string, createdBy: string, validMs: number) {
  return { userId: personId, endsAt: await letterTable.addInvitation(tx, { personId, createdBy, validMs }) };
}

async function link(tx: SqlExecutor, personId: string, createdBy: string, validMs: number): Promise<InvitationLink> {
  return { userId: personId, ...(await linkTable.make(tx, { purpose: "invitation", personId, createdBy, validMs })) };
}

/** Returns whether an address belongs to another account. */
export function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.reason === "unique_violation";
}
