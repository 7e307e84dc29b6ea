import type { HookApp, HookApps } from "@appserver/hooks";
import { type AppCatalogue, type InstalledApp, isInstalled } from "@appserver/marketplace";

/** Returns installed apps with the hooks of their manifests, from the marketplace's catalogue. */
export function hooksApps(catalogue: () => AppCatalogue): HookApps {
  return {
    all: async () => (await catalogue().installed()).filter(isThere).map(toApp),
    find: async (name) => {
      const installed = await catalogue().find(name);
      return installed && isThere(installed) ? toApp(installed) : undefined;
    },
  };
}

/** An app that was once installed keeps its deliveries until it is uninstalled, whatever its state. */
function isThere({ app }: InstalledApp): boolean {
  if (isInstalled(app.state) || app.state === "INSTALLING" || app.state === "UNINSTALLING") return true;
  return app.state === "FAILED" && app.installedAt !== undefined;
}

function toApp(installed: InstalledApp): HookApp {
  const { app, manifest } = installed;
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    declaredBy: `${app.version}#${app.generation}`,
    hooks: manifest.hooks.map(({ hookName, path }) => ({ hookName, path: path === "" ? undefined : path })),
    backend: app.enabled ? backendOf(installed) : undefined,
  };
}

function backendOf({ app, api, placement }: InstalledApp): HookApp["backend"] {
  if (!api) return undefined;
  if (placement.api === "external") return { url: api.upstreamBaseUrl, managed: false };
  if (app.endpoint === undefined) return undefined;
  return { url: new URL(new URL(api.upstreamBaseUrl).pathname, app.endpoint).href, managed: true };
}
