import { AppError, type Call, callOn } from "@appserver/kernel";
import type { SignedRelease } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireApp } from "./find-app.ts";
import { requireView } from "./read-apps.ts";

export interface ReleaseRequest {
  readonly name: string;
  /** Digest of its manifest. */
  readonly manifestDigest: string;
}

/** A part of the contents of an asset. */
export interface AssetPart {
  readonly name: string;
  readonly data: Uint8Array;
}

/** A release as it was registered: a platform that has its key accepts it as it is. */
export interface ReadRelease extends SignedRelease {
  /** The pinned certificate of the app. That of the manifest may be an earlier one. */
  readonly certificate: Uint8Array;
  /** In the order of the manifest. */
  readonly parts: AsyncIterable<AssetPart>;
}

/** Returns a release that is kept. Needs `app:view`: a manifest has no secrets. Throws NOT_FOUND without such an app or release. */
export async function readRelease(
  context: MarketplaceContext,
  { name, manifestDigest }: ReleaseRequest,
  call: Call,
): Promise<ReadRelease> {
  await requireView(context, callOn(call, name));
  const { app, certificate } = await requireApp(context, name);
  const release = await context.store.signedRelease(app.id, manifestDigest);
  if (!release)
    throw new AppError("NOT_FOUND", `${name} has no release with this digest of the manifest`, { details: { app: name } });
  const names = (release.manifest.webApp?.assets ?? []).map((asset) => asset.name);
  return { ...release, certificate, parts: partsOf(context, { appId: app.id, manifestDigest, names }) };
}

interface ReadAssets {
  readonly appId: string;
  readonly manifestDigest: string;
  readonly names: readonly string[];
}

async function* partsOf(
  { store }: MarketplaceContext,
  { appId, manifestDigest, names }: ReadAssets,
): AsyncGenerator<AssetPart> {
  for (const name of names) for await (const data of store.assetContents(appId, manifestDigest, name)) yield { name, data };
}
