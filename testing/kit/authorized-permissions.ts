import { scopeObject } from "@appserver/contracts/authorization";
import { type BatchedPermissions, type Caller, type OwnedPermission, subjectOf } from "@appserver/kernel";
import type { Authorization } from "@appserver/kernel/ports";

/** Checks each permission with the authorization service, without a cache. */
export class AuthorizedPermissions implements BatchedPermissions {
  readonly #authorization: Pick<Authorization, "check">;

  constructor(authorization: Pick<Authorization, "check">) {
    this.#authorization = authorization;
  }

  async allowed(caller: Caller, permission: string, owner?: string): Promise<boolean> {
    if (caller.kind === "system") return true;
    const user = subjectOf(caller);
    if (user === undefined) return false;
    return this.#authorization.check({ user, relation: "holder", object: scopeObject(permission, owner) });
  }

  allowedEach(caller: Caller, permissions: readonly OwnedPermission[]): Promise<readonly boolean[]> {
    return Promise.all(permissions.map(({ permission, owner }) => this.allowed(caller, permission, owner)));
  }
}
