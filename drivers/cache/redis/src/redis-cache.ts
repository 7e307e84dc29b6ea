import type { SecureContextOptions } from "node:tls";
import { MissedChanges } from "@appserver/driver";
import type { Clock, Component, Logger, MaybePromise } from "@appserver/kernel";
import { isPromise } from "@appserver/kernel";
import type { Cache, MarkOptions, MarkOutcome, Window, WindowResult } from "@appserver/kernel/ports";
import { EvictionCheck } from "./eviction-check.ts";
import { HitBatches } from "./hit-batches.ts";
import { LinkKeeper } from "./link-keeper.ts";
import type { RedisLink } from "./redis-link.ts";
import { describeTarget, parseRedisUrl } from "./redis-target.ts";
import { slidingWindow } from "./sliding-window.ts";
import { deleteValues, setValue } from "./value-index.ts";

export interface RedisCacheOptions {
  /** `redis[s]://[user[:password]@]host[:port][/database]`; Redis 7 or newer, no cluster. */
  readonly url: string;
  /** Names the installation: its replicas share their data; other installations on the same Redis do not. */
  readonly namespace: string;
  /** Used while Redis does not respond: the cache of the process. This cache may delete all its values. */
  readonly fallback: Cache;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum time that a call waits for Redis (docs/interface/limits.md#dependencies). */
  readonly budgetMs: number;
  /** Maximum time to connect. Default 1 s. */
  readonly connectTimeoutMs?: number;
  /** Maximum memory for copies of values in this process, in bytes. */
  readonly maxLocalBytes: number;
  /** Maximum age of such a copy (docs/interface/limits.md#caches). */
  readonly maxLocalTtlMs: number;
  /** For `rediss://`: certificates in addition to those that Node trusts. */
  readonly tls?: SecureContextOptions;
}

const complaintPauseMs = 10_000;

/**
 * The shared cache of all replicas, in Redis. A value that was read once is returned from this process's memory until Redis
 * reports a change (RESP3 tracking). Limits are exact over all replicas, by Redis's clock.
 *
 * Never rejects, and never waits longer than its budget. After the first late call or a lost connection, the fallback does all
 * work until a new link to Redis is open; connecting is retried at least twice a second.
 *
 * The process also remembers marks of `addIfAbsent`, so that they stay known if Redis is unavailable or loses its data.
 * `delete` therefore frees a mark only for this process and those that never saw it.
 */
export class RedisCache implements Cache, Component {
  readonly name = "redis-cache";
  readonly #fallback: Cache;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #values: string;
  readonly #marks: string;
  readonly #hits: string;
  readonly #index: string;
  readonly #missed = new MissedChanges();
  readonly #keeper: LinkKeeper;
  readonly #batches = new HitBatches((keys, args) => this.#runWindows(keys, args));
  #complainedAt = Number.NEGATIVE_INFINITY;

  /** Throws RangeError for an invalid Redis URL. */
  constructor(options: RedisCacheOptions) {
    const { namespace, fallback, clock, logger } = options;
    this.#fallback = fallback;
    this.#clock = clock;
    this.#logger = logger;
    this.#values = `${namespace}:v:`;
    this.#marks = `${namespace}:m:`;
    this.#hits = `${namespace}:h:`;
    this.#index = `${namespace}:values`;
    const target = parseRedisUrl(options.url);
    const eviction = new EvictionCheck({ redis: describeTarget(target), clock, logger });
    this.#keeper = new LinkKeeper({
      target,
      tls: options.tls,
      probeKey: `${namespace}:probe`,
      scripts: [slidingWindow, setValue, deleteValues],
      budgetMs: options.budgetMs,
      connectTimeoutMs: options.connectTimeoutMs ?? 1_000,
      maxLocalBytes: options.maxLocalBytes,
      maxLocalTtlMs: options.maxLocalTtlMs,
      clock,
      logger,
      upkeep: async (link) => {
        await this.#catchUp(link);
        await eviction.run(link);
      },
      // They date from the last time that Redis was unavailable.
      onUp: () => void fallback.deletePrefix(""),
    });
  }

  /** Resolves once Redis is in use, or the first attempt to connect has failed; further attempts follow. */
  start(): Promise<void> {
    return this.#keeper.open();
  }

  stop(): Promise<void> {
    return this.#keeper.close();
  }

  healthy(): boolean {
    return this.#keeper.link !== undefined;
  }

  get(key: string): MaybePromise<string | undefined> {
    const { link } = this.#keeper;
    if (!link) return this.#fallback.get(key);
    const value = link.get(this.#values + key);
    return isPromise(value) ? value.catch((error) => this.#instead(error, () => this.#fallback.get(key))) : value;
  }

  set(key: string, value: string, ttlMs: number): MaybePromise<void> {
    if (ttlMs <= 0) return this.delete(key);
    const { link } = this.#keeper;
    if (!link) return this.#setLocally(key, value, ttlMs);
    const name = this.#values + key;
    const args = [key, value, wholeMs(ttlMs), this.#values];
    return link.script(setValue, [this.#index, name], args).then(
      () => link.forget(name),
      (error) => this.#instead(error, () => this.#setLocally(key, value, ttlMs)),
    );
  }

  delete(key: string): MaybePromise<void> {
    const names = [this.#values + key, this.#marks + key, this.#hits + key];
    const { link } = this.#keeper;
    const done = this.#fallback.delete(key);
    if (!link) {
      this.#missed.addNames(names);
      return done;
    }
    return unlink(link, names).catch((error) => this.#instead(error, () => this.#missed.addNames(names)));
  }

  /**
   * Uses an index of the values' keys (ADR 0016): deletes 1,000 of them in about 2 ms, independent of the number of other keys.
   */
  deletePrefix(prefix: string): MaybePromise<void> {
    const { link } = this.#keeper;
    const done = this.#fallback.deletePrefix(prefix);
    if (!link) {
      this.#missed.addPrefix(prefix);
      return done;
    }
    return this.#deleteValues(link, prefix).catch((error) => this.#instead(error, () => this.#missed.addPrefix(prefix)));
  }

  /** Never returns "full" while Redis responds: its memory counts, not that of the process. */
  addIfAbsent(key: string, ttlMs: number, options?: MarkOptions): MaybePromise<MarkOutcome> {
    const own = this.#fallback.addIfAbsent(key, ttlMs, options);
    const { link } = this.#keeper;
    if (!link) return own;
    return isPromise(own) ? own.then((known) => this.#mark(link, key, ttlMs, known)) : this.#mark(link, key, ttlMs, own);
  }

  slidingWindow(key: string, windows: readonly Window[]): MaybePromise<WindowResult> {
    const { link } = this.#keeper;
    if (!link || windows.length === 0) return this.#fallback.slidingWindow(key, windows);
    return this.#batches
      .count(this.#hits + key, windows)
      .catch((error) => this.#instead(error, () => this.#fallback.slidingWindow(key, windows)));
  }

  async #runWindows(keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const { link } = this.#keeper;
    if (!link) throw new Error("the link to Redis was lost");
    return await link.script(slidingWindow, keys, args);
  }

  #mark(link: RedisLink, key: string, ttlMs: number, own: MarkOutcome): MaybePromise<MarkOutcome> {
    if (own === "present") return own;
    return link.command(["SET", this.#marks + key, "", "NX", "PX", wholeMs(ttlMs)]).then(
      (reply): MarkOutcome => (reply === null ? "present" : "added"),
      // The process itself had not seen it.
      (error) => this.#instead(error, () => own),
    );
  }

  #setLocally(key: string, value: string, ttlMs: number): MaybePromise<void> {
    this.#missed.addNames([this.#values + key]);
    return this.#fallback.set(key, value, ttlMs);
  }

  async #deleteValues(link: RedisLink, prefix: string): Promise<void> {
    link.forgetPrefix(this.#values + prefix);
    let remaining = 1;
    while (remaining > 0) remaining = Number(await link.script(deleteValues, [this.#index], [prefix, this.#values]));
    link.forgetPrefix(this.#values + prefix);
  }

  /** Applies the changes that Redis has missed. If Redis does not accept them, rejects and keeps them. */
  async #catchUp(link: RedisLink): Promise<void> {
    while (!this.#missed.isEmpty) {
      const { names, prefixes } = this.#missed.take();
      try {
        for (const prefix of prefixes) await this.#deleteValues(link, prefix);
        for (let from = 0; from < names.length; from += 1_000) await unlink(link, names.slice(from, from + 1_000));
      } catch (error) {
        this.#missed.addNames(names);
        for (const prefix of prefixes) this.#missed.addPrefix(prefix);
        throw error;
      }
    }
  }

  /** Runs the fallback in place of Redis. The link keeper logs lost links; this method logs errors of a working link. */
  #instead<T>(error: unknown, fallback: () => T): T {
    const now = this.#clock.monotonic();
    if (this.healthy() && now - this.#complainedAt > complaintPauseMs) {
      this.#complainedAt = now;
      this.#logger.warn({ err: error }, "cache: Redis refused a command");
    }
    return fallback();
  }
}

async function unlink(link: RedisLink, names: readonly string[]): Promise<void> {
  await link.command(["UNLINK", ...names]);
  for (const name of names) link.forget(name);
}

/** Redis accepts no fractions. */
function wholeMs(ms: number): string {
  return String(Math.max(1, Math.ceil(ms)));
}
