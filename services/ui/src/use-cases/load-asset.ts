import { createHash } from "node:crypto";
import { AppError } from "@appserver/kernel";
import { PreparedAsset } from "../domain/prepared-asset.ts";
import type { AppRef, AssetStore, CorruptAsset } from "../ports.ts";

/**
 * Reads an asset from the store and verifies it. Returns undefined if it does not exist. Throws INTERNAL_ERROR if the stored
 * bytes do not match their hash. Such bytes are reported and never served (docs/interface/assets.md#corrupt-assets).
 */
export async function loadAsset(
  store: AssetStore,
  onCorrupt: (asset: CorruptAsset) => void,
  app: AppRef,
  assetName: string,
): Promise<PreparedAsset | undefined> {
  const asset = await store.find(app, assetName);
  if (!asset) return undefined;
  const actualSha256 = createHash("sha256").update(asset.contents).digest("hex");
  if (actualSha256 !== asset.sha256) {
    const { appName, appId, version, name } = asset;
    onCorrupt({ appName, appId, version, assetName: name, expectedSha256: asset.sha256, actualSha256 });
    throw new AppError("INTERNAL_ERROR", `asset ${name} of ${appName} does not match its hash`);
  }
  return new PreparedAsset(asset);
}
