import { platformPermissions } from "@appserver/contracts/authorization";
import type { Caller } from "@appserver/kernel";
import type { CachedPermissions } from "./check-permission.ts";

const all = Object.keys(platformPermissions).map((permission) => ({ permission }));

/**
 * Returns whether a caller may introspect the GraphQL schema: only administrators, that is, callers with every permission of
 * the platform. There is no separate permission for it, because that would need a tuple in every store.
 */
export function schemaViewers(permissions: Pick<CachedPermissions, "allowedEach">): (caller: Caller) => Promise<boolean> {
  return async (caller) => (await permissions.allowedEach(caller, all)).every(Boolean);
}
