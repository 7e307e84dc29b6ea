import type { SqlExecutor } from "@appserver/kernel/ports";
import type { ProvenPerson } from "./provider.ts";

/** Which person an identity of an issuer is. */
export const identityTable = {
  async personOf(
    database: SqlExecutor,
    { issuer, subject }: Pick<ProvenPerson, "issuer" | "subject">,
  ): Promise<string | undefined> {
    const { rows } = await database.query<{ personId: string }>(
      'select person_id as "personId" from accounts.identities where issuer = $1 and subject = $2',
      [issuer, subject],
    );
    return rows[0]?.personId;
  },

  /** Rejects with a unique violation if the identity is another person's. */
  async link(tx: SqlExecutor, { issuer, subject }: ProvenPerson, providerId: string, personId: string): Promise<void> {
    await tx.query("insert into accounts.identities (issuer, subject, provider_id, person_id) values ($1, $2, $3, $4)", [
      issuer,
      subject,
      providerId,
      personId,
    ]);
  },

  /** Returns the providers with which a person can sign in. */
  async providersOf(database: SqlExecutor, personId: string): Promise<ReadonlySet<string>> {
    const { rows } = await database.query<{ providerId: string }>(
      'select provider_id as "providerId" from accounts.identities where person_id = $1',
      [personId],
    );
    return new Set(rows.map(({ providerId }) => providerId));
  },

  async unlink(tx: SqlExecutor, personId: string, providerId: string): Promise<void> {
    await tx.query("delete from accounts.identities where person_id = $1 and provider_id = $2", [personId, providerId]);
  },
};
