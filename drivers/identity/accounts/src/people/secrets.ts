import { messageOf } from "@appserver/kernel";
import type { SecretSeal, SqlExecutor, UnreadableSecret } from "@appserver/kernel/ports";

/** A secret of a person, or of one of their sessions, with which it is deleted. */
export interface SecretPlace {
  readonly personId: string;
  readonly name: string;
  readonly sessionId?: string | undefined;
}

interface SecretRow {
  readonly personId: string;
  readonly name: string;
  readonly sealed: string;
}

/** Secrets that the platform has to read again, encrypted with the keys of secret settings. */
export class Secrets {
  readonly #seal: SecretSeal;

  constructor(seal: SecretSeal) {
    this.#seal = seal;
  }

  /** Replaces the secret with this name, if there is one. */
  async keep(tx: SqlExecutor, { personId, name, sessionId }: SecretPlace, secret: string): Promise<void> {
    await tx.query(
      `insert into accounts.secrets (person_id, name, session_id, sealed) values ($1, $2, $3, $4)
       on conflict (person_id, name) do update set sealed = excluded.sealed, session_id = excluded.session_id`,
      [personId, name, sessionId ?? null, await this.#seal.seal(ownerOf(personId), name, secret)],
    );
  }

  /** Undefined if there is none. Rejects if no configured key opens it. */
  async read(database: SqlExecutor, { personId, name }: Omit<SecretPlace, "sessionId">): Promise<string | undefined> {
    const { rows } = await database.query<{ sealed: string }>(
      "select sealed from accounts.secrets where person_id = $1 and name = $2",
      [personId, name],
    );
    const [row] = rows;
    return row && (await this.#seal.open(ownerOf(personId), name, row.sealed));
  }

  async remove(tx: SqlExecutor, { personId, name }: Omit<SecretPlace, "sessionId">): Promise<void> {
    await tx.query("delete from accounts.secrets where person_id = $1 and name = $2", [personId, name]);
  }

  /** Encrypts all with the newest key, while servers run. A secret that is replaced at the same time keeps its new value. Returns those that no key opens. */
  async reseal(database: SqlExecutor): Promise<readonly UnreadableSecret[]> {
    const unreadable: UnreadableSecret[] = [];
    const { rows } = await database.query<SecretRow>('select person_id as "personId", name, sealed from accounts.secrets');
    for (const { personId, name, sealed } of rows) {
      const owner = ownerOf(personId);
      try {
        const next = await this.#seal.seal(owner, name, await this.#seal.open(owner, name, sealed));
        await database.query("update accounts.secrets set sealed = $4 where person_id = $1 and name = $2 and sealed = $3", [
          personId,
          name,
          sealed,
          next,
        ]);
      } catch (error) {
        unreadable.push({ owner, name, problem: messageOf(error) });
      }
    }
    return unreadable;
  }
}

function ownerOf(personId: string): string {
  return `person:${personId}`;
}
