import { type Clock, type Logger, messageOf } from "@appserver/kernel";
import type { CorruptAsset } from "../ports.ts";

const everyMs = 3_600_000;

/**
 * Writes audit entries for altered assets, once an hour for each version of an asset. Every request for such an asset is
 * refused, so repeated requests could otherwise fill the log.
 */
export class AuditCorruption {
  readonly #audit: (asset: CorruptAsset) => Promise<void>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** The time of each asset's last entry, oldest first. */
  readonly #told = new Map<string, number>();

  constructor(audit: (asset: CorruptAsset) => Promise<void>, clock: Clock, logger: Logger) {
    this.#audit = audit;
    this.#clock = clock;
    this.#logger = logger;
  }

  tell(asset: CorruptAsset): void {
    const now = this.#clock.monotonic();
    for (const [known, at] of this.#told) {
      if (now - at < everyMs) break;
      this.#told.delete(known);
    }
    const key = JSON.stringify([asset.appId, asset.version, asset.assetName]);
    if (this.#told.has(key)) return;
    this.#told.set(key, now);
    this.#audit(asset).catch((error: unknown) => {
      // The next request retries.
      this.#told.delete(key);
      this.#logger.warn({ reason: messageOf(error), app: asset.appName }, "an altered asset is not in the audit log yet");
    });
  }
}
