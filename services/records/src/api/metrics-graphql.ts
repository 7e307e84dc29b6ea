import { objectOf } from "@appserver/contracts/graphql";
import type { Metrics as GraphqlMetrics } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import { type MetricsContext, type MetricsRequest, readMetrics } from "../use-cases/read-metrics.ts";

/** Resolves the query `metrics`. */
export function metricResolvers(context: MetricsContext) {
  return {
    Query: {
      metrics: async (_: unknown, request: MetricsRequest, call: Call): Promise<GraphqlMetrics> => {
        const metrics = await readMetrics(context, request, call);
        return objectOf({ ...metrics, process: metrics.processes });
      },
    },
  };
}
