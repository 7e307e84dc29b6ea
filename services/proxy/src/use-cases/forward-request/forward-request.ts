import type { Clock } from "@appserver/kernel";
import type { Cache } from "../../ports.ts";
import type { AppDirectory } from "../app-directory.ts";
import type { CallerAuthenticator } from "../authenticate-caller/authenticate-caller.ts";
import type { PermissionChecker } from "../check-permission.ts";
import { authenticate } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import { breakCircuit } from "./break-circuit.ts";
import { type ForwardDeps, forward } from "./forward.ts";
import { limitRate } from "./limit-rate.ts";
import { matchRoute } from "./match-route.ts";
import type { Step } from "./step.ts";

export interface ForwardRequestDeps extends ForwardDeps {
  readonly apps: AppDirectory;
  readonly authenticator: CallerAuthenticator;
  readonly permissions: PermissionChecker;
  readonly cache: Cache;
  readonly clock: Clock;
}

/** The way of a proxied request, in order. Source: specification §4.1 proxy rules. */
export function forwardRequestSteps(deps: ForwardRequestDeps): readonly Step[] {
  return [
    matchRoute(deps.apps),
    authenticate(deps.authenticator),
    authorize(deps.permissions),
    limitRate(deps.cache, deps.clock),
    breakCircuit(deps.clock),
    forward(deps),
  ];
}
