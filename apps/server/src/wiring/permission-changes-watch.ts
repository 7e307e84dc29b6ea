import { type Clock, type Component, every, type Logger, type RecentPermissionChanges } from "@appserver/kernel";
import type { PermissionChanges } from "@appserver/proxy";

/** An event may be lost: changes are read at least this often. */
const readEveryMs = 5_000;
/** Older knowledge is not relied on: then the authorization service is asked, not the shared cache. */
const freshMs = 15_000;

export interface PermissionChangesWatchOptions {
  readonly read: () => Promise<RecentPermissionChanges>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Knows which permissions changed lately, from the database: every few seconds, and at once after an event. */
export class PermissionChangesWatch implements PermissionChanges, Component {
  readonly name = "permission changes";
  readonly #options: PermissionChangesWatchOptions;
  readonly #stopped = new AbortController();
  #known: { readonly changes: RecentPermissionChanges; readonly readAt: number } | undefined;
  /** Reads that were begun or are wanted; a read that a wish came after says nothing of what that wish was for. */
  #wishes = 0;
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

  /** Forgets what is known, until it has been read again. Never rejects. */
  refresh(): Promise<void> {
    this.#known = undefined;
    return this.#read();
  }

  #read(): Promise<void> {
    this.#wishes += 1;
    this.#reading ??= this.#readUntilCurrent().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readUntilCurrent(): Promise<void> {
    const { read, clock, logger } = this.#options;
    for (let fulfilled = 0; fulfilled !== this.#wishes && !this.#stopped.signal.aborted; ) {
      fulfilled = this.#wishes;
      const readAt = clock.monotonic();
      try {
        const changes = await read();
        if (fulfilled === this.#wishes) this.#known = { changes, readAt };
      } catch (error) {
        logger.warn({ err: error }, "permission changes: reading failed; the shared cache is not used");
      }
    }
  }
}
