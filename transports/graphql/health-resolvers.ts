import type { Resolvers } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import type { HealthChecks } from "../http/health-checks.ts";
import type { ServiceResolvers } from "./executable-schema.ts";

/** Resolves the query `health` with the checks of /ready. */
export function healthResolvers(health: HealthChecks): ServiceResolvers {
  return {
    Query: {
      health: async () => {
        const { status, checks } = await health.readiness();
        return { status, version: health.version, uptimeSeconds: health.uptimeSeconds, checks };
      },
    },
  } satisfies Resolvers<Call>;
}
