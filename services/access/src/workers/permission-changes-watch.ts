import { type Clock, type Component, type Logger, Mirror, type RecentPermissionChanges } from "@appserver/kernel";
import type { PermissionChanges } from "../ports.ts";

/** After this time without a read, checks use the authorization service instead of the shared cache. */
const freshMs = 15_000;

export interface PermissionChangesWatchOptions {
  readonly read: () => Promise<RecentPermissionChanges>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the recent changes of permissions from the database, every few seconds and after each event. */
export class PermissionChangesWatch implements PermissionChanges, Component {
  readonly name = "permission changes";
  readonly #logger: Logger;
  readonly #mirror: Mirror;
  #known: RecentPermissionChanges | undefined;
  /** The number of announced changes. A read that began before the last one may not contain it. */
  #announced = 0;

  constructor({ read, clock, logger }: PermissionChangesWatchOptions) {
    this.#logger = logger;
    this.#mirror = new Mirror({
      name: this.name,
      // Events call `refresh`.
      subscribe: async () => ({ close: async () => {} }),
      read: async () => {
        const announced = this.#announced;
        const changes = await read();
        if (announced === this.#announced) this.#known = changes;
      },
      clock,
      logger,
    });
  }

  start(): Promise<void> {
    return this.#mirror.start();
  }

  stop(): Promise<void> {
    return this.#mirror.stop();
  }

  recent(): RecentPermissionChanges | undefined {
    return this.#mirror.ageMs() < freshMs ? this.#known : undefined;
  }

  /** Discards the known changes and reads them again. Never rejects. */
  async refresh(): Promise<void> {
    this.#known = undefined;
    this.#announced += 1;
    await this.#mirror.refresh().catch((error: unknown) => {
      this.#logger.warn({ err: error }, "permission changes: reading failed; the shared cache is not used");
    });
  }
}
