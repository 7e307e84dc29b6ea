import { installationTuples, scopeObject, type Tuple } from "@appserver/contracts/authorization";
import { type Caller, subjectOf } from "@appserver/kernel";
import type { Authorization } from "@appserver/kernel/ports";
import type { AppPermissions, RequiredScope } from "../ports.ts";

/** Permission tuples of apps in the authorization service. */
export class AuthorizationAppPermissions implements AppPermissions {
  readonly #authorization: Authorization;

  constructor(authorization: Authorization) {
    this.#authorization = authorization;
  }

  async grant(appName: string, own: readonly string[], required: readonly RequiredScope[]): Promise<void> {
    await this.#authorization.write({ writes: tuplesOf(appName, own, required) });
  }

  /** Grants that administrators gave to users on the app stay: a new installation finds them again. */
  async revoke(appName: string, own: readonly string[], required: readonly RequiredScope[]): Promise<void> {
    await this.#authorization.write({ deletes: tuplesOf(appName, own, required) });
  }

  async allowed(caller: Caller, permission: string, owner?: string): Promise<boolean> {
    if (caller.kind === "system") return true;
    const user = subjectOf(caller);
    return (
      user !== undefined && this.#authorization.check({ user, relation: "holder", object: scopeObject(permission, owner) })
    );
  }
}

function tuplesOf(appName: string, own: readonly string[], required: readonly RequiredScope[]): readonly Tuple[] {
  const needs = required.map(({ scope, owner }) => ({
    user: `app:${appName}`,
    relation: "holder",
    object: scopeObject(scope, owner),
  }));
  return [...installationTuples(appName, own), ...needs];
}
