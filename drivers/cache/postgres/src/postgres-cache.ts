import {
  type Cache,
  type ChannelSubscription,
  type Clock,
  type Component,
  type Database,
  LocalCopies,
  type Logger,
  type MarkOptions,
  type MarkOutcome,
  MissedChanges,
  type Window,
  type WindowResult,
} from "@appserver/driver";
import { every, GroupCommit, isPromise, type MaybePromise, within } from "@appserver/kernel";
import {
  changeChannel,
  deleteEntries,
  deleteKey,
  type Entry,
  isStorable,
  readEntries,
  type StoredValue,
  storeEntries,
} from "./entries.ts";
import { hashedKey } from "./hashed-key.ts";
import { countHits, type Hit } from "./hits.ts";
import { addMarks, type Mark } from "./marks.ts";
import { removeRows } from "./upkeep.ts";

export interface PostgresCacheOptions {
  readonly database: Database;
  /** Used while the database does not respond: the cache of the process. This cache may delete all its values. */
  readonly fallback: Cache;
  /** Maximum time that a call waits for the database (docs/interface/limits.md#dependencies). */
  readonly budgetMs: number;
  /** Maximum memory for copies of values in this process, in bytes. */
  readonly maxLocalBytes: number;
  /** Maximum age of such a copy (docs/interface/limits.md#caches). */
  readonly maxLocalTtlMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Most items of one statement. */
const maxItems = 64;
const probeIntervalMs = 500;
const upkeepIntervalMs = 10_000;
const deletesMs = 5_000;

/**
 * The shared cache of all replicas, in the platform's database. Limits are exact over all replicas, by the database's clock. Calls that
 * wait at the same moment share a statement. A value that was read once is returned from this process's memory while the process
 * hears every notification of a change.
 *
 * Never rejects. After the first late or failed call, the fallback does all work until the database responds again.
 *
 * The process also remembers marks of `addIfAbsent`, so that they stay known if the database is unavailable. A process whose memory for
 * them is full returns "full". `delete` therefore frees a mark only for this process and those that never saw it.
 */
export class PostgresCache implements Cache, Component {
  readonly name = "postgres-cache";
  readonly #options: PostgresCacheOptions;
  readonly #database: Database;
  readonly #fallback: Cache;
  readonly #copies: LocalCopies;
  readonly #missed = new MissedChanges();
  readonly #stopped = new AbortController();
  readonly #hits: GroupCommit<Hit, WindowResult>;
  readonly #marks: GroupCommit<Mark, MarkOutcome>;
  readonly #reads: GroupCommit<string, StoredValue | undefined>;
  readonly #writes: GroupCommit<Entry, undefined>;
  #subscription: ChannelSubscription | undefined;
  #isUp = false;

  constructor(options: PostgresCacheOptions) {
    const { database, fallback, budgetMs, maxLocalBytes, clock } = options;
    this.#options = options;
    this.#database = database;
    this.#fallback = fallback;
    this.#copies = new LocalCopies(maxLocalBytes);
    const batches = { maxItems, deadline: { clock, ms: budgetMs } };
    this.#hits = new GroupCommit((hits) => countHits(database, hits), batches);
    this.#marks = new GroupCommit((marks) => addMarks(database, marks), batches);
    this.#reads = new GroupCommit((keys) => readEntries(database, keys), batches);
    this.#writes = new GroupCommit(async (entries) => {
      await storeEntries(database, entries);
      return entries.map(() => undefined);
    }, batches);
  }

  async start(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#stopped;
    this.#subscription ??= await this.#database.listen(
      changeChannel,
      (payload) => this.#heard(payload),
      () => this.#copies.forgetPrefix(""),
    );
    this.#isUp = true;
    const repeated = { clock, signal, first: "after a pause" } as const;
    void every({
      ...repeated,
      intervalMs: probeIntervalMs,
      run: () => this.#recover(),
      onError: (error) => logger.debug({ err: error }, "cache: the database does not respond yet"),
    });
    void every({
      ...repeated,
      intervalMs: upkeepIntervalMs,
      jitter: 0.5,
      run: () => this.#isUp && removeRows(this.#database),
      onError: (error) => logger.warn({ err: error }, "cache: removing expired rows failed"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#isUp = false;
    await this.#subscription?.close();
    this.#subscription = undefined;
  }

  healthy(): boolean {
    return this.#isUp;
  }

  get(key: string): MaybePromise<string | undefined> {
    if (!this.#isUp || !isStorable(key)) return this.#fallback.get(key);
    if (this.#subscription?.hears() === true) {
      const copy = this.#copies.get(key, this.#options.clock.monotonic());
      if (copy !== undefined) return copy;
    }
    const flight = this.#copies.flight(key);
    if (flight) return flight.value;
    const value = this.#read(key);
    this.#copies.takeOff(key, value);
    return value.value;
  }

  set(key: string, value: string, ttlMs: number): MaybePromise<void> {
    if (ttlMs <= 0) return this.delete(key);
    if (!this.#isUp || !isStorable(key)) return this.#setLocally(key, value, ttlMs);
    return this.#orInstead(
      this.#writes.run({ key, value, ttlMs }).then(() => this.#copies.forget(key)),
      () => this.#setLocally(key, value, ttlMs),
    );
  }

  delete(key: string): MaybePromise<void> {
    const done = this.#fallback.delete(key);
    this.#copies.forget(key);
    if (!isStorable(key)) return done;
    if (!this.#isUp) return this.#missed.addNames([key]);
    return this.#orInstead(
      this.#inTime(() => deleteKey(this.#database, key, hashedKey(key))),
      () => this.#missed.addNames([key]),
    );
  }

  deletePrefix(prefix: string): MaybePromise<void> {
    const done = this.#fallback.deletePrefix(prefix);
    this.#copies.forgetPrefix(prefix);
    if (!isStorable(prefix)) return done;
    if (!this.#isUp) return this.#missed.addPrefix(prefix);
    return this.#orInstead(
      this.#inTime(() => deleteEntries(this.#database, prefix)).then(() => this.#copies.forgetPrefix(prefix)),
      () => this.#missed.addPrefix(prefix),
    );
  }

  addIfAbsent(key: string, ttlMs: number, options: MarkOptions = {}): MaybePromise<MarkOutcome> {
    const own = this.#fallback.addIfAbsent(key, ttlMs, options);
    if (!this.#isUp) return own;
    return isPromise(own) ? own.then((known) => this.#mark(key, ttlMs, options, known)) : this.#mark(key, ttlMs, options, own);
  }

  slidingWindow(key: string, windows: readonly Window[]): MaybePromise<WindowResult> {
    const locally = () => this.#fallback.slidingWindow(key, windows);
    if (!this.#isUp || windows.length === 0) return locally();
    return this.#orInstead(this.#hits.run({ key, windows }), locally);
  }

  #mark(key: string, ttlMs: number, { isEvictable = false }: MarkOptions, own: MarkOutcome): MaybePromise<MarkOutcome> {
    if (own !== "added") return own;
    // If it fails: the process itself had not seen it.
    return this.#orInstead(this.#marks.run({ key, ttlMs: Math.max(1, ttlMs), isEvictable }), () => own);
  }

  #read(key: string) {
    const flight = { value: this.#orInstead(this.#reads.run(key), () => undefined).then((stored) => land(stored)) };
    const land = (stored: StoredValue | undefined): MaybePromise<string | undefined> => {
      const { clock, maxLocalTtlMs } = this.#options;
      const copy = stored && { value: stored.value, expiresAt: clock.monotonic() + Math.min(stored.leftMs, maxLocalTtlMs) };
      this.#copies.land(key, flight, copy);
      return stored?.value ?? (this.#isUp ? undefined : this.#fallback.get(key));
    };
    return flight;
  }

  #setLocally(key: string, value: string, ttlMs: number): MaybePromise<void> {
    if (isStorable(key)) this.#missed.addNames([key]);
    return this.#fallback.set(key, value, ttlMs);
  }

  #heard(payload: string): void {
    const name = payload.slice(1);
    if (payload.startsWith("p")) this.#copies.forgetPrefix(name);
    else this.#copies.forget(name);
  }

  /** Resolves with the result, or with that of the fallback if the database fails or is late. */
  #orInstead<T>(result: Promise<T>, fallback: () => MaybePromise<T>): Promise<T> {
    return result.catch((error: unknown) => {
      if (this.#isUp && !this.#stopped.signal.aborted) {
        this.#isUp = false;
        this.#options.logger.warn({ err: error }, "cache: the database does not respond; the process counts by itself");
      }
      return fallback();
    });
  }

  #inTime<T>(work: () => Promise<T>): Promise<T> {
    const error = () => new Error(`the database did not respond within ${deletesMs} ms`);
    return within(work, { clock: this.#options.clock, ms: deletesMs, error });
  }

  /** Makes up for the changes that the database has missed, and uses it again. */
  async #recover(): Promise<void> {
    if (this.#isUp) return;
    await this.#inTime(() => this.#catchUp());
    if (this.#stopped.signal.aborted) return;
    // They date from the time without the database.
    void this.#fallback.deletePrefix("");
    this.#copies.forgetPrefix("");
    this.#isUp = true;
    this.#options.logger.info({}, "cache: the database responds again");
  }

  async #catchUp(): Promise<void> {
    await readEntries(this.#database, []);
    const { names, prefixes } = this.#missed.take();
    try {
      for (const prefix of prefixes) await deleteEntries(this.#database, prefix);
      for (const key of names) await deleteKey(this.#database, key, hashedKey(key));
    } catch (error) {
      this.#missed.addNames(names);
      for (const prefix of prefixes) this.#missed.addPrefix(prefix);
      throw error;
    }
  }
}
