import { scopeOwner } from "@appserver/contracts/authorization";
import { declaredScopes } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { NavigationRoute } from "@appserver/contracts/proto/appserver/v2/ui";
import type { Call } from "@appserver/kernel";
import { shouldRun } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import type { MarketplaceContext } from "./context.ts";
import { readPage, readShown, type ShownApp } from "./read-navigation.ts";

type ClosedContext = Pick<MarketplaceContext, "apps" | "permissions" | "policy">;

/** An app with pages of which the caller may open none. */
export interface ClosedApp extends Pick<LiveApp, "app" | "manifest"> {
  /** Of the first entry of its navigation that has one. */
  readonly icon: string | undefined;
  /** Its own permissions that its pages need and that the caller lacks, in the order of the manifest. */
  readonly permissions: readonly string[];
}

/**
 * Returns the installed and enabled apps with pages of which the caller may open none, if a permission of the app would open one. Only
 * people have any, and none on a platform that shows each person only the apps that they may use.
 */
export async function readClosedApps(context: ClosedContext, call: Call): Promise<readonly ClosedApp[]> {
  if (call.caller.kind !== "user" || !context.policy.listsAllApps) return [];
  const shown = await readShown(context, await context.apps.allCurrent(), call);
  const closed = shown.filter(({ routes, navigation }) => routes.length > 0 && navigation.length === 0);
  const needed = closed.map(({ app, routes }) => ownPermissionsOf(app.name, routes));
  const wanted = closed.flatMap(({ app }, index) =>
    (needed[index] ?? []).map((permission) => ({ permission, owner: app.name })),
  );
  const held = await context.permissions.allowedEach(call.caller, wanted);
  const missing = new Set(
    wanted.filter((_, index) => held[index] !== true).map(({ permission, owner }) => `${owner} ${permission}`),
  );
  return closed.flatMap(({ app, manifest, routes }, index) => {
    const permissions = (needed[index] ?? []).filter((permission) => missing.has(`${app.name} ${permission}`));
    return permissions.length === 0 ? [] : [{ app, manifest, icon: iconOf(routes), permissions }];
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

/** Returns the permissions that an app declares as its own: those of its routes and of its pages. */
export function ownPermissions(manifest: AppManifest): readonly string[] {
  const ofRoutes = declaredScopes(manifest).filter((scope) => scopeOwner(scope, manifest.name) !== undefined);
  return [...new Set([...ofRoutes, ...ownPermissionsOf(manifest.name, manifest.webApp?.ui?.navigation ?? [])])];
}

function ownPermissionsOf(appName: string, routes: ShownApp["routes"]): readonly string[] {
  const all = (entries: readonly NavigationRoute[]): readonly string[] =>
    entries.flatMap(({ requiredPermissions, children }) => [...requiredPermissions, ...all(children)]);
  return [...new Set(all(routes))].filter((permission) => scopeOwner(permission, appName) !== undefined);
}

function iconOf(routes: readonly NavigationRoute[]): string | undefined {
  return routes.find(({ icon }) => icon)?.icon;
}
