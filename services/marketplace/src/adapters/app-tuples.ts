import { installationTuples, scopeObject, type Tuple } from "@appserver/contracts/authorization";
import type { Authorization } from "@appserver/kernel/ports";
import type { GrantedScopes } from "../ports.ts";

/** The types of the model whose relations an app may have. */
const typesWithApps = ["permission_scope", "app", "role"] as const;

/** Permission tuples of apps in the authorization service. */
export class AppTuples {
  readonly #authorization: Authorization;

  constructor(authorization: Authorization) {
    this.#authorization = authorization;
  }

  /** Keeps the grants that administrators gave to users on the app. They apply again after a reinstallation. */
  async replace(appName: string, before: GrantedScopes | undefined, after: GrantedScopes | undefined): Promise<void> {
    const writes = tuplesOf(appName, after);
    const kept = new Set(writes.map(formatTuple));
    const deletes = tuplesOf(appName, before).filter((tuple) => !kept.has(formatTuple(tuple)));
    await this.#authorization.write({ writes, deletes });
  }

  async missing(appName: string, granted: GrantedScopes): Promise<readonly string[]> {
    const user = `app:${appName}`;
    const expected = tuplesOf(appName, granted);
    // All tuples of one subject are one request. The owner of the app is another subject.
    const filters = [...expected.filter((tuple) => tuple.user !== user), { user, object: "permission_scope:" }];
    const found = (await Promise.all(filters.map((filter) => this.#authorization.read(filter)))).flat();
    const stored = new Set(found.map(formatTuple));
    return expected.map(formatTuple).filter((tuple) => !stored.has(tuple));
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
