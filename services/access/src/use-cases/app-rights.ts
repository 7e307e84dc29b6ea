import { originPermission, peoplePermission } from "@appserver/contracts/authorization";
import {
  type AppRights,
  isPromise,
  type Logger,
  type MaybePromise,
  type Permissions,
  type RightsHolder,
} from "@appserver/kernel";

/** Checks each time, through the permission caches, so that a revoked permission ends at once. */
export function appRights(permissions: Permissions, logger: Logger): AppRights {
  const holds = ({ name, id }: RightsHolder, permission: string, consequence: string): MaybePromise<boolean> => {
    const allowed = permissions.allowed({ kind: "app", name, id }, permission);
    if (!isPromise(allowed)) return allowed;
    return allowed.catch((error: unknown) => {
      logger.warn({ err: error, app: name }, `access: could not check ${permission}; ${consequence}`);
      return false;
    });
  };
  return {
    mayActForOrigin: (app) => holds(app, originPermission, "the page is sandboxed"),
    mayReadPeople: (app) => holds(app, peoplePermission, "the app does not receive the name of the caller"),
  };
}
