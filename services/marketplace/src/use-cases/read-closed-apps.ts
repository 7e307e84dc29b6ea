import type { NavigationRoute } from "@appserver/contracts/proto/appserver/v2/ui";
import type { Call } from "@appserver/kernel";
import { shouldRun } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { ownPermissionsOf } from "../domain/own-permissions.ts";
import type { MarketplaceContext } from "./context.ts";
import { readPage, readShown } from "./read-navigation.ts";

type ClosedContext = Pick<MarketplaceContext, "apps" | "permissions" | "policy">;

/** An app with pages that the caller may not open. */
export interface ClosedApp extends Pick<LiveApp, "app" | "manifest"> {
  /** Of the first entry of its navigation that has one. */
  readonly icon: string | undefined;
  /** Its own permissions that its pages need and that the caller lacks, in the order of the manifest. */
  readonly permissions: readonly string[];
  /** Whether the caller may open other pages of it. */
  readonly hasOpenPages: boolean;
}

/**
 * Returns the installed and enabled apps with pages that the caller may not open, if a permission of the app would open one. Only people
 * have any, and on a platform that shows each person only the apps that they may use, only those with pages that are open.
 */
export async function readClosedApps(context: ClosedContext, call: Call): Promise<readonly ClosedApp[]> {
  if (call.caller.kind !== "user") return [];
  const all = await readShown(context, await context.apps.allCurrent(), call);
  const shown = context.policy.listsAllApps ? all : all.filter(({ navigation }) => navigation.length > 0);
  const needed = shown.flatMap(({ app, routes }) =>
    ownPermissionsOf(app.name, routes).map((permission) => ({ permission, owner: app.name })),
  );
  const held = await context.permissions.allowedEach(call.caller, needed);
  const missing = Map.groupBy(
    needed.filter((_, index) => held[index] !== true),
    ({ owner }) => owner,
  );
  return shown.flatMap(({ app, manifest, routes, navigation }) => {
    const permissions = missing.get(app.name)?.map(({ permission }) => permission);
    return permissions ? [{ app, manifest, icon: iconOf(routes), permissions, hasOpenPages: navigation.length > 0 }] : [];
  });
}

/** Returns an installed app if the caller may know of it: with `app:view`, by one of its pages, or as a person by {@link readClosedApps}. */
export async function findKnownApp(context: ClosedContext, name: string, call: Call): Promise<LiveApp | undefined> {
  const live = await context.apps.current(name);
  if (!live || !shouldRun(live.app)) return undefined;
  if (await context.permissions.allowed(call.caller, "app:view")) return live;
  if (await readPage(context, name, call)) return live;
  return (await readClosedApps(context, call)).some(({ app }) => app.name === name) ? live : undefined;
}

/** Returns the icon of the first entry that has one. */
export function iconOf(routes: readonly NavigationRoute[]): string | undefined {
  return routes.find(({ icon }) => icon)?.icon;
}
