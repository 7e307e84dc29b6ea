import { originPermission, scopeOwner } from "@appserver/contracts/authorization";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { NavigationRoute } from "@appserver/contracts/proto/appserver/v2/ui";
import { type BatchedPermissions, type Call, type OwnedPermission, reachesApp } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { shouldRun } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { ownPermissions } from "../domain/own-permissions.ts";
import type { MarketplaceContext } from "./context.ts";

/** The navigation entries of one app, as its manifest declares them. */
export interface AppNavigation {
  readonly appName: string;
  readonly routes: readonly NavigationRoute[];
}

export interface VisibleRoute {
  readonly route: NavigationRoute;
  readonly children: readonly VisibleRoute[];
}

type NavigationContext = Pick<MarketplaceContext, "permissions">;
type PagesContext = NavigationContext & Pick<MarketplaceContext, "apps">;

/** An app with a page, and the entries of its navigation that the caller may see. */
export interface AppPage extends Pick<LiveApp, "app" | "manifest"> {
  readonly navigation: readonly VisibleRoute[];
}

/**
 * Returns the pages of all installed apps that are enabled, by the names of the apps. An app that has failed since counts as
 * installed. A page is left out if the caller may see none of its entries, unless it has none at all. Bound callers see those of their apps only.
 */
export async function readPages(context: PagesContext, call: Call): Promise<readonly AppPage[]> {
  const apps = (await context.apps.allCurrent()).filter(({ app }) => reachesApp(call.caller, app.name));
  return pagesOf(context, apps, call);
}

/** Returns one of the pages of {@link readPages}. */
export async function readPage(context: PagesContext, name: string, call: Call): Promise<AppPage | undefined> {
  const live = await context.apps.current(name);
  return live && (await pagesOf(context, [live], call))[0];
}

async function pagesOf(context: PagesContext, apps: readonly LiveApp[], call: Call): Promise<readonly AppPage[]> {
  const shown = await readShown(context, apps, call);
  return shown.flatMap(({ app, manifest, routes, navigation }) =>
    routes.length === 0 || navigation.length > 0 ? [{ app, manifest, navigation }] : [],
  );
}

/** An app with a page, whatever the caller may see of it. */
export interface ShownApp extends AppPage {
  /** All entries of its navigation. */
  readonly routes: readonly NavigationRoute[];
}

/** Returns the apps with pages that are installed and enabled, by their names for people. */
export async function readShown(
  context: NavigationContext,
  apps: readonly LiveApp[],
  call: Call,
): Promise<readonly ShownApp[]> {
  const shown = apps
    .filter(({ app, manifest }) => app.enabled && shouldRun(app) && manifest.webApp?.ui)
    .sort((a, b) => a.app.displayName.localeCompare(b.app.displayName, "en") || (a.app.name < b.app.name ? -1 : 1))
    .map(({ app, manifest }) => ({ app, manifest, appName: app.name, routes: manifest.webApp?.ui?.navigation ?? [] }));
  const visible = await readNavigation(context, shown, call);
  return shown.map(({ app, manifest, routes }, index) => ({ app, manifest, routes, navigation: visible[index] ?? [] }));
}

/**
 * Returns the navigation entries of each app that the caller may see: those whose permissions the caller holds. An entry without
 * permissions is visible to every caller. All permissions are checked at once.
 */
export async function readNavigation(
  { permissions }: NavigationContext,
  apps: readonly AppNavigation[],
  call: Call,
): Promise<readonly (readonly VisibleRoute[])[]> {
  const required = new Map<string, OwnedPermission>();
  for (const { appName, routes } of apps) for (const each of requiredOf(appName, routes)) required.set(keyOf(each), each);
  const decisions = await permissions.allowedEach(call.caller, [...required.values()]);
  const held = new Set([...required.keys()].filter((_, index) => decisions[index] === true));
  return apps.map(({ appName, routes }) => visibleRoutes(routes, (route) => isVisible(appName, route, held)));
}

function visibleRoutes(
  routes: readonly NavigationRoute[],
  shows: (route: NavigationRoute) => boolean,
): readonly VisibleRoute[] {
  return routes.filter(shows).map((route) => ({ route, children: visibleRoutes(route.children, shows) }));
}

function isVisible(appName: string, { requiredPermissions }: NavigationRoute, held: ReadonlySet<string>): boolean {
  return requiredPermissions.every((permission) => held.has(keyOf(owned(appName, permission))));
}

function requiredOf(appName: string, routes: readonly NavigationRoute[]): readonly OwnedPermission[] {
  return routes.flatMap(({ requiredPermissions, children }) => [
    ...requiredPermissions.map((permission) => owned(appName, permission)),
    ...requiredOf(appName, children),
  ]);
}

function owned(appName: string, permission: string): OwnedPermission {
  return { permission, owner: scopeOwner(permission, appName) };
}

function keyOf({ permission, owner = "" }: OwnedPermission): string {
  return `${owner} ${permission}`;
}

/** Number of permissions that {@link readHeldPermissions} checks. */
const maxChecked = 500;

/** Returns the permissions that the app declares as its own and that the caller holds. All are checked at once. */
export async function readHeldPermissions(
  { permissions }: { readonly permissions: BatchedPermissions },
  manifest: AppManifest,
  { caller }: Call,
): Promise<readonly string[]> {
  const own = ownPermissions(manifest).slice(0, maxChecked);
  const held = await permissions.allowedEach(
    caller,
    own.map((permission) => ({ permission, owner: manifest.name })),
  );
  return own.filter((_, index) => held[index] === true);
}

/** Returns whether the page must run without the platform's origin: unless the app holds the permission `page:origin`. */
export async function isSandboxed(
  { permissions }: NavigationContext,
  { id, name }: Pick<AppRecord, "id" | "name">,
): Promise<boolean> {
  const [isAllowed] = await permissions.allowedEach({ kind: "app", id, name }, [{ permission: originPermission }]);
  return isAllowed !== true;
}
