import { type Clock, type Component, every, type Logger, type RecentPermissionChanges } from "@appserver/kernel";
import type { PermissionChanges } from "../ports.ts";

/** Changes are read at least this often, because an event may be lost. */
const readEveryMs = 5_000;
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
  readonly #options: PermissionChangesWatchOptions;
  readonly #stopped = new AbortController();
  #known: { readonly changes: RecentPermissionChanges; readonly readAt: number } | undefined;
  /** The number of requested reads. A read that began before the last request does not fulfil it. */
  #requested = 0;
  #reading: Promise<void> | undefined;

  constructor(options: PermissionChangesWatchOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.refresh();
    const { clock, logger } = this.#options;
    void every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: readEveryMs,
      first: "after a pause",
      run: () => this.#read(),
      onError: (error) => logger.warn({ err: error }, "permission changes: reading failed"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#reading;
  }

  recent(): RecentPermissionChanges | undefined {
    const known = this.#known;
    return known && this.#options.clock.monotonic() - known.readAt < freshMs ? known.changes : undefined;
  }

  /** Discards the known changes and reads them again. Never rejects. */
  refresh(): Promise<void> {
    this.#known = undefined;
    return this.#read();
  }

  #read(): Promise<void> {
    this.#requested += 1;
    this.#reading ??= this.#readUntilCurrent().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readUntilCurrent(): Promise<void> {
    const { read, clock, logger } = this.#options;
    for (let fulfilled = 0; fulfilled !== this.#requested && !this.#stopped.signal.aborted; ) {
      fulfilled = this.#requested;
      const readAt = clock.monotonic();
      try {
        const changes = await read();
        if (fulfilled === this.#requested) this.#known = { changes, readAt };
      } catch (error) {
        logger.warn({ err: error }, "permission changes: reading failed; the shared cache is not used");
      }
    }
  }
}
