import type { AppStore } from "@appserver/marketplace";
import type { Apps } from "@appserver/settings";

/** Returns the apps that can have settings, from the marketplace. Gets the store on first use. */
export function settingsApps(store: () => AppStore): Apps {
  return {
    find: async (appId) => {
      const app = await store().findById(appId);
      const manifest = app && (await store().manifest(app.id, app.version));
      if (!app || !manifest) return undefined;
      return {
        id: app.id,
        name: app.name,
        version: app.version,
        definitions: manifest.settings?.definitions ?? [],
        mayWrite: app.state !== "UNINSTALLING" && app.state !== "UNINSTALLED",
        updatedAt: app.updatedAt,
      };
    },
  };
}
