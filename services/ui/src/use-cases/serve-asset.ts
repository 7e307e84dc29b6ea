import { AppError, andThen, isMatch, isNoneMatchHit, type MaybePromise, type OriginRights } from "@appserver/kernel";
import { allowsIdentity, chooseCoding } from "../domain/accept-encoding.ts";
import { isVersionOf } from "../domain/asset-address.ts";
import { parseByteRange } from "../domain/byte-range.ts";
import type { AssetHeaders, PreparedAsset, Representation, ResponsePolicy } from "../domain/prepared-asset.ts";
import type { AppRef, Coding } from "../ports.ts";

/** The parameters of an asset request. */
export interface AssetRequest {
  readonly app: AppRef;
  readonly assetName: string;
  /** Whether to return only the headers. */
  readonly headOnly?: boolean;
  /** The `v` of the URL. */
  readonly version?: string | undefined;
  readonly acceptEncoding?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

export interface AssetResponse {
  readonly status: 200 | 206 | 304 | 412 | 416;
  /** Without `content-length`. The same object for the same response. */
  readonly headers: AssetHeaders;
  /** The length of the complete response, even if the body is left out. Undefined for 304. */
  readonly length: number | undefined;
  readonly body: Uint8Array | undefined;
}

/** Whether URLs without `v` are cached permanently or revalidated at each use (docs/interface/assets.md#caching). */
export type UnversionedCache = "immutable" | "revalidate";

/** The assets that the use case reads: verified, and compressed on demand. */
export interface Assets {
  get(app: AppRef, assetName: string): MaybePromise<PreparedAsset | undefined>;
  recheck(app: AppRef, assetName: string): Promise<PreparedAsset | undefined>;
  compress(asset: PreparedAsset, coding: Coding): Promise<void>;
}

const immutable = "public, max-age=31536000, immutable";
const revalidated = "public, no-cache";

/** Serves one asset (docs/interface/assets.md#headers). */
export class ServeAsset {
  readonly #assets: Assets;
  readonly #codings: readonly Coding[];
  readonly #unversioned: string;
  readonly #rights: OriginRights;

  /** `codings` is sorted by preference, best first. */
  constructor(assets: Assets, codings: readonly Coding[], unversionedCache: UnversionedCache, rights: OriginRights) {
    this.#assets = assets;
    this.#codings = codings;
    this.#unversioned = unversionedCache === "immutable" ? immutable : revalidated;
    this.#rights = rights;
  }

  /** Throws or rejects with NOT_FOUND for an unknown asset or version, INTERNAL_ERROR for altered bytes, or the store's error. */
  serve(request: AssetRequest): MaybePromise<AssetResponse> {
    return andThen(this.#find(request), (asset) => {
      const ranged = this.#isRanged(request, asset);
      const chosen = ranged ? asset.identity : this.#represent(asset, request.acceptEncoding);
      return andThen(chosen, (representation) =>
        andThen(this.#policyOf(request, asset), (policy) => respond(request, representation, policy, ranged)),
      );
    });
  }

  #find(request: AssetRequest): MaybePromise<PreparedAsset> {
    const { app, assetName, version } = request;
    return andThen(this.#assets.get(app, assetName), (asset) => {
      // A URL of the version just installed can arrive before the notification of its installation.
      const isOther = asset !== undefined && version !== undefined && !isVersionOf(version, asset.sha256);
      return andThen(isOther ? this.#assets.recheck(app, assetName) : asset, (found) => requireVersion(found, request));
    });
  }

  /**
   * Ranges refer to the stored bytes. They apply only if the client accepts unencoded bytes and its first part has the same
   * tag.
   */
  #isRanged(request: AssetRequest, asset: PreparedAsset): boolean {
    if (request.range === undefined || request.headOnly || !allowsIdentity(request.acceptEncoding)) return false;
    if (request.ifRange !== undefined && request.ifRange !== asset.identity.etag) return false;
    return parseByteRange(request.range, asset.identity.bytes.length) !== undefined;
  }

  #represent(asset: PreparedAsset, acceptEncoding: string | undefined): MaybePromise<Representation> {
    if (!asset.compressible) return asset.identity;
    const coding = chooseCoding(acceptEncoding, this.#codings);
    const pending = coding && !asset.hasTried(coding) ? this.#assets.compress(asset, coding) : undefined;
    return andThen(pending, () => asset.representation(coding));
  }

  /** Sandboxes a page of an app, unless an administrator gave the app the permission for the platform's origin. */
  #policyOf(request: AssetRequest, asset: PreparedAsset): MaybePromise<ResponsePolicy> {
    const isVersioned = request.version !== undefined || asset.release !== undefined;
    const cacheControl = isVersioned ? immutable : this.#unversioned;
    if (!asset.isActive) return { cacheControl, isSandboxed: false };
    if (asset.isFormer) return { cacheControl, isSandboxed: true };
    return andThen(this.#rights.mayActForOrigin({ name: asset.appName, id: asset.appId }), (mayAct) =>
      // Without revalidation, a cached page would remain unsandboxed after the permission is revoked.
      mayAct ? { cacheControl: revalidated, isSandboxed: false } : { cacheControl, isSandboxed: true },
    );
  }
}

function requireVersion(asset: PreparedAsset | undefined, { assetName, version }: AssetRequest): PreparedAsset {
  if (asset && (version === undefined || isVersionOf(version, asset.sha256))) return asset;
  throw new AppError("NOT_FOUND", "the asset does not exist", { details: { asset: assetName } });
}

/** In the order of RFC 9110 §13.2.2. */
function respond(request: AssetRequest, chosen: Representation, policy: ResponsePolicy, ranged: boolean): AssetResponse {
  const headers = chosen.headers(policy);
  if (request.ifMatch !== undefined && !isMatch(request.ifMatch, chosen.etag)) return withoutContent(412, headers);
  if (isNoneMatchHit(request.ifNoneMatch, chosen.etag)) return { status: 304, headers, length: undefined, body: undefined };
  if (ranged && request.range !== undefined) {
    const partial = partOf(chosen, request.range, headers);
    if (partial) return partial;
  }
  return { status: 200, headers, length: chosen.bytes.length, body: request.headOnly ? undefined : chosen.bytes };
}

function withoutContent(status: 412 | 416, headers: AssetHeaders): AssetResponse {
  const { "content-type": _type, "content-encoding": _coding, ...rest } = headers;
  // A cache must not keep the refusal in place of the file.
  const caching = status === 412 ? { "cache-control": "no-store" } : {};
  return { status, headers: { ...rest, ...caching }, length: 0, body: undefined };
}

function partOf(whole: Representation, header: string, headers: AssetHeaders): AssetResponse | undefined {
  const size = whole.bytes.length;
  const range = parseByteRange(header, size);
  if (range === undefined) return undefined;
  if (range === "unsatisfiable") {
    return withoutContent(416, { ...headers, "content-range": `bytes */${size}` });
  }
  const body = whole.bytes.subarray(range.start, range.end + 1);
  const contentRange = `bytes ${range.start}-${range.end}/${size}`;
  return { status: 206, headers: { ...headers, "content-range": contentRange }, length: body.length, body };
}
