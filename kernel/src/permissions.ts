import { AppError } from "./app-error.ts";
import { actorOf, type Caller, subjectOf } from "./caller.ts";
import type { Authorization } from "./platform-ports/index.ts";

/** Who may do what: a port of use cases. */
export interface Permissions {
  /** Whether the caller holds a permission of the platform (`settings:read`). The platform itself holds all. */
  allowed(caller: Caller, permission: string): Promise<boolean>;
}

/** Permissions as the authorization service has them (specification §5). */
export class AuthorizedPermissions implements Permissions {
  readonly #authorization: Pick<Authorization, "check">;
  readonly #objectOf: (permission: string) => string;

  /** `objectOf` names a permission as an object of the authorization model. */
  constructor(authorization: Pick<Authorization, "check">, objectOf: (permission: string) => string) {
    this.#authorization = authorization;
    this.#objectOf = objectOf;
  }

  async allowed(caller: Caller, permission: string): Promise<boolean> {
    if (caller.kind === "system") return true;
    const user = subjectOf(caller);
    if (user === undefined) return false;
    return this.#authorization.check({ user, relation: "holder", object: this.#objectOf(permission) });
  }
}

/** Refuses with AUTHENTICATION_REQUIRED or PERMISSION_DENIED unless the caller holds the permission. */
export async function requirePermission(permissions: Permissions, caller: Caller, permission: string): Promise<void> {
  if (await permissions.allowed(caller, permission)) return;
  if (caller.kind === "anonymous")
    throw new AppError("AUTHENTICATION_REQUIRED", `${permission} needs a session or a signed request`);
  throw new AppError("PERMISSION_DENIED", `${actorOf(caller)} lacks the permission ${permission}`, { details: { permission } });
}
