import { type Clock, singleFlight } from "@appserver/kernel";
import { RegistryError } from "../domain/registry-error.ts";
import type { ImageLimits } from "../ports.ts";

/** After this time the sizes are read from the disk again: other processes use it, too. */
const validMs = 30_000;

interface MeasuredApp {
  bytes: number;
  /** Requests that store something. */
  users: number;
}

export interface UsageDeps {
  readonly measureApp: (app: string) => Promise<number>;
  readonly measureAll: () => Promise<number>;
  readonly limits: ImageLimits;
  readonly clock: Clock;
}

/** Counts what repositories have on the disk, while bytes arrive. Keeps only the sizes of repositories in use. */
export class Usage {
  readonly #deps: UsageDeps;
  readonly #apps = new Map<string, MeasuredApp>();
  readonly #measureAll: () => Promise<number>;
  #total: { bytes: number; readonly at: number } | undefined;

  constructor(deps: UsageDeps) {
    this.#deps = deps;
    this.#measureAll = singleFlight(deps.measureAll);
  }

  /** Runs `work`, which calls `add` for all that it stores. `add` throws DENIED if a limit is exceeded. */
  async during<T>(app: string, work: (add: (bytes: number) => void) => Promise<T>): Promise<T> {
    const entry = await this.#enter(app);
    try {
      return await work((bytes) => this.#add(app, entry, bytes));
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.#apps.delete(app);
    }
  }

  async #enter(app: string): Promise<MeasuredApp> {
    const { clock, measureApp } = this.#deps;
    const now = clock.monotonic();
    if (!this.#total || now - this.#total.at >= validMs) this.#total = { bytes: await this.#measureAll(), at: now };
    const known = this.#apps.get(app);
    const measured = known ? undefined : await measureApp(app);
    const entry = known ?? this.#apps.get(app) ?? { bytes: measured ?? 0, users: 0 };
    this.#apps.set(app, entry);
    entry.users += 1;
    return entry;
  }

  #add(app: string, entry: MeasuredApp, bytes: number): void {
    const { maxAppBytes, maxTotalBytes } = this.#deps.limits;
    const ofApp = entry.bytes + bytes;
    const inAll = (this.#total?.bytes ?? 0) + bytes;
    if (ofApp > maxAppBytes)
      throw new RegistryError("DENIED", `the images of ${app} are larger than ${maxAppBytes} bytes (registry.max_app_size)`);
    if (inAll > maxTotalBytes)
      throw new RegistryError("DENIED", `all images are larger than ${maxTotalBytes} bytes (registry.max_size)`);
    entry.bytes = ofApp;
    if (this.#total) this.#total.bytes = inAll;
  }
}
