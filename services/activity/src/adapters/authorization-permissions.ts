import { scopeObject } from "@appserver/contracts/authorization";
import { type Caller, subjectOf } from "@appserver/kernel";
import type { Authorization } from "@appserver/kernel/ports";
import type { ActivityPermissions } from "../ports.ts";

/** Scopes of the platform in the authorization service. */
export class AuthorizationPermissions implements ActivityPermissions {
  readonly #authorization: Authorization;

  constructor(authorization: Authorization) {
    this.#authorization = authorization;
  }

  async allowed(caller: Caller, permission: string): Promise<boolean> {
    if (caller.kind === "system") return true;
    const user = subjectOf(caller);
    if (user === undefined) return false;
    return this.#authorization.check({ user, relation: "holder", object: scopeObject(permission) });
  }
}
