import { randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Database } from "../platform-ports/database.ts";
import type {
  IdempotencyClaim,
  IdempotencyKeys,
  IdempotentRequest,
  KeyedWork,
  WorkReceipt,
} from "../platform-ports/idempotency-keys.ts";

export interface SqlIdempotencyKeysOptions {
  readonly database: Pick<Database, "query">;
  /** Only for the pauses between renewals. */
  readonly clock: Pick<Clock, "sleep">;
  /** Keys of one caller that are kept. Beyond that the oldest that has ended is forgotten. @defaultValue 10000 */
  readonly keptKeys?: number;
}

const kept = "interval '24 hours'";
/** How long the key of a process that has died stays taken. */
const claimed = "interval '10 seconds'";
const renewEveryMs = 2_000;
/** Rows that each new key removes: more than it adds. */
const removedEachTime = 10;
/** The attempts to end a claim whose row is locked, or whose database is unreachable. Then it expires. */
const maxReleases = 30;

/**
 * Stores keys in `platform.idempotency_keys` (docs/interface/rest.md#idempotency). A claim is a fencing token: each transaction of the
 * work updates the row of its claim ({@link recordKeyedWorks}), so that work without a claim cannot commit.
 */
export class SqlIdempotencyKeys implements IdempotencyKeys {
  readonly #options: SqlIdempotencyKeysOptions;
  /** Work that runs in this process. */
  readonly #running = new Set<KeyedWork>();
  /** Failed work whose claim could not be ended yet, with the number of attempts. */
  readonly #failed = new Map<KeyedWork, number>();
  #isRenewing = false;

  constructor(options: SqlIdempotencyKeysOptions) {
    this.#options = options;
  }

  async begin(request: IdempotentRequest): Promise<IdempotencyClaim> {
    const claim = randomUUID();
    if (await this.#insert(request, claim)) return this.#first(request, claim, false);
    const found = await this.#takeOver(request, claim);
    if (found?.taken) return this.#first(request, claim, found.repeated);
    if (!found) return { outcome: "in_flight" };
    if (!found.same) return { outcome: "other_request" };
    if (!found.done) return { outcome: "in_flight" };
    const { caller, key } = request;
    return { outcome: "done", work: { caller, key, claim, earlier: found.receipt ?? {}, isRepeated: true } };
  }

  async complete(work: KeyedWork): Promise<void> {
    this.#running.delete(work);
    await this.#options.database.query(
      `update platform.idempotency_keys set ended = true, receipt = coalesce(receipt, '{}')
       where caller = $1 and key = $2 and claim = $3`,
      [work.caller, work.key, work.claim],
    );
  }

  async fail(work: KeyedWork): Promise<void> {
    this.#running.delete(work);
    if (await this.#release(work)) return;
    this.#failed.set(work, 1);
    this.#renew();
  }

  #first({ caller, key }: IdempotentRequest, claim: string, isRepeated: boolean): IdempotencyClaim {
    const work: KeyedWork = { caller, key, claim, earlier: undefined, isRepeated };
    this.#running.add(work);
    this.#renew();
    return { outcome: "first", work };
  }

  /** Looks for the row first: a conflict would wait for the transaction of an earlier request, which may hold it for long. */
  async #insert({ caller, key, digest }: IdempotentRequest, claim: string): Promise<boolean> {
    const { database, keptKeys = 10_000 } = this.#options;
    const { count } = await database.query(
      `with expired as (
         delete from platform.idempotency_keys where (caller, key) in (
           select caller, key from platform.idempotency_keys
           where expires_at < now() and (caller, key) <> ($1, $2)
           order by expires_at limit ${removedEachTime} for update skip locked)
       ), excess as (
         delete from platform.idempotency_keys where (caller, key) in (
           select caller, key from platform.idempotency_keys where caller = $1 and ended and expires_at >= now()
           order by expires_at desc offset $5 - 1 limit ${removedEachTime} for update skip locked)
       )
       insert into platform.idempotency_keys (caller, key, digest, claim, claimed_until, expires_at)
       select $1, $2, $3, $4, now() + ${claimed}, now() + ${kept}
       where not exists (select 1 from platform.idempotency_keys where caller = $1 and key = $2)
       on conflict (caller, key) do nothing returning 1`,
      [caller, key, digest, claim, keptKeys],
    );
    return count > 0;
  }

  /** Takes the row of a key that has expired, or whose process has died before it stored anything. Otherwise reads it. */
  async #takeOver({ caller, key, digest }: IdempotentRequest, claim: string): Promise<FoundKey | undefined> {
    const { rows } = await this.#options.database.query<FoundKey>(
      `with found as (
         select expires_at >= now() as repeated from platform.idempotency_keys
         where caller = $1 and key = $2 and (expires_at < now()
           or (digest = $3 and not ended and receipt is null and claimed_until < now()))
         for update skip locked
       ), taken as (
         update platform.idempotency_keys as kept set digest = $3, claim = $4, claimed_until = now() + ${claimed},
           ended = false, receipt = null, expires_at = now() + ${kept}
         from found where kept.caller = $1 and kept.key = $2 returning found.repeated
       )
       select digest = $3 as same, ended or (receipt is not null and claimed_until < now()) as done, receipt,
         exists (select 1 from taken) as taken, coalesce((select repeated from taken), true) as repeated
       from platform.idempotency_keys where caller = $1 and key = $2`,
      [caller, key, digest, claim],
    );
    return rows[0];
  }

  /**
   * Ends the claim of failed work: deletes the row if nothing was stored, so that nothing can be, and otherwise lets the next request
   * return what was. Returns false while that is not possible: a transaction of the work has not ended, or the database is unreachable.
   */
  async #release({ caller, key, claim }: KeyedWork): Promise<boolean> {
    try {
      const { rows } = await this.#options.database.query<{ readonly ended: boolean }>(
        `with found as (
           select receipt is null as free from platform.idempotency_keys where caller = $1 and key = $2 and claim = $3
           for update skip locked
         ), freed as (
           delete from platform.idempotency_keys using found where caller = $1 and key = $2 and free
         ), ended as (
           update platform.idempotency_keys set ended = true from found where caller = $1 and key = $2 and not free
         )
         select exists (select 1 from found) or not exists (
           select 1 from platform.idempotency_keys where caller = $1 and key = $2 and claim = $3) as ended`,
        [caller, key, claim],
      );
      return rows[0]?.ended === true;
    } catch {
      return false;
    }
  }

  /** Renews claims while there are any. A row that a transaction of its work has locked cannot be taken over anyway. */
  #renew(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    void (async () => {
      while (this.#running.size + this.#failed.size > 0) {
        await this.#options.clock.sleep(renewEveryMs);
        await this.#extend([...this.#running]).catch(() => {});
        for (const [work, attempts] of this.#failed)
          if ((await this.#release(work)) || attempts >= maxReleases) this.#failed.delete(work);
          else this.#failed.set(work, attempts + 1);
      }
    })().finally(() => {
      this.#isRenewing = false;
    });
  }

  async #extend(work: readonly KeyedWork[]): Promise<void> {
    if (work.length === 0) return;
    await this.#options.database.query(
      `update platform.idempotency_keys as kept set claimed_until = now() + ${claimed}
       from (select caller, key, claim from platform.idempotency_keys
         where (caller, key, claim) in (select * from unnest($1::text[], $2::text[], $3::uuid[])) for update skip locked) as own
       where kept.caller = own.caller and kept.key = own.key and kept.claim = own.claim`,
      [work.map(({ caller }) => caller), work.map(({ key }) => key), work.map(({ claim }) => claim)],
    );
  }
}

interface FoundKey {
  readonly same: boolean;
  readonly done: boolean;
  readonly receipt: WorkReceipt | null;
  readonly taken: boolean;
  /** The key was taken from an interrupted request, not from one that has expired. */
  readonly repeated: boolean;
}
