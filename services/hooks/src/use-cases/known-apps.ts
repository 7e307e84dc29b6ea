import type { Clock } from "@appserver/kernel";
import type { HookApp, HookApps } from "../ports.ts";

/** How long a lookup is cached, unless {@link KnownApps.forget} removes it earlier. */
const trustMs = 5_000;
/** Bounds the cache: it also holds names that callers made up. */
const maxApps = 2_000;

interface Entry {
  readonly app: Promise<HookApp | undefined>;
  readonly until: number;
}

/** Caches apps for a few seconds, because they are looked up at every trigger and every POST. */
export class KnownApps {
  readonly #apps: HookApps;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(apps: HookApps, clock: Clock) {
    this.#apps = apps;
    this.#clock = clock;
  }

  all(): Promise<readonly HookApp[]> {
    return this.#apps.all();
  }

  find(name: string): Promise<HookApp | undefined> {
    const now = this.#clock.monotonic();
    const known = this.#entries.get(name);
    if (known && known.until > now) return known.app;
    const app = this.#apps.find(name);
    this.#entries.delete(name);
    this.#entries.set(name, { app, until: now + trustMs });
    // A failed lookup is not cached.
    app.catch(() => this.#entries.delete(name));
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxApps) break;
      this.#entries.delete(oldest);
    }
    return app;
  }

  forget(name: string): void {
    this.#entries.delete(name);
  }
}
