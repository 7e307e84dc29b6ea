import type { Clock, Component } from "@appserver/kernel";
import type { Cache, MarkOptions, MarkOutcome, Window, WindowResult } from "@appserver/kernel/ports";
import { type Expiring, ExpiringStore, textBytes } from "./expiring-store.ts";
import { HitLog } from "./hit-log.ts";
import { MarkStore } from "./mark-store.ts";

export interface MemoryCacheOptions {
  readonly clock: Clock;
  /** Maximum memory, in bytes (docs/interface/limits.md#caches). */
  readonly maxBytes: number;
}

interface Value extends Expiring {
  readonly value: string;
}

interface Hits extends Expiring {
  readonly log: HitLog;
}

/**
 * The cache of a single process. Every result is returned at once, without a promise. Half of the memory is for values, a
 * quarter for keys of `addIfAbsent` and a quarter for hits, so that none of them can displace the others.
 */
export class MemoryCache implements Cache, Component {
  readonly name = "memory-cache";
  readonly #clock: Clock;
  readonly #values: ExpiringStore<Value>;
  readonly #marks: MarkStore;
  readonly #hits: ExpiringStore<Hits>;

  constructor(options: MemoryCacheOptions) {
    const { clock, maxBytes } = options;
    this.#clock = clock;
    this.#values = new ExpiringStore(Math.ceil(maxBytes / 2));
    this.#marks = new MarkStore(Math.ceil(maxBytes / 4));
    this.#hits = new ExpiringStore(Math.ceil(maxBytes / 4));
  }

  get(key: string): string | undefined {
    return this.#values.get(key, this.#clock.monotonic())?.value;
  }

  set(key: string, value: string, ttlMs: number): void {
    const now = this.#clock.monotonic();
    this.#values.set(key, { value, expiresAt: now + ttlMs }, textBytes(value), now);
  }

  delete(key: string): void {
    this.#values.delete(key);
    this.#marks.delete(key);
    this.#hits.delete(key);
  }

  /** Checks every value's key. */
  deletePrefix(prefix: string): void {
    this.#values.deletePrefix(prefix);
  }

  addIfAbsent(key: string, ttlMs: number, { owner = "", isEvictable = false }: MarkOptions = {}): MarkOutcome {
    const now = this.#clock.monotonic();
    if (this.#marks.has(key, now) || this.#values.get(key, now)) return "present";
    if (!isEvictable) return this.#marks.add(key, now + ttlMs, owner, now) ? "added" : "full";
    this.set(key, "", ttlMs);
    return "added";
  }

  slidingWindow(key: string, windows: readonly Window[]): WindowResult {
    const now = this.#clock.monotonic();
    const known = this.#hits.get(key, now);
    const refusal = refusalBy(windows, known?.log, now);
    if (refusal) return refusal;
    return this.#count(key, windows, known, now);
  }

  healthy(): boolean {
    return true;
  }

  /** Number of stored entries of all kinds. */
  get size(): number {
    return this.#values.size + this.#marks.size + this.#hits.size;
  }

  #count(key: string, windows: readonly Window[], known: Hits | undefined, now: number): WindowResult {
    let maxHits = 0;
    let maxMs = 0;
    for (const { limit, windowMs } of windows) {
      maxHits = Math.max(maxHits, limit);
      maxMs = Math.max(maxMs, windowMs);
    }
    const hits = known ?? { log: new HitLog(maxHits), expiresAt: 0 };
    const bytesBefore = known ? hits.log.bytes : 0;
    hits.log.reserve(maxHits);
    hits.log.add(now);
    hits.expiresAt = Math.max(hits.expiresAt, now + maxMs);
    if (hits.log.bytes !== bytesBefore) this.#hits.set(key, hits, hits.log.bytes, now);
    return tightest(windows, hits.log, now);
  }
}

/**
 * Returns the full window; of several the one that stays full longest. A window is full while its `limit`th newest hit is in
 * it, so no counting is needed.
 */
function refusalBy(windows: readonly Window[], log: HitLog | undefined, now: number): WindowResult | undefined {
  let refusing = -1;
  let resetMs = 0;
  for (let index = 0; index < windows.length; index += 1) {
    const window = windows[index];
    if (!window) continue;
    const freeMs = freeIn(window, log, now);
    if (freeMs > resetMs) {
      refusing = index;
      resetMs = freeMs;
    }
  }
  return refusing < 0 ? undefined : { allowed: false, window: refusing, remaining: 0, resetMs };
}

function freeIn({ limit, windowMs }: Window, log: HitLog | undefined, now: number): number {
  if (limit <= 0) return windowMs;
  return log && log.count >= limit ? log.newest(limit) + windowMs - now : 0;
}

/** Returns the first window with the fewest hits left. */
function tightest(windows: readonly Window[], log: HitLog, now: number): WindowResult {
  let result: WindowResult = { allowed: true, window: 0, remaining: Number.POSITIVE_INFINITY, resetMs: 0 };
  for (let index = 0; index < windows.length; index += 1) {
    const window = windows[index];
    if (!window) continue;
    const inside = log.countAfter(now - window.windowMs);
    const remaining = Math.max(0, window.limit - inside);
    if (remaining < result.remaining) {
      result = { allowed: true, window: index, remaining, resetMs: log.newest(inside) + window.windowMs - now };
    }
  }
  return result;
}
