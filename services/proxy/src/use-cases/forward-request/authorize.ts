import { isPromise, type MaybePromise, Refusal } from "@appserver/kernel";
import type { ScopePermissions } from "../../ports.ts";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";

/** Checks that the caller holds every scope that the route requires (docs/interface/proxy.md#permissions). */
export function authorize(permissions: ScopePermissions): Step {
  return (exchange) => (exchange.match.guard.isPublic ? undefined : checkFrom(permissions, exchange, 0));
}

function checkFrom(permissions: ScopePermissions, exchange: Exchange, first: number): MaybePromise<void> {
  const { scopeObjects, scopes } = exchange.match.guard;
  for (let index = first; index < scopeObjects.length; index++) {
    const allowed = permissions.allowed(exchange.caller, scopeObjects[index] ?? "");
    if (isPromise(allowed)) {
      return allowed.then((known) => {
        require(known, scopes[index]);
        return checkFrom(permissions, exchange, index + 1);
      });
    }
    require(allowed, scopes[index]);
  }
}

function require(allowed: boolean, scope: string | undefined): void {
  if (allowed) return;
  throw new Refusal("PERMISSION_DENIED", "permission_denied", `The caller lacks the permission ${scope}.`, {
    details: { required_permission: scope },
  });
}
