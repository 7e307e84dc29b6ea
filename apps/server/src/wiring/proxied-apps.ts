import { originPermission, peoplePermission } from "@appserver/contracts/authorization";
import type { ForwardKeys } from "@appserver/hooks";
import { isKnown, type LiveApp, type LiveApps, routedGeneration, upstreamOf } from "@appserver/marketplace";
import type { ProxiedApp, ProxiedApps } from "@appserver/proxy";

/** Returns the apps that the proxy serves: those with an API, and those that render their pages. */
export function proxiedApps(apps: LiveApps, forwardKeys: ForwardKeys): ProxiedApps {
  const toProxied = (live: LiveApp): ProxiedApp | undefined => {
    const { app, api, manifest, placement } = live;
    if (!isKnown(app) || !(api || placement.rendersPages)) return undefined;
    return {
      id: app.id,
      name: app.name,
      version: app.version,
      generation: routedGeneration(app),
      manifestDigest: app.manifestDigest,
      asksForOrigin: requires(manifest, originPermission),
      asksForPeople: requires(manifest, peoplePermission),
      api,
      rendersPages: placement.rendersPages,
      upstream: upstreamOf(live),
      forwardKey: forwardKeys.of(app.name),
    };
  };
  return {
    get: (name) => {
      const live = apps.get(name);
      return live && toProxied(live);
    },
    all: () => apps.all().flatMap((live) => toProxied(live) ?? []),
    refresh: (name) => apps.refresh(name),
  };
}

function requires({ requiredPermissions }: LiveApp["manifest"], permission: string): boolean {
  return requiredPermissions.some(({ scope }) => scope === permission);
}
