import { type Clock, type Logger, messageOf } from "@appserver/kernel";
import type { CorruptAsset } from "../ports.ts";

const everyMs = 3_600_000;

/**
 * Tells the audit log of altered assets, which are refused at every request: once an hour for each version of an asset, or
 * whoever alters one could fill the log by asking for it.
 */
export class AuditCorruption {
  readonly #audit: (asset: CorruptAsset) => Promise<void>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** When it was told of, oldest first. */
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
      // The next request tries again.
      this.#told.delete(key);
      this.#logger.warn({ reason: messageOf(error), app: asset.appName }, "an altered asset is not in the audit log yet");
    });
  }
}
