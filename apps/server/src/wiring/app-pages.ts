import type { AppPages } from "@appserver/access";
import type { Marketplace } from "@appserver/marketplace";

/** Returns the pages of apps as far as messages of the apps lead to them. */
export function appPages({ findOpenPage }: Pick<Marketplace, "findOpenPage">): AppPages {
  return {
    openTo: async (appName, call) => (await findOpenPage(appName, call))?.manifest.webApp?.ui?.routeBase,
  };
}
