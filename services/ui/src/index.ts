import type { Clock, Logger, MaybePromise, OriginRights } from "@appserver/kernel";
import { AssetCache } from "./adapters/asset-cache.ts";
import { codings } from "./adapters/compress.ts";
import { AssetHttp } from "./api/http.ts";
import type { AssetStore, CorruptAsset } from "./ports.ts";
import { AuditCorruption } from "./use-cases/audit-corruption.ts";
import { loadAsset } from "./use-cases/load-asset.ts";
import { type AssetRequest, type AssetResponse, ServeAsset, type UnversionedCache } from "./use-cases/serve-asset.ts";

export type { AssetHttp } from "./api/http.ts";
export { assetUrl } from "./domain/asset-address.ts";
export type { AppRef, AssetStore, CorruptAsset, StoredAsset } from "./ports.ts";
export type { AssetRequest, AssetResponse, UnversionedCache } from "./use-cases/serve-asset.ts";

export interface UiDeps {
  readonly store: AssetStore;
  readonly rights: OriginRights;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called, in addition to the log, whenever stored bytes do not match their hash. Used for the metric. */
  readonly onCorruptAsset: (asset: CorruptAsset) => void;
  /** Writes the audit entry. Called once an hour for each version of an asset, earlier if the last call rejected. */
  readonly auditCorruptAsset: (asset: CorruptAsset) => Promise<void>;
  /** Memory for asset bytes and their compressed forms (docs/interface/assets.md#memory). */
  readonly cacheBytes: number;
  /** Age at which a cached asset is read again (docs/interface/assets.md#memory). */
  readonly cacheTtlMs: number;
  /** `assets.unversioned_cache` */
  readonly unversionedCache: UnversionedCache;
}

/** The UI service. It serves the frontends of apps, verified, compressed and cached. */
export interface Ui {
  /**
   * Returns at once what is in memory. Throws or rejects with NOT_FOUND, INTERNAL_ERROR (altered bytes), or the store's error if the
   * asset is not cached.
   */
  serveAsset(request: AssetRequest): MaybePromise<AssetResponse>;
  readonly http: AssetHttp;
  /** Removes an app's assets from the cache. Must be called for every event that can change what the app serves. */
  invalidate(appName: string): void;
  /** Returns the number of bytes in the cache. */
  cachedBytes(): number;
}

export function createUi(deps: UiDeps): Ui {
  const audit = new AuditCorruption(deps.auditCorruptAsset, deps.clock, deps.logger);
  const onCorrupt = (asset: CorruptAsset): void => {
    deps.logger.error({ ...asset, event: "asset_corrupt" }, "ui: a stored asset does not match its hash");
    deps.onCorruptAsset(asset);
    audit.record(asset);
  };
  const cache = new AssetCache({
    load: (app, assetName) => loadAsset(deps.store, onCorrupt, app, assetName),
    clock: deps.clock,
    logger: deps.logger,
    maxBytes: deps.cacheBytes,
    ttlMs: deps.cacheTtlMs,
  });
  const serveAsset = new ServeAsset(cache, codings, deps.unversionedCache, deps.rights);
  const serve = (request: AssetRequest): MaybePromise<AssetResponse> => serveAsset.serve(request);
  return {
    serveAsset: serve,
    http: new AssetHttp(serve),
    invalidate: (appName) => cache.invalidate(appName),
    cachedBytes: () => cache.bytes,
  };
}
