import { metricCatalogue } from "@appserver/contracts/metrics";
import type { BufferBudget, Clock, LiveConnections, Logger } from "@appserver/kernel";
import type { Metrics, RequestLog } from "@appserver/kernel/ports";
import type { GraphQLSchema } from "graphql";
import type { Origins } from "../http/origins.ts";
import type { GraphqlHandler } from "../http/request-context.ts";
import type { Authenticate, ReauthenticationOf } from "./context.ts";
import { Executor, type GraphqlLimits } from "./executor.ts";
import { GraphqlOverHttp } from "./graphql-over-http.ts";
import { GraphqlWebSockets } from "./graphql-websockets.ts";
import type { Introspection } from "./introspection.ts";
import { OperationMetrics } from "./operation-metrics.ts";

export interface GraphqlListenerOptions {
  readonly schema: GraphQLSchema;
  readonly authenticate: Authenticate;
  readonly origins: Origins;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the repeated check of a WebSocket's caller. */
  readonly reauthentication: ReauthenticationOf;
  /** Registry for WebSockets. It checks their callers again. */
  readonly connections: Pick<LiveConnections, "join">;
  /** Callers that may introspect the schema. Default: none. Errors suggest names only if every caller may. */
  readonly introspection?: boolean | Introspection;
  readonly limits?: Partial<GraphqlLimits>;
  /** Maximum size of a request's body (docs/interface/limits.md#bodies). */
  readonly maxBodyBytes: number;
  /** Budget of buffered bodies, shared by all transports. */
  readonly budget: BufferBudget;
  /** Time between WebSocket pings. Default 10 s (docs/interface/limits.md#websockets). */
  readonly keepAliveMs?: number;
  /** Time limit for `connection_init` on a WebSocket. Default 10 s. */
  readonly initTimeoutMs?: number;
  /** Gets mutations and failed operations over HTTP, for traces. */
  readonly requests?: RequestLog;
}

const defaultLimits: GraphqlLimits = { cost: 1000, depth: 15, tokens: 5000, aliases: 100 };

/** Creates the handler of `/graphql`: POST, GET, and WebSockets of both subprotocols (docs/interface/graphql.md#endpoint). */
export function createGraphqlListener(options: GraphqlListenerOptions): GraphqlHandler {
  const { schema, authenticate, reauthentication, connections, clock, logger, origins, maxBodyBytes, requests } = options;
  const { keepAliveMs = 10_000, initTimeoutMs = 10_000, budget } = options;
  const counts = new OperationMetrics(options.metrics);
  const allowed = options.introspection ?? false;
  const introspection: Introspection = typeof allowed === "function" ? allowed : () => allowed;
  const limits = { ...defaultLimits, ...options.limits };
  const executor = new Executor({ schema, limits, clock, logger, counts, suggestions: allowed === true });
  const http = new GraphqlOverHttp({ executor, authenticate, introspection, logger, maxBodyBytes, budget, clock, requests });
  const sockets = new GraphqlWebSockets({
    executor,
    authenticate,
    reauthentication,
    connections,
    introspection,
    logger,
    origins,
    keepAliveMs,
    initTimeoutMs,
  });
  options.metrics.observe(metricCatalogue.websocketsOpen, () => [{ labels: { route: "/graphql" }, value: sockets.open }]);
  return {
    handle: http.handle,
    handleUpgrade: (request, socket, head, context) => sockets.handleUpgrade(request, socket, head, context),
    drain: () => sockets.drain(),
  };
}
