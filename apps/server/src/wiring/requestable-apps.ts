import type { RequestableApps } from "@appserver/access";
import { type LiveApps, type Marketplace, shouldRun } from "@appserver/marketplace";
import { toRequestableApp } from "./app-forms.ts";

export interface RequestableAppsDeps {
  readonly apps: LiveApps;
  readonly marketplace: Pick<Marketplace, "findKnownApp">;
}

/** Returns the registry of apps as far as people ask for access to them. */
export function requestableApps({ apps, marketplace }: RequestableAppsDeps): RequestableApps {
  return {
    known: async (name, call) => {
      const live = await marketplace.findKnownApp(name, call);
      return live && toRequestableApp(live);
    },
    installed: async (name) => {
      const live = await apps.current(name);
      return live && shouldRun(live.app) ? toRequestableApp(live) : undefined;
    },
    displayName: async (name) => (await apps.current(name))?.app.displayName,
  };
}
