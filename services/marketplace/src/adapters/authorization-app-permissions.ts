import { installationTuples, scopeObject, type Tuple } from "@appserver/contracts/authorization";
import type { BatchedPermissions, Caller, MaybePromise, OwnedPermission } from "@appserver/kernel";
import type { Authorization } from "@appserver/kernel/ports";
import type { AppPermissions, GrantedScopes } from "../ports.ts";

/** The types of the model whose relations an app may have. */
const typesWithApps = ["permission_scope", "app", "role"] as const;

/** Permission tuples of apps in the authorization service. */
export class AuthorizationAppPermissions implements AppPermissions {
  readonly #authorization: Authorization;
  readonly #permissions: BatchedPermissions;

  constructor(authorization: Authorization, permissions: BatchedPermissions) {
    this.#authorization = authorization;
    this.#permissions = permissions;
  }

  /** Keeps the grants that administrators gave to users on the app. They apply again after a reinstallation. */
  async replace(appName: string, before: GrantedScopes | undefined, after: GrantedScopes | undefined): Promise<void> {
    const writes = tuplesOf(appName, after);
    const kept = new Set(writes.map(formatTuple));
    const deletes = tuplesOf(appName, before).filter((tuple) => !kept.has(formatTuple(tuple)));
    await this.#authorization.write({ writes, deletes });
  }

  async forget(appName: string, scopes: readonly string[]): Promise<void> {
    const app = `app:${appName}`;
    const held = typesWithApps.map((type) => ({ user: app, object: `${type}:` }));
    const ofScopes = scopes.map((scope) => ({ object: scopeObject(scope, appName) }));
    const found: Tuple[] = [];
    for (const filter of [{ object: app }, ...held, ...ofScopes]) found.push(...(await this.#authorization.read(filter)));
    const deletes = [...new Map(found.map((tuple) => [formatTuple(tuple), tuple])).values()];
    if (deletes.length > 0) await this.#authorization.write({ deletes });
  }

  allowed(caller: Caller, permission: string, owner?: string): MaybePromise<boolean> {
    return this.#permissions.allowed(caller, permission, owner);
  }

  allowedEach(caller: Caller, permissions: readonly OwnedPermission[]): Promise<readonly boolean[]> {
    return this.#permissions.allowedEach(caller, permissions);
  }
}

function tuplesOf(appName: string, granted: GrantedScopes | undefined): readonly Tuple[] {
  if (!granted) return [];
  const needs = granted.required.map(({ scope, owner }) => ({
    user: `app:${appName}`,
    relation: "holder",
    object: scopeObject(scope, owner),
  }));
  return [...installationTuples(appName, granted.own), ...needs];
}

function formatTuple({ user, relation, object }: Tuple): string {
  return `${user} ${relation} ${object}`;
}
