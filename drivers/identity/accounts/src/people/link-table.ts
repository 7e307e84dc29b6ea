import type { SqlExecutor } from "@appserver/kernel/ports";
import { isToken, keyOfToken, newToken } from "../token.ts";

/** What the page of a link is for. */
export type LinkPurpose = "invitation" | "recovery";

/** Browsers send no fragment to servers, so that the token is in no log. */
const pages: Readonly<Record<LinkPurpose, string>> = {
  invitation: "/login/registration",
  recovery: "/login/recovery",
};

export interface NewLink {
  readonly purpose: LinkPurpose;
  readonly personId: string;
  /** A user's id, or `operator`. */
  readonly createdBy: string;
  readonly validMs: number;
}

/** An account was completed already. */
export class LinkUsed extends Error {
  override readonly name = "LinkUsed";
}

/** Links with a secret. Each works once, and only its hash is stored. */
export const linkTable = {
  async make(tx: SqlExecutor, { purpose, personId, createdBy, validMs }: NewLink): Promise<{ path: string; endsAt: Date }> {
    const token = newToken();
    const { rows } = await tx.query<{ endsAt: Date }>(
      `insert into accounts.links (token_key, purpose, person_id, created_by, ends_at)
       values ($1, $2, $3, $4, now() + $5 * interval '1 millisecond') returning ends_at as "endsAt"`,
      [keyOfToken(token), purpose, personId, createdBy, validMs],
    );
    const [row] = rows;
    if (!row) throw new Error("the database returned no row for a new link");
    return { path: `${pages[purpose]}#token=${token}`, endsAt: row.endsAt };
  },

  /** Returns whose link it is. Undefined if it was used, or its time is over. */
  async personOf(database: SqlExecutor, purpose: LinkPurpose, token: string): Promise<string | undefined> {
    if (!isToken(token)) return undefined;
    const { rows } = await database.query<{ personId: string }>(
      'select person_id as "personId" from accounts.links where token_key = $1 and purpose = $2 and ends_at > now()',
      [keyOfToken(token), purpose],
    );
    return rows[0]?.personId;
  },

  /** Uses the link up. Returns whether it was valid. */
  async use(tx: SqlExecutor, purpose: LinkPurpose, token: string): Promise<boolean> {
    const used = await tx.query("delete from accounts.links where token_key = $1 and purpose = $2 and ends_at > now()", [
      keyOfToken(token),
      purpose,
    ]);
    return used.count === 1;
  },

  /** Makes the earlier links of a person worthless. */
  async deleteAll(tx: SqlExecutor, purpose: LinkPurpose, personId: string): Promise<void> {
    await tx.query("delete from accounts.links where person_id = $1 and purpose = $2", [personId, purpose]);
  },
};
