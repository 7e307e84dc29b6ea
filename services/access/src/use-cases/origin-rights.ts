import { originPermission } from "@appserver/contracts/authorization";
import { isPromise, type Logger, type MaybePromise, type Permissions } from "@appserver/kernel";

/** Decides which apps' pages may act as pages of the platform itself. */
export interface OriginRights {
  /** Returns whether the app holds the permission `page:origin`. Never rejects: a failed check returns false. */
  mayActForOrigin(app: { readonly name: string; readonly id: string }): MaybePromise<boolean>;
}

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
