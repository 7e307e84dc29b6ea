import type { Clock } from "@appserver/kernel";
import type { Cache, MarkOutcome, Window, WindowResult } from "@appserver/kernel/ports";

/** A cache in a map, exact and without limits. */
export class MapCache implements Cache {
  readonly entries = new Map<string, { readonly value: string; readonly until: number }>();
  readonly #hits = new Map<string, number[]>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): string | undefined {
    const entry = this.entries.get(key);
    return entry && entry.until > this.#clock.monotonic() ? entry.value : undefined;
  }

  set(key: string, value: string, ttlMs: number): void {
    this.entries.set(key, { value, until: this.#clock.monotonic() + ttlMs });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  deletePrefix(prefix: string): void {
    for (const key of this.entries.keys()) if (key.startsWith(prefix)) this.entries.delete(key);
  }

  addIfAbsent(key: string, ttlMs: number): MarkOutcome {
    if (this.get(key) !== undefined) return "present";
    this.set(key, "", ttlMs);
    return "added";
  }

  slidingWindow(key: string, windows: readonly Window[]): WindowResult {
    const now = this.#clock.monotonic();
    const hits = this.#hits.get(key) ?? [];
    const states = windows.map(({ limit, windowMs }, window) => {
      const inside = hits.filter((at) => at > now - windowMs);
      return { window, left: limit - inside.length, resetMs: (inside[0] ?? now) + windowMs - now };
    });
    const tightest = states.reduce((a, b) => (b.left < a.left ? b : a));
    const allowed = tightest.left > 0;
    if (allowed) this.#hits.set(key, [...hits, now]);
    return { allowed, window: tightest.window, remaining: Math.max(0, tightest.left - 1), resetMs: tightest.resetMs };
  }

  healthy(): boolean {
    return true;
  }
}
