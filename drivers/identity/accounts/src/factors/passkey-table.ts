import type { SqlExecutor } from "@appserver/kernel/ports";
import { keyOfToken } from "../token.ts";

export interface NewPasskey {
  /** Base64url. */
  readonly credentialId: string;
  readonly personId: string;
  /** The host for which it was made. */
  readonly rpId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
}

export interface StoredPasskey extends NewPasskey {
  readonly createdAt: Date;
  readonly usedAt: Date | null;
}

const columns = `credential_id as "credentialId", person_id as "personId", rp_id as "rpId", public_key as "publicKey",
  counter::float8 as counter, transports, name, created_at as "createdAt", used_at as "usedAt"`;

/** Passkeys of people. */
export const passkeyTable = {
  /** Rejects with a unique violation if the passkey is known. */
  async add(tx: SqlExecutor, passkey: NewPasskey): Promise<void> {
    const { credentialId, personId, rpId, publicKey, counter, transports, name } = passkey;
    await tx.query(
      `insert into accounts.passkeys (credential_id, person_id, rp_id, public_key, counter, transports, name)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [credentialId, personId, rpId, Buffer.from(publicKey), counter, transports, name],
    );
  },

  async list(database: SqlExecutor, personId: string): Promise<readonly StoredPasskey[]> {
    const text = `select ${columns} from accounts.passkeys where person_id = $1 order by created_at, credential_id`;
    const { rows } = await database.query<StoredPasskey>(text, [personId]);
    return rows;
  },

  async find(database: SqlExecutor, credentialId: string): Promise<StoredPasskey | undefined> {
    const { rows } = await database.query<StoredPasskey>(`select ${columns} from accounts.passkeys where credential_id = $1`, [
      credentialId,
    ]);
    return rows[0];
  },

  /** Notes a use. Returns false for a passkey that was removed, or a counter that is not above the last one: a copy of the passkey may exist. */
  async use(tx: SqlExecutor, credentialId: string, counter: number): Promise<boolean> {
    const used = await tx.query(
      `update accounts.passkeys set counter = $2, used_at = now()
       where credential_id = $1 and (counter < $2 or counter = 0 and $2 = 0)`,
      [credentialId, counter],
    );
    return used.count === 1;
  },

  /** Returns whether the person had it. */
  async remove(tx: SqlExecutor, personId: string, credentialId: string): Promise<boolean> {
    const removed = await tx.query("delete from accounts.passkeys where person_id = $1 and credential_id = $2", [
      personId,
      credentialId,
    ]);
    return removed.count === 1;
  },

  /** Uses a challenge up. Returns false if it was used before. */
  async useChallenge(tx: SqlExecutor, challenge: string): Promise<boolean> {
    const used = await tx.query("insert into accounts.used_challenges (challenge_key) values ($1) on conflict do nothing", [
      keyOfToken(challenge),
    ]);
    return used.count === 1;
  },

  /** Deletes challenges whose time is over. */
  async deleteOldChallenges(database: SqlExecutor): Promise<void> {
    await database.query("delete from accounts.used_challenges where used_at < now() - interval '1 hour'");
  },
};
