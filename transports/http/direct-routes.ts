import { apiPrefix } from "@appserver/contracts/patterns";
import { assetRoutes } from "./assets.ts";
import type { DirectRoute } from "./direct-requests.ts";
import type { HealthChecks } from "./health-checks.ts";
import type { ServiceHandlers } from "./listener-handlers.ts";
import { livenessHandler, livenessRoutes } from "./liveness.ts";

export const graphqlPath = "/graphql";

type DirectPart = "proxy" | "graphql" | "ui";

export interface DirectRoutesDeps {
  readonly health: Pick<HealthChecks, "uptimeSeconds">;
  /** Whether the listener serves this part now or later. */
  readonly mayServe: (part: DirectPart) => boolean;
  /** Returns the handler. Throws if it is not there yet. */
  readonly serving: <Part extends DirectPart>(part: Part) => ServiceHandlers[Part];
}

/** Returns what finds the route of a target whose requests go straight to their handler. Undefined for all others. */
export function directRoutes({ health, mayServe, serving }: DirectRoutesDeps): (target: string) => DirectRoute | undefined {
  const proxy: DirectRoute = { route: `${apiPrefix}*`, handler: () => serving("proxy"), ownLog: true, isForApp: true };
  const graphql: DirectRoute = { route: graphqlPath, handler: () => serving("graphql"), ownLog: false, isForApp: false };
  const proxied = mayServe("proxy") ? proxy : undefined;
  const queried = mayServe("graphql") ? graphql : undefined;
  const liveness = livenessRoutes(livenessHandler(health));
  const assets = mayServe("ui") ? assetRoutes(() => serving("ui")) : undefined;
  return (target) => {
    if (proxied && target.startsWith(apiPrefix)) return proxied;
    if (queried && isGraphql(target)) return queried;
    return liveness.get(target) ?? assets?.(target);
  };
}

/** Whether it is the target of GraphQL, with a query or without. */
function isGraphql(target: string): boolean {
  return target.startsWith(graphqlPath) && (target.length === graphqlPath.length || target[graphqlPath.length] === "?");
}
