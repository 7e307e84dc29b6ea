import { type Caller, isPromise, Refusal } from "@appserver/kernel";
import type { Callers } from "../../ports.ts";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";

/** Identifies the caller; skipped on public routes (docs/interface/proxy.md#authentication). */
export function authenticate(callers: Callers): Step {
  return (exchange) => {
    if (exchange.match.guard.isPublic) return undefined;
    const caller = callers.authenticate(exchange);
    return isPromise(caller) ? caller.then((known) => accept(exchange, known)) : accept(exchange, caller);
  };
}

function accept(exchange: Exchange, caller: Caller): void {
  if (caller.kind === "anonymous") {
    throw new Refusal("AUTHENTICATION_REQUIRED", "credentials_missing", "This route needs a session or a signed request.");
  }
  exchange.caller = caller;
}
