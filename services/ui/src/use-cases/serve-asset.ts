import { AppError, isMatch, isNoneMatchHit, type OriginRights } from "@appserver/kernel";
import { allowsIdentity, chooseCoding } from "../domain/accept-encoding.ts";
import { isVersionOf } from "../domain/asset-address.ts";
import { parseByteRange } from "../domain/byte-range.ts";
import type { PreparedAsset, Representation } from "../domain/prepared-asset.ts";
import type { AppRef, Coding } from "../ports.ts";

/** The parameters of an asset request. */
export interface AssetRequest {
  readonly app: AppRef;
  readonly assetName: string;
  /** Whether to return only the headers. */
  readonly headOnly?: boolean;
  /** The `v` of the URL. */
  readonly version?: string;
  readonly acceptEncoding?: string;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly range?: string;
  readonly ifRange?: string;
}

export interface AssetResponse {
  readonly status: 200 | 206 | 304 | 412 | 416;
  /** Lowercase names. `content-length` is the length of the complete response, even if the body is left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** Whether URLs without `v` are cached permanently or revalidated at each use (docs/interface/assets.md#caching). */
export type UnversionedCache = "immutable" | "revalidate";

/** The assets that the use case reads: verified, and compressed on demand. */
export interface Assets {
  get(app: AppRef, assetName: string): Promise<PreparedAsset | undefined>;
  recheck(app: AppRef, assetName: string): Promise<PreparedAsset | undefined>;
  compress(asset: PreparedAsset, coding: Coding): Promise<void>;
}

const immutable = "public, max-age=31536000, immutable";
const revalidated = "public, no-cache";

type Headers = Record<string, string>;

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

  /** Rejects with NOT_FOUND for an unknown asset or version, INTERNAL_ERROR for altered bytes, or the store's error. */
  async serve(request: AssetRequest): Promise<AssetResponse> {
    const asset = await this.#find(request);
    const ranged = this.#isRanged(request, asset);
    const chosen = ranged ? asset.identity : await this.#represent(asset, request.acceptEncoding);
    const headers = this.#headers(asset, chosen, request.version !== undefined || asset.release !== undefined);
    if (asset.isActive && asset.isFormer) headers["content-security-policy"] = "sandbox";
    else if (asset.isActive) await this.#confine(asset, headers);
    // In the order of RFC 9110 §13.2.2.
    if (request.ifMatch !== undefined && !isMatch(request.ifMatch, chosen.etag)) {
      return withoutContent(412, headers);
    }
    if (isNoneMatchHit(request.ifNoneMatch, chosen.etag)) {
      return { status: 304, headers, body: undefined };
    }
    if (ranged && request.range !== undefined) {
      const partial = partOf(chosen, request.range, headers);
      if (partial) return partial;
    }
    headers["content-length"] = String(chosen.bytes.length);
    return { status: 200, headers, body: request.headOnly ? undefined : chosen.bytes };
  }

  async #find(request: AssetRequest): Promise<PreparedAsset> {
    const { app, assetName, version } = request;
    let asset = await this.#assets.get(app, assetName);
    // A URL of the version just installed can arrive before the notification of its installation.
    if (asset && version !== undefined && !isVersionOf(version, asset.sha256)) {
      asset = await this.#assets.recheck(app, assetName);
    }
    if (!asset || (version !== undefined && !isVersionOf(version, asset.sha256))) {
      throw new AppError("NOT_FOUND", "the asset does not exist", { details: { asset: assetName } });
    }
    return asset;
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

  async #represent(asset: PreparedAsset, acceptEncoding: string | undefined): Promise<Representation> {
    if (!asset.compressible) return asset.identity;
    const coding = chooseCoding(acceptEncoding, this.#codings);
    if (coding && !asset.hasTried(coding)) await this.#assets.compress(asset, coding);
    return asset.representation(coding);
  }

  /** Sandboxes a page of an app, unless an administrator gave the app the permission for the platform's origin. */
  async #confine({ appName, appId }: PreparedAsset, headers: Headers): Promise<void> {
    if (!(await this.#rights.mayActForOrigin({ name: appName, id: appId }))) headers["content-security-policy"] = "sandbox";
    // Without revalidation, a cached page would remain unsandboxed after the permission is revoked.
    else headers["cache-control"] = revalidated;
  }

  #headers(asset: PreparedAsset, chosen: Representation, versioned: boolean): Headers {
    const headers: Headers = {
      "content-type": asset.mediaType,
      "x-subresource-integrity": asset.integrity,
      "cache-control": versioned ? immutable : this.#unversioned,
      etag: chosen.etag,
      vary: "Accept-Encoding",
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      // Assets are public, and a sandboxed page of the app has another origin.
      "cross-origin-resource-policy": "cross-origin",
    };
    if (chosen.coding) headers["content-encoding"] = chosen.coding;
    return headers;
  }
}

function withoutContent(status: 412 | 416, headers: Headers): AssetResponse {
  const { "content-type": _type, "content-encoding": _coding, ...rest } = headers;
  // A cache must not keep the refusal in place of the file.
  const caching = status === 412 ? { "cache-control": "no-store" } : {};
  return { status, headers: { ...rest, ...caching, "content-length": "0" }, body: undefined };
}

function partOf(whole: Representation, header: string, headers: Headers): AssetResponse | undefined {
  const size = whole.bytes.length;
  const range = parseByteRange(header, size);
  if (range === undefined) return undefined;
  if (range === "unsatisfiable") {
    return withoutContent(416, { ...headers, "content-range": `bytes */${size}` });
  }
  headers["content-range"] = `bytes ${range.start}-${range.end}/${size}`;
  headers["content-length"] = String(range.end - range.start + 1);
  return { status: 206, headers, body: whole.bytes.subarray(range.start, range.end + 1) };
}
