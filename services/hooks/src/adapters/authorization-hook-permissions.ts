import { scopeObject } from "@appserver/contracts/authorization";
import { type Caller, subjectOf } from "@appserver/kernel";
import type { Authorization } from "@appserver/kernel/ports";
import type { HookPermissions } from "../ports.ts";

/** Permissions of callers, asked of the authorization service. */
export class AuthorizationHookPermissions implements HookPermissions {
  readonly #authorization: Authorization;

  constructor(authorization: Authorization) {
    this.#authorization = authorization;
  }

  async allowed(caller: Caller, permission: string): Promise<boolean> {
    const user = subjectOf(caller);
    return user !== undefined && this.#authorization.check({ user, relation: "holder", object: scopeObject(permission) });
  }
}
