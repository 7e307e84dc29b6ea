import { scopeOwner } from "@appserver/contracts/authorization";
import { declaredScopes } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { NavigationRoute } from "@appserver/contracts/proto/appserver/v2/ui";

/** Returns the permissions that an app declares as its own: those of its routes and of its pages. */
export function ownPermissions(manifest: AppManifest): readonly string[] {
  const ofRoutes = declaredScopes(manifest).filter((scope) => scopeOwner(scope, manifest.name) !== undefined);
  return [...new Set([...ofRoutes, ...ownPermissionsOf(manifest.name, manifest.webApp?.ui?.navigation ?? [])])];
}

/** Returns those of the entries of its navigation, on all levels. */
export function ownPermissionsOf(appName: string, routes: readonly NavigationRoute[]): readonly string[] {
  const all = (entries: readonly NavigationRoute[]): readonly string[] =>
    entries.flatMap(({ requiredPermissions, children }) => [...requiredPermissions, ...all(children)]);
  return [...new Set(all(routes))].filter((permission) => scopeOwner(permission, appName) !== undefined);
}
