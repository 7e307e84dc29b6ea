import { backoffMs, type Logger } from "@appserver/kernel";
import { explainFailure } from "./explain-failure.ts";
import { type LinkOptions, RedisLink } from "./redis-link.ts";
import { describeTarget } from "./redis-target.ts";

export interface LinkKeeperOptions extends LinkOptions {
  readonly logger: Logger;
  /** Runs before a new link is used, and then at an interval. If it rejects, the link is lost. */
  readonly upkeep: (link: RedisLink) => Promise<void>;
  /** Called when a new link is used. */
  readonly onUp: () => void;
}

const heartbeatMs = 500;
/** The jitter keeps replicas from connecting at the same moment. */
const pauses = { firstMs: 50, maxMs: 500, jitter: 0.25 };
/** After a link that lived this long, the next one is opened without a pause. */
const steadyMs = 5_000;

/** Keeps a link open: replaces a lost one, with back-off, until closed. Detects the loss of an idle link within half a second. */
export class LinkKeeper {
  readonly #options: LinkKeeperOptions;
  readonly #closing = new AbortController();
  #link: RedisLink | undefined;
  #running: Promise<void> | undefined;
  #failure: string | undefined;

  constructor(options: LinkKeeperOptions) {
    this.#options = options;
  }

  /** Resolves when the first attempt has succeeded or failed. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#running = this.#run(resolve);
    });
  }

  /** The link, unless it is lost. */
  get link(): RedisLink | undefined {
    return this.#link?.lost.aborted ? undefined : this.#link;
  }

  async close(): Promise<void> {
    const reason = new Error("the cache is closed");
    this.#closing.abort(reason);
    this.#link?.close(reason);
    await this.#running;
  }

  async #run(onFirstAttempt: () => void): Promise<void> {
    const { clock } = this.#options;
    const closing = this.#closing.signal;
    let failures = 0;
    while (!closing.aborted) {
      const openedAt = clock.monotonic();
      const link = await this.#tryOpen();
      onFirstAttempt();
      if (link) await this.#keep(link);
      failures = link && clock.monotonic() - openedAt > steadyMs ? 0 : failures + 1;
      if (failures > 0) await clock.sleep(backoffMs(failures, pauses), closing).catch(() => {});
    }
  }

  async #tryOpen(): Promise<RedisLink | undefined> {
    let link: RedisLink | undefined;
    try {
      link = await RedisLink.open(this.#options);
      await this.#options.upkeep(link);
      this.#closing.signal.throwIfAborted();
      return link;
    } catch (error) {
      link?.close(new Error("the link is not used"));
      this.#report(error);
      return undefined;
    }
  }

  /** Resolves when the link is lost. */
  async #keep(link: RedisLink): Promise<void> {
    const { clock, logger, upkeep, onUp, target } = this.#options;
    if (!link.lost.aborted) {
      this.#link = link;
      this.#failure = undefined;
      onUp();
      logger.info({ redis: describeTarget(target) }, "cache: connected to Redis");
    }
    while (!link.lost.aborted) {
      await clock.sleep(heartbeatMs, link.lost).catch(() => {});
      if (link.lost.aborted) break;
      await link
        .probe()
        .then(() => upkeep(link))
        .catch((error: Error) => link.close(error));
    }
    this.#report(link.lost.reason);
  }

  /** Logs a reason once while it stays the same. */
  #report(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { logger, target } = this.#options;
    const reason = explainFailure(error, target);
    if (reason !== this.#failure) {
      logger.warn(
        { redis: describeTarget(target), reason },
        "cache: Redis is unavailable; caching and counting in this process only",
      );
    }
    this.#failure = reason;
  }
}
