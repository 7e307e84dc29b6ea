import { type Caller, isPromise, Rejection } from "@appserver/kernel";
import type { Callers } from "../../ports.ts";
import type { ProxiedRequest } from "./proxied-request.ts";
import type { Step } from "./step.ts";

/**
 * Identifies the caller; skipped on public routes (docs/interface/proxy.md#authentication). The caller of a direct call is authenticated
 * already.
 */
export function authenticate(callers: Callers): Step {
  return (proxied) => {
    if (proxied.match.guard.isPublic) return undefined;
    if (proxied.direct) return accept(proxied, proxied.direct.caller);
    const caller = callers.authenticate(proxied);
    return isPromise(caller) ? caller.then((known) => accept(proxied, known)) : accept(proxied, caller);
  };
}

function accept(proxied: ProxiedRequest, caller: Caller): void {
  if (caller.kind === "anonymous") {
    throw new Rejection("AUTHENTICATION_REQUIRED", "credentials_missing", "This route needs a session or a signed request.");
  }
  proxied.caller = caller;
}
