import { type Clock, type Logger, type MaybePromise, SingleFlight } from "@appserver/kernel";
import { LRUCache } from "lru-cache";
import type { PreparedAsset } from "../domain/prepared-asset.ts";
import type { AppRef, Coding } from "../ports.ts";
import { compress } from "./compress.ts";

/** Minimum age at which an asset is read again because a request names another version: an event may not have arrived yet. */
const recheckAfterMs = 1000;

type Load = (app: AppRef, assetName: string) => Promise<PreparedAsset | undefined>;

interface Entry {
  readonly asset: PreparedAsset;
  /** Monotonic milliseconds. */
  readonly loadedAt: number;
}

export interface AssetCacheOptions {
  readonly load: Load;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxBytes: number;
  readonly ttlMs: number;
}

/**
 * Caches verified assets and their compressed forms, up to `maxBytes`. Concurrent misses share one load. An expired entry is
 * served while it is read again, so cached assets outlive an outage (docs/interface/assets.md#memory).
 */
export class AssetCache {
  readonly #options: AssetCacheOptions;
  readonly #entries: LRUCache<string, Entry>;
  /** Names by id, so that both URL forms share one entry. */
  readonly #names = new LRUCache<string, string>({ max: 10_000 });
  readonly #loads = new SingleFlight<string, PreparedAsset | undefined>();
  readonly #compressions = new SingleFlight<string, void>();
  /** Grows with each invalidation. A result that was read before an invalidation must not be cached after it. */
  #epoch = 0;

  constructor(options: AssetCacheOptions) {
    this.#options = options;
    this.#entries = new LRUCache<string, Entry>({
      maxSize: options.maxBytes,
      sizeCalculation: (entry) => entry.asset.size,
    });
  }

  /** Number of cached bytes. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** Returns the asset from the cache at once, or from the store. Undefined if it does not exist. Rejects as the load does. */
  get(app: AppRef, assetName: string): MaybePromise<PreparedAsset | undefined> {
    const entry = this.#find(app, assetName);
    if (!entry) return this.#load(app, assetName);
    if (this.#age(entry) > this.#options.ttlMs) this.#refresh(app, assetName);
    return entry.asset;
  }

  /** Reads the asset again unless it was read a moment ago. Keeps the cached one if the store fails. */
  async recheck(app: AppRef, assetName: string): Promise<PreparedAsset | undefined> {
    const entry = this.#find(app, assetName);
    if (!entry) return this.#load(app, assetName);
    if (this.#age(entry) < recheckAfterMs) return entry.asset;
    return this.#load(app, assetName).catch(() => entry.asset);
  }

  /** Compresses the asset with the coding unless this was done. Concurrent calls share the work. */
  async compress(asset: PreparedAsset, coding: Coding): Promise<void> {
    const key = `${coding} ${keyOf(asset.appName, asset.release, asset.name)} ${asset.sha256}`;
    await this.#compressions.run(key, () => this.#compress(asset, coding));
  }

  invalidate(appName: string): void {
    this.#epoch += 1;
    this.#loads.forget();
    const prefix = `${appName}/`;
    for (const key of [...this.#entries.keys()]) if (key.startsWith(prefix)) this.#entries.delete(key);
    for (const [id, name] of [...this.#names.entries()]) if (name === appName) this.#names.delete(id);
  }

  #find(app: AppRef, assetName: string): Entry | undefined {
    const appName = "name" in app ? app.name : this.#names.get(app.id);
    return appName === undefined ? undefined : this.#entries.get(keyOf(appName, releaseOf(app), assetName));
  }

  #age(entry: Entry): number {
    return this.#options.clock.monotonic() - entry.loadedAt;
  }

  #refresh(app: AppRef, assetName: string): void {
    this.#load(app, assetName).catch((error: unknown) => {
      this.#options.logger.warn({ app, assetName, err: error }, "ui: could not read an asset again; serving the cached one");
    });
  }

  #load(app: AppRef, assetName: string): Promise<PreparedAsset | undefined> {
    const key = "name" in app ? `name ${keyOf(app.name, app.manifestDigest, assetName)}` : `id ${app.id} ${assetName}`;
    return this.#loads.run(key, () => this.#fill(app, assetName));
  }

  async #fill(app: AppRef, assetName: string): Promise<PreparedAsset | undefined> {
    const epoch = this.#epoch;
    const loadedAt = this.#options.clock.monotonic();
    const asset = await this.#options.load(app, assetName);
    const known = this.#find(app, assetName)?.asset;
    if (!asset) {
      if (known) this.#entries.delete(keyOf(known.appName, known.release, known.name));
      return undefined;
    }
    if (epoch !== this.#epoch) return asset;
    // The same bytes: keep their compressed forms.
    const kept = known?.sha256 === asset.sha256 && known.mediaType === asset.mediaType ? known : asset;
    this.#names.set(asset.appId, asset.appName);
    this.#entries.set(keyOf(asset.appName, asset.release, asset.name), { asset: kept, loadedAt });
    return kept;
  }

  async #compress(asset: PreparedAsset, coding: Coding): Promise<void> {
    asset.addCompressed(coding, await compress(coding, asset.identity.bytes));
    const entryKey = keyOf(asset.appName, asset.release, asset.name);
    const entry = this.#entries.peek(entryKey);
    // Setting the entry again updates its size in lru-cache, but only for another value object.
    if (entry?.asset === asset) this.#entries.set(entryKey, { ...entry });
  }
}

function releaseOf(app: AppRef): string | undefined {
  return "name" in app ? app.manifestDigest : undefined;
}

/** Names of apps and digests contain no slash. An undefined release is the one that serves. */
function keyOf(appName: string, release: string | undefined, assetName: string): string {
  return `${appName}/${release ?? ""}/${assetName}`;
}
