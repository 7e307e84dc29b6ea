import type { IncomingMessage } from "node:http";
import { originPermission } from "@appserver/contracts/authorization";
import type { Permissions } from "@appserver/kernel";
import { type LiveApp, type LiveApps, RouteBases } from "@appserver/marketplace";
import type { PagePaths } from "@appserver/transports/http";
import type { browserSession } from "./caller-access.ts";

interface PagePathsDeps {
  readonly apps: Pick<LiveApps, "all" | "onChange">;
  readonly permissions: Pick<Permissions, "allowed">;
  readonly session: ReturnType<typeof browserSession>;
}

/** Returns what the listener asks about the pages of apps. A check of a permission that fails is a no. */
export function pagePaths({ apps, permissions, session }: PagePathsDeps): PagePaths {
  const bases = new RouteBases(apps);
  const isOriginApp = async ({ app: { name, id } }: LiveApp): Promise<boolean> =>
    isAllowed(() => permissions.allowed({ kind: "app", name, id }, originPermission));
  return {
    covers: (path) => bases.covers(path),
    unserved: (path) => bases.unserved(path),
    originApps: async () => {
      // A few: apps that ask for it. To check every app would cost each load of a page.
      const candidates = apps.all().filter(asksForOrigin);
      const held = await Promise.all(candidates.map(isOriginApp));
      return candidates.filter((_, index) => held[index]).map(({ app }) => app.name);
    },
    mayReadLogs: (request: IncomingMessage) =>
      isAllowed(async () => {
        const found = await session(request);
        return found !== undefined && (await permissions.allowed(found.caller, "app:logs"));
      }),
  };
}

function asksForOrigin({ manifest }: LiveApp): boolean {
  return manifest.webApp?.ui !== undefined && manifest.requiredPermissions.some(({ scope }) => scope === originPermission);
}

async function isAllowed(check: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch {
    return false;
  }
}
