import { scopeObject } from "@appserver/contracts/authorization";
import { type Caller, subjectOf } from "@appserver/kernel";
import type { Authorization } from "@appserver/kernel/ports";
import type { Permissions } from "../ports.ts";

/** Permissions of the platform, asked of the authorization service. */
export class AuthorizationPermissions implements Permissions {
  readonly #authorization: Authorization;

  constructor(authorization: Authorization) {
    this.#authorization = authorization;
  }

  async allowed(caller: Caller, permission: string): Promise<boolean> {
    if (caller.kind === "system") return true;
    const user = subjectOf(caller);
    return user !== undefined && this.#authorization.check({ user, relation: "holder", object: scopeObject(permission) });
  }
}
