import type { AppRights, Clock } from "@appserver/kernel";
import type { Cache, Tunnels } from "../../ports.ts";
import { authenticate } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import { breakCircuit } from "./break-circuit.ts";
import type { BufferedRequests } from "./buffered-requests.ts";
import { checkAppRights } from "./check-app-rights.ts";
import { followTunnel } from "./follow-tunnel.ts";
import { type ForwardDeps, forward } from "./forward.ts";
import type { FreshApps } from "./fresh-apps.ts";
import { limitHead } from "./limit-head.ts";
import { limitRate } from "./limit-rate.ts";
import { type MatchRouteDeps, matchRoute } from "./match-route.ts";
import type { Step } from "./step.ts";
import { type StreamRechecksDeps, streamRechecks } from "./stream-rechecks.ts";
import { type WakeAsleepDeps, wakeAsleep } from "./wake-asleep.ts";

export interface ForwardRequestDeps extends Omit<ForwardDeps, "rechecks">, StreamRechecksDeps, WakeAsleepDeps {
  readonly rights: AppRights;
  readonly cache: Cache;
  readonly clock: Clock;
  /** Maximum size of the target and headers that a backend receives of a request. */
  readonly maxForwardedBytes: number;
  readonly buffered: BufferedRequests;
  readonly fresh: FreshApps;
  readonly tunnels: Pick<Tunnels, "isEmpty" | "find">;
}

/** Returns the steps of a proxied request, in order (docs/interface/proxy.md#steps). */
export function forwardRequestSteps(deps: ForwardRequestDeps): readonly Step[] {
  return [
    ...admitRequestSteps(deps),
    checkAppRights(deps.rights),
    limitRate(deps.cache, deps.clock),
    limitHead(deps.maxForwardedBytes),
    followTunnel(deps.tunnels),
    wakeAsleep(deps),
    breakCircuit(deps.clock),
    forward({ ...deps, rechecks: streamRechecks(deps) }),
  ];
}

/** Returns the first of these steps: those that find the route, and refuse callers that may not use it. */
export function admitRequestSteps(
  deps: MatchRouteDeps & Pick<StreamRechecksDeps, "authenticator" | "permissions">,
): readonly Step[] {
  return [matchRoute(deps), authenticate(deps.authenticator), authorize(deps.permissions)];
}
