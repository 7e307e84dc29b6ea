import { type ActivityApp, type AppDirectory, readDefinition } from "@appserver/activity";
import { type AppCatalogue, type InstalledApp, isInstalled } from "@appserver/marketplace";

/** Returns installed apps with the activities of their manifests, from the marketplace's catalogue. */
export function activityApps(catalogue: AppCatalogue): AppDirectory {
  return {
    find: async (name) => {
      const installed = await catalogue.find(name);
      return installed && hasActivities(installed) ? toApp(installed) : undefined;
    },
    list: async () => (await catalogue.installed()).filter(hasActivities).map(toApp),
  };
}

/** Includes apps that are being installed: the backend starts before the platform marks the app as installed. */
function hasActivities({ app }: InstalledApp): boolean {
  return isInstalled(app.state) || app.state === "INSTALLING" || app.state === "FAILED";
}

function toApp({ app, manifest }: InstalledApp): ActivityApp {
  return { id: app.id, name: app.name, version: app.version, activities: manifest.activities.map(readDefinition) };
}
