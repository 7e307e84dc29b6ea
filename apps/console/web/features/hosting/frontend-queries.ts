import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";
import { translated } from "./translated.ts";

/** A user without `app:view` gets no events about apps. */
const refreshMs = 30_000;
const startingMs = 2_000;

export type Frontend = operations.FrontendsQuery["frontendFeed"][number] & {
  /** Number of its messages that the viewer has not read. */
  readonly unread: number;
};
export type FrontendPage = NonNullable<operations.FrontendQuery["frontendPage"]>;
export type NavigationEntry = operations.NavigationEntryFragment & { readonly children?: readonly NavigationEntry[] };

/** The apps with pages that the viewer may see. */
export const frontendsQuery = queryOptions({
  queryKey: ["frontends"],
  queryFn: async (): Promise<readonly Frontend[]> => {
    const { frontendFeed, viewer } = await send(operations.FrontendsDocument, {});
    const counts = new Map(viewer.unreadMessages.map(({ appName, count }) => [appName, count]));
    return frontendFeed.map((app) => ({ ...translated(app), unread: counts.get(app.name) ?? 0 }));
  },
  refetchInterval: ({ state: { data } }) => (data?.some(({ state }) => isChanging(state)) ? startingMs : refreshMs),
});

/** Returns whether an app may run in a moment. */
function isChanging(state: Frontend["state"]): boolean {
  return state !== "RUNNING" && state !== "FAILED";
}

/** One of them, with its scripts. Null if the viewer may not see it. */
export function frontendQuery(name: string) {
  return queryOptions({
    queryKey: ["frontend", name],
    queryFn: async () => {
      const { frontendPage } = await send(operations.FrontendDocument, { name });
      return frontendPage ? translated(frontendPage) : null;
    },
    refetchInterval: ({ state: { data } }) => (data && data.state !== "RUNNING" ? startingMs : refreshMs),
  });
}

/** Returns the frontend whose route base covers the path. */
export function frontendAt(frontends: readonly Frontend[], pathname: string): Frontend | undefined {
  return frontends.find(({ routeBase }) => isBelow(pathname, routeBase));
}

/** Returns whether a path is the base or below it. */
export function isBelow(pathname: string, base: string): boolean {
  const root = base.replace(/\/+$/, "");
  return pathname === root || pathname.startsWith(`${root}/`);
}

/** Returns whether a path has `:params`: it is a page that has no address of its own. */
export function hasParameters(href: string): boolean {
  return href.includes("/:");
}
