import type { Clock, Logger } from "@appserver/kernel";
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
  readonly #recorded = new Map<string, number>();

  constructor(audit: (asset: CorruptAsset) => Promise<void>, clock: Clock, logger: Logger) {
    this.#audit = audit;
    this.#clock = clock;
    this.#logger = logger;
  }

  record(asset: CorruptAsset): void {
    const now = this.#clock.monotonic();
    for (const [known, at] of this.#recorded) {
      if (now - at < everyMs) break;
      this.#recorded.delete(known);
    }
    const key = JSON.stringify([asset.appId, asset.version, asset.assetName]);
    if (this.#recorded.has(key)) return;
    this.#recorded.set(key, now);
    this.#audit(asset).catch((error: unknown) => {
      // The next request retries.
      this.#recorded.delete(key);
      this.#logger.warn({ err: error, app: asset.appName }, "ui: could not write an audit entry for an altered asset");
    });
  }
}
