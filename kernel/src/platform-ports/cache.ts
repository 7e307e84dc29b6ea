import type { MaybePromise } from "../maybe-promise.ts";

/**
 * The cache that replicas share (with the memory driver: that of the process). Losing it costs only time: no call rejects
 * because the cache is down. Reads miss, writes are dropped, and `healthy` returns false.
 */
export interface Cache {
  get(key: string): MaybePromise<string | undefined>;
  /** Stores `value` for `ttlMs`, measured on a monotonic clock. */
  set(key: string, value: string, ttlMs: number): MaybePromise<void>;
  delete(key: string): MaybePromise<void>;
  /** Deletes every value whose key has the prefix. Keys of `addIfAbsent` and `slidingWindow` stay. */
  deletePrefix(prefix: string): MaybePromise<void>;
  /**
   * Stores the key unless it is present; used to detect replays. A stored key is not dropped before its time, even if the store
   * is full. "full" means that the key was not stored because the owner has used up its share.
   */
  addIfAbsent(key: string, ttlMs: number, options?: MarkOptions): MaybePromise<MarkOutcome>;
  /**
   * Counts one hit under `key` against every window at once, sliding and exact: at most `limit` hits in any `windowMs`. A
   * refused hit counts against no window.
   */
  slidingWindow(key: string, windows: readonly Window[]): MaybePromise<WindowResult>;
  /** Returns false while the store does not respond. */
  healthy(): boolean;
}

export type MarkOutcome = "added" | "present" | "full";

export interface MarkOptions {
  /** The owner whose share of the store the key counts against. An owner that fills its share leaves room for the others. */
  readonly owner?: string;
  /** The key may be dropped before its time to make room. It counts against no share, and the outcome is never "full". */
  readonly isEvictable?: boolean;
}

export interface Window {
  readonly limit: number;
  readonly windowMs: number;
}

export interface WindowResult {
  readonly allowed: boolean;
  /** Index of the decisive window: the one that refused, else the one with the fewest hits left. */
  readonly window: number;
  /** Hits left in that window after this one. */
  readonly remaining: number;
  /** Milliseconds until that window has room for one more hit (when refused), or until its oldest hit leaves it. */
  readonly resetMs: number;
}
