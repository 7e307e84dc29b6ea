import type { Metrics as GraphqlMetrics } from "@appserver/contracts/graphql/types";
import { type Call, type MetricsContext, type MetricsRequest, readMetrics } from "@appserver/kernel";

/** Resolves the query `metrics`. */
export function metricResolvers(context: MetricsContext) {
  return {
    Query: {
      metrics: async (_: unknown, request: MetricsRequest, call: Call): Promise<GraphqlMetrics> => {
        const { proxy, processes, sampledAt, ...others } = await readMetrics(context, request, call);
        const series = proxy.series.map(({ at, ...step }) => ({ at: at.toISOString(), ...step }));
        return { ...others, proxy: { ...proxy, series }, process: processes, sampledAt: sampledAt.toISOString() };
      },
    },
  };
}
