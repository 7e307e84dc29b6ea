import type { AppRecord } from "../domain/app.ts";

/**
 * Keeps apps that were read recently by a key that names the version of their row. A key never comes to mean another content, so
 * nothing here is ever out of date. Keeps at least the last `capacity` apps that were asked for, and at most twice as many.
 */
export class RecentApps {
  readonly #capacity: number;
  #young = new Map<string, AppRecord>();
  #old = new Map<string, AppRecord>();

  constructor(capacity = 2_000) {
    this.#capacity = capacity;
  }

  /** Returns the apps of these keys, or undefined if one is missing. */
  all(keys: readonly string[]): readonly AppRecord[] | undefined {
    const apps: AppRecord[] = [];
    for (const key of keys) {
      const app = this.#young.get(key) ?? this.#old.get(key);
      if (!app) return undefined;
      this.keep(key, app);
      apps.push(app);
    }
    return apps;
  }

  keep(key: string, app: AppRecord): void {
    if (this.#young.has(key)) return;
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, app);
  }
}
