import { AppError, type MaybePromise } from "@appserver/kernel";
import type { Cache, Window } from "@appserver/kernel/ports";

/**
 * Entries in the cache that replicas share. Every method throws SERVICE_UNAVAILABLE if the cache does not respond: what a single process has
 * stored or counted instead is not the truth.
 */
export class SharedEntries {
  readonly #cache: Cache;
  readonly #prefix: string;

  /** `prefix`: of all keys. */
  constructor(cache: Cache, prefix: string) {
    this.#cache = cache;
    this.#prefix = prefix;
  }

  get(key: string): Promise<string | undefined> {
    return this.#shared(() => this.#cache.get(this.#prefix + key));
  }

  set(key: string, value: string, ttlMs: number): Promise<void> {
    return this.#shared(() => this.#cache.set(this.#prefix + key, value, ttlMs));
  }

  async delete(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#shared(() => this.#cache.delete(this.#prefix + key));
  }

  /** Returns whether this call is the first one with the key, over all replicas. `owner`: as in {@link Cache.addIfAbsent}. */
  async isFirst(key: string, ttlMs: number, owner: string): Promise<boolean> {
    const outcome = await this.#shared(() => this.#cache.addIfAbsent(this.#prefix + key, ttlMs, { owner }));
    if (outcome === "full") throw unavailable();
    return outcome === "added";
  }

  /** Counts a hit. Returns whether the windows allow it. */
  async isWithin(key: string, windows: readonly Window[]): Promise<boolean> {
    return (await this.#count(key, windows)).allowed;
  }

  /** Counts a hit. Throws RATE_LIMIT_EXCEEDED with this message if the windows do not allow it. */
  async requireWithin(key: string, windows: readonly Window[], message: string): Promise<void> {
    const { allowed, resetMs } = await this.#count(key, windows);
    if (allowed) return;
    const retryAfter = Math.max(1, Math.ceil(resetMs / 1_000));
    throw new AppError("RATE_LIMIT_EXCEEDED", message, { details: { retry_after: retryAfter } });
  }

  #count(key: string, windows: readonly Window[]) {
    return this.#shared(() => this.#cache.slidingWindow(this.#prefix + key, windows));
  }

  /** The cache itself never rejects: it is looked at before the call and after it. */
  async #shared<T>(call: () => MaybePromise<T>): Promise<T> {
    this.#requireHealthy();
    const result = await call();
    this.#requireHealthy();
    return result;
  }

  #requireHealthy(): void {
    if (!this.#cache.healthy()) throw unavailable();
  }
}

function unavailable(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "the cache that the servers share does not respond");
}
