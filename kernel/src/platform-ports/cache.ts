import type { MaybePromise } from "../maybe-promise.ts";

/**
 * The cache that replicas share (with the memory driver: the process's own). Losing it loses nothing but time: no call
 * rejects because the cache is down; reads miss, writes are dropped, and `healthy` turns false.
 */
export interface Cache {
  get(key: string): MaybePromise<string | undefined>;
  /** Keeps `value` for `ttlMs`, counted on a monotonic clock. */
  set(key: string, value: string, ttlMs: number): MaybePromise<void>;
  delete(key: string): MaybePromise<void>;
  /** Deletes every value whose key has the prefix. What `addIfAbsent` and `slidingWindow` keep stays. */
  deletePrefix(prefix: string): MaybePromise<void>;
  /**
   * Stores the key unless it is present: the memory against replays. A stored key is not dropped before its time, however
   * full the store is; "full" means that the key was not stored, because the owner has used up its share.
   */
  addIfAbsent(key: string, ttlMs: number, options?: MarkOptions): MaybePromise<MarkOutcome>;
  /**
   * Counts one hit under `key` against every window at once, sliding and exact: at most `limit` hits in any
   * `windowMs`. A refused hit counts against no window.
   */
  slidingWindow(key: string, windows: readonly Window[]): MaybePromise<WindowResult>;
  /** False while the store behind it does not answer. */
  healthy(): boolean;
}

export type MarkOutcome = "added" | "present" | "full";

export interface MarkOptions {
  /** Whose share of the store the key counts against: an owner that fills its share leaves room for the others. */
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
  /** Index of the window that decides: the one that refused, else the one with the fewest hits left. */
  readonly window: number;
  /** Hits left in that window after this one. */
  readonly remaining: number;
  /** Milliseconds until that window has room for one more hit (when refused), or until its oldest hit leaves it. */
  readonly resetMs: number;
}
