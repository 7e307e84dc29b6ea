import { isPromise, type MaybePromise, type Permissions, Refusal } from "@appserver/kernel";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";

/** Checks that the caller holds every scope that the route requires (docs/interface/proxy.md#permissions). */
export function authorize(permissions: Permissions): Step {
  return (exchange) => (exchange.match.guard.isPublic ? undefined : checkFrom(permissions, exchange, 0));
}

function checkFrom(permissions: Permissions, exchange: Exchange, first: number): MaybePromise<void> {
  const { scopes } = exchange.match.guard;
  for (let index = first; index < scopes.length; index++) {
    const { permission = "", owner } = scopes[index] ?? {};
    const allowed = permissions.allowed(exchange.caller, permission, owner);
    if (isPromise(allowed)) {
      return allowed.then((known) => {
        require(known, permission);
        return checkFrom(permissions, exchange, index + 1);
      });
    }
    require(allowed, permission);
  }
}

function require(allowed: boolean, permission: string): void {
  if (allowed) return;
  throw new Refusal("PERMISSION_DENIED", "permission_denied", `The caller lacks the permission ${permission}.`, {
    details: { required_permission: permission },
  });
}
