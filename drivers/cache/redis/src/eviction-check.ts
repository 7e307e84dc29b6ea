import type { Clock, Logger } from "@appserver/kernel";
import type { RedisLink } from "./redis-link.ts";

export interface EvictionCheckOptions {
  /** The Redis address, without credentials. */
  readonly redis: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An operator may change the policy while Redis runs. */
const checkEveryMs = 60_000;

/**
 * Checks whether Redis drops keys when its memory is full. Only `noeviction` is safe: every key has a lifetime, so the
 * `volatile` policies also drop used signatures, and each of these could then be replayed.
 */
export class EvictionCheck {
  readonly #options: EvictionCheckOptions;
  #link: RedisLink | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #finding: string | undefined;

  constructor(options: EvictionCheckOptions) {
    this.#options = options;
  }

  /** Logs a problem once until it changes. A new link is checked at once, a known one every minute. */
  async run(link: RedisLink): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (link === this.#link && now - this.#checkedAt < checkEveryMs) return;
    this.#link = link;
    this.#checkedAt = now;
    const finding = await this.#look(link);
    if (finding !== this.#finding) this.#report(finding);
    this.#finding = finding;
  }

  /** Returns the problem; undefined if there is none. */
  async #look(link: RedisLink): Promise<string | undefined> {
    let reply: unknown;
    try {
      reply = await link.command(["INFO", "memory"]);
    } catch (error) {
      if (link.lost.aborted) throw error;
      return "unknown";
    }
    const memory = new Map(
      String(reply)
        .split("\r\n")
        .map((line) => line.split(":", 2) as [string, string | undefined]),
    );
    const policy = memory.get("maxmemory_policy");
    if (policy === undefined) return "unknown";
    return policy === "noeviction" || memory.get("maxmemory") === "0" ? undefined : policy;
  }

  #report(finding: string | undefined): void {
    const { redis, logger } = this.#options;
    if (finding === undefined) logger.info({ redis }, "cache: Redis keeps all keys when its memory is full");
    else if (finding === "unknown")
      logger.warn(
        { redis },
        "cache: could not read the maxmemory-policy of Redis: expected noeviction; the user needs +info for this check",
      );
    else
      logger.error(
        { redis, policy: finding },
        "cache: Redis deletes keys when its memory is full, including used signatures: set maxmemory-policy to noeviction",
      );
  }
}
