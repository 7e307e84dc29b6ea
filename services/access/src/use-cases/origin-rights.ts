import { originPermission } from "@appserver/contracts/authorization";
import { isPromise, type Logger, type OriginRights, type Permissions } from "@appserver/kernel";

/** Checks each time, through the permission caches, so that a revoked permission ends at once. */
export function originRights(permissions: Permissions, logger: Logger): OriginRights {
  return {
    mayActForOrigin: ({ name, id }) => {
      const allowed = permissions.allowed({ kind: "app", name, id }, originPermission);
      if (!isPromise(allowed)) return allowed;
      return allowed.catch((error: unknown) => {
        logger.warn({ err: error, app: name }, "access: could not check page:origin; the page is sandboxed");
        return false;
      });
    },
  };
}
