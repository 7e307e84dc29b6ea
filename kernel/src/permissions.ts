import { AppError } from "./app-error.ts";
import { actorOf, type Caller, subjectOf } from "./caller.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Authorization } from "./platform-ports/index.ts";

/** Checks permissions: the port of use cases and of the proxy. */
export interface Permissions {
  /**
   * Returns whether the caller holds a permission of the platform (`settings:read`), or of the app `owner`. The platform itself
   * holds every permission. An anonymous caller has none. Throws or rejects if the check is not possible.
   */
  allowed(caller: Caller, permission: string, owner?: string): MaybePromise<boolean>;
}

/** Checks permissions with the authorization service, without a cache (docs/interface/permissions.md#model). */
export class AuthorizedPermissions implements Permissions {
  readonly #authorization: Pick<Authorization, "check">;
  readonly #objectOf: (permission: string, owner?: string) => string;

  /** `objectOf` names a permission as an object of the authorization model. */
  constructor(authorization: Pick<Authorization, "check">, objectOf: (permission: string, owner?: string) => string) {
    this.#authorization = authorization;
    this.#objectOf = objectOf;
  }

  async allowed(caller: Caller, permission: string, owner?: string): Promise<boolean> {
    if (caller.kind === "system") return true;
    const user = subjectOf(caller);
    if (user === undefined) return false;
    return this.#authorization.check({ user, relation: "holder", object: this.#objectOf(permission, owner) });
  }
}

/** The permissions required of a caller, keyed by the identity of the caller object, with the port that granted them. */
const records = new WeakMap<Caller, Map<string, Permissions>>();

/**
 * Records the permissions that `requirePermission` grants to one caller during one call, so that a long call can be checked
 * again. The use case that opened a subscription or a stream required its permissions only once.
 */
export class RequiredPermissions {
  /** A copy of the caller, only for this call. */
  readonly caller: Caller;
  readonly #granted = new Map<string, Permissions>();

  constructor(caller: Caller) {
    this.caller = { ...caller };
    records.set(this.caller, this.#granted);
  }

  /** Rejects with PERMISSION_DENIED if the caller no longer holds a permission granted before. */
  async requireAgain(): Promise<void> {
    for (const [permission, permissions] of this.#granted) await requirePermission(permissions, this.caller, permission);
  }
}

/** Throws AUTHENTICATION_REQUIRED or PERMISSION_DENIED unless the caller holds the permission. */
export async function requirePermission(permissions: Permissions, caller: Caller, permission: string): Promise<void> {
  if (await permissions.allowed(caller, permission)) {
    records.get(caller)?.set(permission, permissions);
    return;
  }
  if (caller.kind === "anonymous")
    throw new AppError("AUTHENTICATION_REQUIRED", `${permission} needs a session or a signed request`);
  throw new AppError("PERMISSION_DENIED", `${actorOf(caller)} lacks the permission ${permission}`, { details: { permission } });
}
