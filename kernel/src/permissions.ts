import { actingOn, appBoundsOf, boundCallerName } from "./app-bounds.ts";
import { AppError } from "./app-error.ts";
import { actorOf, type Caller } from "./caller.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** Checks permissions: the port of use cases and of the proxy. */
export interface Permissions {
  /**
   * Returns whether the caller holds a permission of the platform (`settings:read`), or of the app `owner`. The platform itself
   * holds every permission. An anonymous caller has none. Throws or rejects if the check is not possible.
   */
  allowed(caller: Caller, permission: string, owner?: string): MaybePromise<boolean>;
}

/** Checks many permissions of a caller at once. */
export interface BatchedPermissions extends Permissions {
  /** Returns one decision for each permission, in order, with at most one request to the authorization service. */
  allowedEach(caller: Caller, permissions: readonly OwnedPermission[]): Promise<readonly boolean[]>;
}

/** A permission of an app, or of the platform if it has no owner. */
export interface OwnedPermission {
  readonly permission: string;
  readonly owner?: string | undefined;
}

/** An app whose rights are checked. */
export interface RightsHolder {
  readonly name: string;
  readonly id: string;
}

/** Decides which apps' pages may act as pages of the platform itself. */
export interface OriginRights {
  /** Returns whether the app holds the permission `page:origin`. Never rejects: a failed check returns false. */
  mayActForOrigin(app: RightsHolder): MaybePromise<boolean>;
}

/** What apps may do by permissions of the platform that no call of theirs needs. */
export interface AppRights extends OriginRights {
  /** Returns whether the app holds the permission `people:read`. Never rejects: a failed check returns false. */
  mayReadPeople(app: RightsHolder): MaybePromise<boolean>;
}

/**
 * The permissions that were granted to the caller during one call, so that a long call can be checked again. The use case that opened
 * a subscription or a stream required its permissions only once.
 */
export class RequiredPermissions {
  readonly #granted = new Map<string, { readonly permissions: Permissions; readonly app: string | undefined }>();

  /** `app`: the one on which a trusted pipeline acts. */
  add(permission: string, permissions: Permissions, app?: string): void {
    this.#granted.set(permission, { permissions, app });
  }

  /** Rejects with PERMISSION_DENIED if the caller no longer holds a permission granted before. */
  async requireAgain(caller: Caller): Promise<void> {
    for (const [permission, { permissions, app }] of this.#granted) {
      const bound = app === undefined ? caller : actingOn(caller, app);
      await requirePermission(permissions, { caller: bound }, permission);
    }
  }
}

/** Throws AUTHENTICATION_REQUIRED or PERMISSION_DENIED unless the caller holds the permission, and records it in the call. */
export async function requirePermission(
  permissions: Permissions,
  { caller, required }: { readonly caller: Caller; readonly required?: RequiredPermissions | undefined },
  permission: string,
): Promise<void> {
  if (await permissions.allowed(caller, permission)) {
    required?.add(permission, permissions, appBoundsOf(caller)?.actsOn);
    return;
  }
  if (caller.kind === "anonymous")
    throw new AppError("AUTHENTICATION_REQUIRED", `${permission} needs a session or a signed request`);
  const bounds = appBoundsOf(caller);
  const bound = bounds && !bounds.actsOn ? `: ${boundCallerName(caller)} uses it only on its apps` : "";
  const remedy = caller.kind === "app" ? ": its manifest must require it, and an administrator must approve it" : bound;
  throw new AppError("PERMISSION_DENIED", `${actorOf(caller)} lacks the permission ${permission}${remedy}`, {
    details: { permission },
  });
}
