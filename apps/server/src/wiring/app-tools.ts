import { createHmac } from "node:crypto";
import { describedRoutes } from "@appserver/contracts/api-description";
import {
  type AppChangeNotice,
  isKnown,
  type LiveApp,
  type LiveApps,
  type Marketplace,
  routedGeneration,
  upstreamOf,
} from "@appserver/marketplace";
import type { AppProxy } from "@appserver/proxy";
import type { AppToolSource, ServedApp } from "@appserver/transports/mcp";

export interface AppToolsDeps {
  readonly apps: Pick<LiveApps, "all" | "get">;
  readonly marketplace: Pick<Marketplace, "descriptionOf">;
  readonly proxy: Pick<AppProxy, "direct">;
  /** At least 16 bytes. The same on each server. */
  readonly macKey: Uint8Array;
}

/** Returns the apps whose routes are tools of language models: those whose API is served, also while they are asleep. */
export function appTools({ apps, marketplace, proxy, macKey }: AppToolsDeps): AppToolSource {
  return {
    requests: proxy.direct,
    nameKey: createHmac("sha256", macKey).update("names of tools").digest(),
    served: () => apps.all().flatMap((live) => servedApp(live) ?? []),
    operationsOf: async ({ name, api }) => {
      const { app } = apps.get(name) ?? {};
      const description = app && api.openapiUrl ? await marketplace.descriptionOf(app.id, app.manifestDigest) : undefined;
      return description && new Map(describedRoutes(api, description).map(({ route, operations }) => [route, operations]));
    },
  };
}

/** Returns whether a change of an app adds or removes tools. */
export function changesTools({ before, now }: AppChangeNotice): boolean {
  return (before && servedApp(before)?.revision) !== (now && servedApp(now)?.revision);
}

function servedApp(live: LiveApp): ServedApp | undefined {
  const { app, api, manifest } = live;
  if (!api || !isKnown(app)) return undefined;
  const upstream = upstreamOf(live);
  if ("unavailable" in upstream && upstream.isAsleep !== true) return undefined;
  return {
    name: app.name,
    displayName: app.displayName,
    description: manifest.description || undefined,
    api,
    // Its description is read again before each new generation serves.
    revision: `${app.id} ${app.manifestDigest} ${routedGeneration(app)}`,
  };
}
