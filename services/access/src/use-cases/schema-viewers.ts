import { platformPermissions, scopeObject } from "@appserver/contracts/authorization";
import type { Caller } from "@appserver/kernel";
import type { PermissionChecker } from "./check-permission.ts";

const scopes = Object.keys(platformPermissions).map((permission) => scopeObject(permission));

/**
 * Returns whether a caller may introspect the GraphQL schema: only administrators, that is, callers with every permission of
 * the platform. There is no separate permission for it, because that would need a tuple in every store.
 */
export function schemaViewers(permissions: Pick<PermissionChecker, "allowedEach">): (caller: Caller) => Promise<boolean> {
  return async (caller) => (await permissions.allowedEach(caller, scopes)).every(Boolean);
}
