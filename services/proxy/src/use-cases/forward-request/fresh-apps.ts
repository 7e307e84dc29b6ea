import { type Clock, type Logger, settledWithin } from "@appserver/kernel";
import type { ProxiedApps } from "../../ports.ts";

/** A read that begins later serves every request that comes before it. */
const pauseMs = 100;
/** A request waits no longer for one read. After that, what is in memory decides. */
const readTimeoutMs = 1_000;

interface Reads {
  /** When the last read began. Monotonic. */
  beganAt: number;
  /** The next read, if it has not begun. */
  next: Promise<void> | undefined;
}

/**
 * Reads apps that do not serve, before requests to them are refused. Another server may have called such an app healthy a moment
 * ago, and the message about it may still be on its way.
 */
export class FreshApps {
  readonly #installed: Pick<ProxiedApps, "refresh">;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #byName = new Map<string, Reads>();

  constructor({ installed, clock, logger }: { installed: Pick<ProxiedApps, "refresh">; clock: Clock; logger: Logger }) {
    this.#installed = installed;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Resolves after a read of the app that began after this call, or after it has failed. However many requests there are, an app
   * is read at most ten times a second.
   */
  read(name: string): Promise<void> {
    const reads = this.#byName.get(name) ?? { beganAt: Number.NEGATIVE_INFINITY, next: undefined };
    this.#byName.set(name, reads);
    if (reads.next) return reads.next;
    const leftMs = reads.beganAt + pauseMs - this.#clock.monotonic();
    if (leftMs <= 0) return this.#begin(name, reads);
    reads.next = this.#clock.sleep(leftMs).then(() => {
      reads.next = undefined;
      return this.#begin(name, reads);
    });
    return reads.next;
  }

  /** Forgets an app that is no longer installed. */
  remove(name: string): void {
    this.#byName.delete(name);
  }

  async #begin(name: string, reads: Reads): Promise<void> {
    const clock = this.#clock;
    reads.beganAt = clock.monotonic();
    const read = this.#installed.refresh(name).catch((error: unknown) => {
      this.#logger.debug({ err: error, app: name }, "proxy: could not read an app that does not serve");
    });
    await settledWithin(read, { clock, ms: readTimeoutMs });
  }
}
