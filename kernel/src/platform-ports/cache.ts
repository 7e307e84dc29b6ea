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
  /** Stores the key if it is absent and answers true; answers false if it was there. The memory against replays. */
  addIfAbsent(key: string, ttlMs: number): MaybePromise<boolean>;
  /**
   * Counts one hit under `key` against every window at once, sliding and exact: at most `limit` hits in any
   * `windowMs`. A refused hit counts against no window.
   */
  slidingWindow(key: string, windows: readonly Window[]): MaybePromise<WindowResult>;
  /** False while the store behind it does not answer. */
  healthy(): boolean;
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
