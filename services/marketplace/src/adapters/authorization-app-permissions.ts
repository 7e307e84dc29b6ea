import type { BatchedPermissions, Caller, MaybePromise, OwnedPermission } from "@appserver/kernel";
import type { Authorization } from "@appserver/kernel/ports";
import type { AppPermissions } from "../ports.ts";
import { AppTuples } from "./app-tuples.ts";

/** Permission tuples of apps in the authorization service, and decisions about callers. */
export class AuthorizationAppPermissions extends AppTuples implements AppPermissions {
  readonly #permissions: BatchedPermissions;

  constructor(authorization: Authorization, permissions: BatchedPermissions) {
    super(authorization);
    this.#permissions = permissions;
  }

  allowed(caller: Caller, permission: string, owner?: string): MaybePromise<boolean> {
    return this.#permissions.allowed(caller, permission, owner);
  }

  allowedEach(caller: Caller, permissions: readonly OwnedPermission[]): Promise<readonly boolean[]> {
    return this.#permissions.allowedEach(caller, permissions);
  }
}
