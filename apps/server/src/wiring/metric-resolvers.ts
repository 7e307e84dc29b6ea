import { objectOf } from "@appserver/contracts/graphql";
import type { Metrics as GraphqlMetrics } from "@appserver/contracts/graphql/types";
import { type Call, type MetricsContext, type MetricsRequest, readMetrics } from "@appserver/kernel";

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
