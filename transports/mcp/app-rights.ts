import {
  actingOn,
  appBoundsOf,
  type BatchedPermissions,
  type Caller,
  credentialReaches,
  type OwnedPermission,
  reachesApp,
} from "@appserver/kernel";
import { mayHaveEffect } from "./agent-bounds.ts";
import { type AppOperation, effectOf, scopesOf } from "./app-tool.ts";

/** So many permissions are checked for one list or search. */
const maxChecked = 2_000;

/** Decides which operations of apps a caller may call, as the proxy does, many at once. Lives as long as one list or search. */
export class AppRights {
  readonly #permissions: BatchedPermissions;
  readonly #caller: Caller;
  /** By app and permission. */
  readonly #held = new Map<string, boolean>();

  constructor(permissions: BatchedPermissions, caller: Caller) {
    this.#permissions = permissions;
    this.#caller = caller;
  }

  /** Whether no more permissions are checked. Operations that need others count as refused. */
  get isExhausted(): boolean {
    return this.#held.size >= maxChecked;
  }

  /** Returns those of the operations that the caller may call. */
  async allowed<T extends AppOperation>(operations: readonly T[]): Promise<readonly T[]> {
    const possible = operations.filter(
      ({ app, method }) => reachesApp(this.#caller, app.name) && mayHaveEffect(this.#caller, { effect: effectOf(method) }),
    );
    await this.#check(possible);
    return possible.filter((operation) => this.#isAllowed(operation));
  }

  #isAllowed(operation: AppOperation): boolean {
    const { app, route } = operation;
    if (route.isPublic) return true;
    if (route.scopes.length === 0) return credentialReaches(this.#caller, app.name);
    return scopesOf(operation).every((scope) => this.#held.get(keyOf(app.name, scope)) === true);
  }

  /** Agents that are bound to apps hold permissions for one app at a time. */
  async #check(operations: readonly AppOperation[]): Promise<void> {
    const needed = new Map<string, Map<string, OwnedPermission>>();
    const isBound = appBoundsOf(this.#caller) !== undefined;
    for (const operation of operations) {
      const app = operation.app.name;
      for (const scope of scopesOf(operation)) {
        const key = keyOf(app, scope);
        if (this.#held.has(key) || this.isExhausted) continue;
        this.#held.set(key, false);
        const group = isBound ? app : "";
        needed.set(group, (needed.get(group) ?? new Map()).set(key, scope));
      }
    }
    for (const [app, scopes] of needed) {
      const caller = isBound ? actingOn(this.#caller, app) : this.#caller;
      const decisions = await this.#permissions.allowedEach(caller, [...scopes.values()]);
      for (const [index, key] of [...scopes.keys()].entries()) this.#held.set(key, decisions[index] === true);
    }
  }
}

/** Of permissions of the platform each app has its own, because bounds depend on the app. */
function keyOf(app: string, { permission, owner = "" }: OwnedPermission): string {
  return `${app} ${owner} ${permission}`;
}
