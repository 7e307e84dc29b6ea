import { disabledReason } from "@appserver/contracts/manifest";
import { AppError } from "@appserver/kernel";
import { isServed, type LiveApps, type ReadAsset } from "@appserver/marketplace";
import type { AssetStore } from "@appserver/ui";

/** Returns the assets of the release that an app serves now, or of another one that is kept. */
export function appAssets(apps: LiveApps, readAsset: ReadAsset): AssetStore {
  const served = apps.view(isServed, (live) => live);
  return {
    find: async (ref, assetName) => {
      const live = "name" in ref ? await served.get(ref.name) : await apps.currentById(ref.id);
      if (!live || !isServed(live.app)) return undefined;
      const { id: appId, name: appName, version, manifestDigest, enabled } = live.app;
      if (!enabled) throw disabled(appName);
      const release = "name" in ref ? ref.manifestDigest : undefined;
      const asset = await readAsset({ appId, manifestDigest: release ?? manifestDigest }, assetName);
      return (
        asset && {
          appName,
          appId,
          version,
          ...(release === undefined ? {} : { release, isFormer: release !== manifestDigest }),
          ...asset,
        }
      );
    },
  };
}

/** The same reason as that of the app's API (docs/interface/states.md#disabled-apps). */
function disabled(appName: string): AppError {
  return new AppError("SERVICE_UNAVAILABLE", `${appName} is disabled`, { details: { app: appName, reason: disabledReason } });
}
