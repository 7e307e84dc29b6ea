export { PrometheusMetrics, type PrometheusMetricsOptions } from "./prometheus-metrics.ts";
