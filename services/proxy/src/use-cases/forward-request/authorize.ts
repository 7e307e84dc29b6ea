import { credentialReaches, isPromise, type MaybePromise, type Permissions, Rejection } from "@appserver/kernel";
import type { ProxiedRequest } from "./proxied-request.ts";
import type { Step } from "./step.ts";

/** Checks that the caller holds every scope that the route requires (docs/interface/proxy.md#permissions). */
export function authorize(permissions: Permissions): Step {
  return (proxied) => {
    const { isPublic, scopes } = proxied.match.guard;
    if (isPublic) return undefined;
    if (scopes.length === 0) requireReach(proxied);
    return checkFrom(permissions, proxied, 0);
  };
}

function checkFrom(permissions: Permissions, proxied: ProxiedRequest, first: number): MaybePromise<void> {
  const { scopes } = proxied.match.guard;
  for (let index = first; index < scopes.length; index++) {
    const { permission = "", owner } = scopes[index] ?? {};
    const allowed = permissions.allowed(proxied.caller, permission, owner);
    if (isPromise(allowed)) {
      return allowed.then((known) => {
        require(known, permission);
        return checkFrom(permissions, proxied, index + 1);
      });
    }
    require(allowed, permission);
  }
}

/** A route without scopes is for every caller, but not for a token that is for something else. */
function requireReach({ caller, match }: ProxiedRequest): void {
  if (credentialReaches(caller, match.app.name)) return;
  throw new Rejection("PERMISSION_DENIED", "permission_denied", `The token has no scope of the app ${match.app.name}.`);
}

function require(allowed: boolean, permission: string): void {
  if (allowed) return;
  throw new Rejection("PERMISSION_DENIED", "permission_denied", `The caller lacks the permission ${permission}.`, {
    details: { required_permission: permission },
  });
}
