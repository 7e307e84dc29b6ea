import { type AssetFiles, isServed, type LiveApps } from "@appserver/marketplace";
import type { AssetStore } from "@appserver/ui";

/** Returns the assets of the version that an app serves now. */
export function appAssets(apps: LiveApps, files: AssetFiles): AssetStore {
  const served = apps.view(isServed, (live) => live);
  return {
    find: async (ref, assetName) => {
      const live = "name" in ref ? await served.get(ref.name) : await apps.currentById(ref.id);
      if (!live || !isServed(live.app)) return undefined;
      const { id: appId, name: appName, version, manifestDigest } = live.app;
      const asset = await files.find({ appId, manifestDigest }, assetName);
      return asset && { appName, appId, version, ...asset };
    },
  };
}
