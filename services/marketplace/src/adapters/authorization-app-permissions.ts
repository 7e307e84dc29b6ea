import {
  earlierScopeObject,
  hierarchyRelation,
  installationTuples,
  isPermission,
  parsePermission,
  scopeObject,
  type Tuple,
} from "@appserver/contracts/authorization";
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
    const deletes = [...tuplesOf(appName, before), ...earlierTuplesOf(appName, before), ...earlierTuplesOf(appName, after)];
    await this.#authorization.write({ writes, deletes: deletes.filter((tuple) => !kept.has(formatTuple(tuple))) });
  }

  async forget(appName: string, scopes: readonly string[]): Promise<void> {
    const app = `app:${appName}`;
    const held = typesWithApps.map((type) => ({ user: app, object: `${type}:` }));
    const ofScopes = scopes.flatMap((scope) => {
      const objects = [scopeObject(scope, appName), earlierScopeObject(scope, appName)];
      return objects.filter((object) => object !== undefined).map((object) => ({ object }));
    });
    const found: Tuple[] = [];
    for (const filter of [{ object: app }, ...held, ...ofScopes]) found.push(...(await this.#authorization.read(filter)));
    const deletes = [...new Map(found.map((tuple) => [formatTuple(tuple), tuple])).values()];
    if (deletes.length > 0) await this.#authorization.write({ deletes });
  }

  allowed(caller: Caller, permission: string, owner?: string): MaybePromise<boolean> {
    // A manifest registered under an earlier grammar may contain an invalid permission. Only the platform itself holds it.
    if (caller.kind !== "system" && !isPermission(permission)) return false;
    return this.#permissions.allowed(caller, permission, owner);
  }

  async allowedEach(caller: Caller, permissions: readonly OwnedPermission[]): Promise<readonly boolean[]> {
    const valid = permissions.filter(({ permission }) => isPermission(permission));
    const decisions = await this.#permissions.allowedEach(caller, valid);
    const byPermission = new Map(valid.map((each, index) => [each, decisions[index] === true]));
    return permissions.map((each) => byPermission.get(each) ?? caller.kind === "system");
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

/** Returns the same tuples under the objects that earlier releases used for some permissions. */
function earlierTuplesOf(appName: string, granted: GrantedScopes | undefined): readonly Tuple[] {
  if (!granted) return [];
  const user = `app:${appName}`;
  const links = granted.own.flatMap((scope) => {
    const object = earlierScopeObject(scope, appName);
    return object === undefined ? [] : [{ user, relation: hierarchyRelation(parsePermission(scope).action), object }];
  });
  const needs = granted.required.flatMap(({ scope, owner }) => {
    const object = earlierScopeObject(scope, owner);
    return object === undefined ? [] : [{ user, relation: "holder", object }];
  });
  return [...links, ...needs];
}

function formatTuple({ user, relation, object }: Tuple): string {
  return `${user} ${relation} ${object}`;
}
