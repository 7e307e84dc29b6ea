/**
 * Every metric of the platform: what it is called, counts and is told apart by. `docs/reference/metrics.md` is generated
 * from this, and whoever counts takes the definition from here. A status is its class (`2xx`); a `route` is a pattern, never
 * a path; an `app` is an installed one.
 */
export const metricCatalogue = {
  buildInfo: {
    name: "appserver_build_info",
    kind: "gauge",
    labels: ["version", "node"],
    help: "Always 1; the labels tell what runs.",
  },
  dependencyUp: {
    name: "appserver_dependency_up",
    kind: "gauge",
    labels: ["dependency"],
    help: "1 when a dependency of /ready answers, else 0.",
  },
  httpRequests: {
    name: "appserver_http_requests_total",
    kind: "counter",
    labels: ["method", "route", "status"],
    help: "HTTP requests answered.",
  },
  httpRequestDuration: {
    name: "appserver_http_request_duration_seconds",
    kind: "histogram",
    labels: ["method", "route"],
    help: "From the last header of a request to the end of its answer.",
  },
  httpRequestsActive: {
    name: "appserver_http_active_requests",
    kind: "gauge",
    labels: [],
    help: "HTTP requests under way.",
  },
  websocketsOpen: {
    name: "appserver_open_websockets",
    kind: "gauge",
    labels: ["route"],
    help: "WebSockets open.",
  },
  graphqlOperations: {
    name: "appserver_graphql_operations_total",
    kind: "counter",
    labels: ["type", "outcome"],
    help: "GraphQL operations executed; outcome is success, or error when any error is in the result.",
  },
  graphqlSubscriptionsOpen: {
    name: "appserver_graphql_open_subscriptions",
    kind: "gauge",
    labels: [],
    help: "GraphQL subscriptions open.",
  },
  grpcCalls: {
    name: "appserver_grpc_calls_total",
    kind: "counter",
    labels: ["service", "method", "code"],
    help: "gRPC, gRPC-Web and Connect calls over, by status code.",
  },
  grpcCallDuration: {
    name: "appserver_grpc_call_duration_seconds",
    kind: "histogram",
    labels: ["service", "method"],
    help: "From the beginning of a unary call to its answer.",
  },
  proxyRequests: {
    name: "appserver_proxy_requests_total",
    kind: "counter",
    labels: ["app", "status"],
    help: "Proxied requests over, by the status that the caller got; none is a request for no installed app.",
  },
  proxyRequestDuration: {
    name: "appserver_proxy_request_duration_seconds",
    kind: "histogram",
    labels: ["app"],
    help: "From a request's arrival at the proxy to the end of its answer, streams and WebSockets included.",
  },
  proxyRefusals: {
    name: "appserver_proxy_refusals_total",
    kind: "counter",
    labels: ["app", "reason"],
    help: "Proxied requests that were not served or broke off, by the reasonId of the request log.",
  },
  rateLimitRefusals: {
    name: "appserver_rate_limit_refusals_total",
    kind: "counter",
    labels: ["app"],
    help: "Requests over their route's limit.",
  },
  upstreamRequests: {
    name: "appserver_upstream_requests_total",
    kind: "counter",
    labels: ["app", "status"],
    help: "Requests sent on to an app, by its status; failed is one that it did not answer.",
  },
  upstreamRequestDuration: {
    name: "appserver_upstream_request_duration_seconds",
    kind: "histogram",
    labels: ["app"],
    help: "From sending a request on to an app to the headers of its answer.",
  },
  breakerState: {
    name: "appserver_circuit_breaker_state",
    kind: "gauge",
    labels: ["app"],
    help: "0 closed, 1 half open, 2 open.",
  },
  authentications: {
    name: "appserver_authentications_total",
    kind: "counter",
    labels: ["credential", "outcome"],
    help: "Callers identified on any listener; outcome is accepted, refused or unavailable.",
  },
  permissionChecks: {
    name: "appserver_permission_checks_total",
    kind: "counter",
    labels: ["source"],
    help: "Permissions looked up, by where the answer was: local cache, shared cache, or authorization service.",
  },
  permissionCacheForgeries: {
    name: "appserver_permission_cache_forged_entries_total",
    kind: "counter",
    labels: [],
    help: "Entries of the shared permission cache that the platform did not write, and ignored.",
  },
  assetsCorrupt: {
    name: "appserver_corrupt_assets_total",
    kind: "counter",
    labels: ["app"],
    help: "Assets not served because their stored bytes no longer match their hash.",
  },
  outboxPending: {
    name: "appserver_outbox_pending_events",
    kind: "gauge",
    labels: [],
    help: "Committed events that the broker does not have yet.",
  },
  outboxLag: {
    name: "appserver_outbox_lag_seconds",
    kind: "gauge",
    labels: [],
    help: "Age of the oldest of these events; 0 when none waits.",
  },
  queueDepth: {
    name: "appserver_queue_pending_events",
    kind: "gauge",
    labels: ["queue"],
    help: "Events in a queue of the broker that no consumer has acknowledged.",
  },
  queueDead: {
    name: "appserver_queue_dead_letters",
    kind: "gauge",
    labels: ["queue"],
    help: "Dead letters of a queue.",
  },
  containerStarts: {
    name: "appserver_container_starts_total",
    kind: "counter",
    labels: ["app"],
    help: "Containers started.",
  },
  containerStops: {
    name: "appserver_container_stops_total",
    kind: "counter",
    labels: ["app"],
    help: "Containers stopped.",
  },
  containerRestarts: {
    name: "appserver_container_restarts_total",
    kind: "counter",
    labels: ["app"],
    help: "Containers restarted because they died or were unwell.",
  },
  imagePullDuration: {
    name: "appserver_image_pull_duration_seconds",
    kind: "histogram",
    labels: ["outcome"],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    help: "Pulls of app images; outcome is success or failure.",
  },
  healthChecks: {
    name: "appserver_health_checks_total",
    kind: "counter",
    labels: ["app", "outcome"],
    help: "Health checks of containers; outcome is healthy or unhealthy.",
  },
  spansDropped: {
    name: "appserver_trace_spans_dropped_total",
    kind: "counter",
    labels: ["reason"],
    help: "Spans not sent: the queue was full, or the collector did not take them.",
  },
} as const;
