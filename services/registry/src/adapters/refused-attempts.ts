import { AppError, clientNetwork } from "@appserver/kernel";
import type { Cache } from "@appserver/kernel/ports";
import type { RefusedAttempts } from "../ports.ts";

const windows = [
  { limit: 30, windowMs: 60_000 },
  { limit: 300, windowMs: 3_600_000 },
];

export class CachedRefusedAttempts implements RefusedAttempts {
  readonly #cache: Pick<Cache, "slidingWindow">;

  constructor(cache: Pick<Cache, "slidingWindow">) {
    this.#cache = cache;
  }

  async count(remoteAddress: string): Promise<void> {
    const outcome = await this.#cache.slidingWindow(`registry:refused:${clientNetwork(remoteAddress)}`, windows);
    if (outcome.allowed) return;
    const details = { retry_after: Math.max(1, Math.ceil(outcome.resetMs / 1_000)) };
    throw new AppError("RATE_LIMIT_EXCEEDED", "too many attempts from this address", { details });
  }
}
