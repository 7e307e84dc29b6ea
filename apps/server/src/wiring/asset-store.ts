import { isInstalled, type AppStore as MarketplaceStore } from "@appserver/marketplace";
import type { AssetStore } from "@appserver/ui";

/** Returns the assets of the version that an app serves now, from the marketplace's store. */
export function assetStore(store: MarketplaceStore): AssetStore {
  return {
    find: async (ref, assetName) => {
      const app = "name" in ref ? await store.findByName(ref.name) : await store.findById(ref.id);
      if (!app || !isInstalled(app.state)) return undefined;
      const asset = await store.assetContents(app.id, app.version, assetName);
      return asset && { appName: app.name, appId: app.id, version: app.version, ...asset };
    },
  };
}
