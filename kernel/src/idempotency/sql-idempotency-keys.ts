import { randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Database } from "../platform-ports/database.ts";
import type { IdempotencyClaim, IdempotencyKeys, IdempotentRequest } from "../platform-ports/idempotency-keys.ts";

export interface SqlIdempotencyKeysOptions {
  readonly database: Pick<Database, "query">;
  readonly clock: Clock;
  /** Encrypts stored responses. A text can be opened only for the same owner and name. */
  readonly seal: {
    seal(owner: string, name: string, text: string): Promise<string>;
    open(owner: string, name: string, sealed: string): Promise<string>;
  };
}

/** How long a response is kept. */
const keptMs = 24 * 3_600_000;
/** How long a request may take. After that its process has died, and a repetition does the work. */
const claimedMs = 120_000;
/** How many expired keys each new one removes: more than it adds. */
const removedEachTime = 10;

/** Stores keys in `platform.idempotency_keys`. */
export class SqlIdempotencyKeys implements IdempotencyKeys {
  readonly #options: SqlIdempotencyKeysOptions;

  constructor(options: SqlIdempotencyKeysOptions) {
    this.#options = options;
  }

  async begin(request: IdempotentRequest): Promise<IdempotencyClaim> {
    const { database, clock } = this.#options;
    const now = clock.now();
    const claim = randomUUID();
    const { rows } = await database.query(
      `with expired as (
         delete from platform.idempotency_keys where (caller, key) in (
           select caller, key from platform.idempotency_keys
           where expires_at < $5 and (caller, key) <> ($1, $2)
           order by expires_at limit ${removedEachTime} for update skip locked))
       insert into platform.idempotency_keys as kept (caller, key, digest, claim, claimed_until, expires_at)
       values ($1, $2, $3, $4, $6, $7)
       on conflict (caller, key) do update
         set digest = excluded.digest, claim = excluded.claim, claimed_until = excluded.claimed_until,
             sealed_response = null, expires_at = excluded.expires_at
         where kept.expires_at < $5
            or (kept.sealed_response is null and kept.claimed_until < $5 and kept.digest = excluded.digest)
       returning 1`,
      [request.caller, request.key, request.digest, claim, new Date(now), new Date(now + claimedMs), new Date(now + keptMs)],
    );
    return rows.length > 0 ? { outcome: "first", claim } : await this.#earlier(request);
  }

  async complete({ caller, key }: IdempotentRequest, claim: string, response: string): Promise<void> {
    const { database, seal } = this.#options;
    await database.query(
      "update platform.idempotency_keys set sealed_response = $4 where caller = $1 and key = $2 and claim = $3",
      [caller, key, claim, await seal.seal(caller, nameOf(key), response)],
    );
  }

  async abandon({ caller, key }: IdempotentRequest, claim: string): Promise<void> {
    await this.#options.database.query("delete from platform.idempotency_keys where caller = $1 and key = $2 and claim = $3", [
      caller,
      key,
      claim,
    ]);
  }

  async #earlier({ caller, key, digest }: IdempotentRequest): Promise<IdempotencyClaim> {
    const { database, seal } = this.#options;
    const { rows } = await database.query<{ readonly digest: Buffer; readonly sealed_response: string | null }>(
      "select digest, sealed_response from platform.idempotency_keys where caller = $1 and key = $2",
      [caller, key],
    );
    const [kept] = rows;
    // It was abandoned in this moment: the client is to try once more.
    if (!kept) return { outcome: "in_flight" };
    if (!kept.digest.equals(digest)) return { outcome: "other_request" };
    if (kept.sealed_response === null) return { outcome: "in_flight" };
    return { outcome: "repeated", response: await seal.open(caller, nameOf(key), kept.sealed_response) };
  }
}

function nameOf(key: string): string {
  return `idempotency ${key}`;
}
