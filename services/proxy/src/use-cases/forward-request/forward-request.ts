import type { Clock } from "@appserver/kernel";
import type { Cache, OriginRights } from "../../ports.ts";
import { authenticate } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import { breakCircuit } from "./break-circuit.ts";
import { type ForwardDeps, forward } from "./forward.ts";
import type { FreshApps } from "./fresh-apps.ts";
import type { HeldRequests } from "./held-requests.ts";
import { limitRate } from "./limit-rate.ts";
import { matchRoute } from "./match-route.ts";
import type { Step } from "./step.ts";
import { StreamAgeing, type StreamAgeingDeps } from "./stream-ageing.ts";
import { weighOrigin } from "./weigh-origin.ts";

export interface ForwardRequestDeps extends Omit<ForwardDeps, "ageing">, StreamAgeingDeps {
  readonly rights: OriginRights;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly held: HeldRequests;
  readonly fresh: FreshApps;
}

/** Returns the steps of a proxied request, in order (docs/interface/proxy.md#steps). */
export function forwardRequestSteps(deps: ForwardRequestDeps): readonly Step[] {
  return [
    matchRoute(deps),
    authenticate(deps.authenticator),
    authorize(deps.permissions),
    weighOrigin(deps.rights),
    limitRate(deps.cache, deps.clock),
    breakCircuit(deps.clock),
    forward({ ...deps, ageing: new StreamAgeing(deps) }),
  ];
}
