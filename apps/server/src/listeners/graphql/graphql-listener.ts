import type { IncomingMessage } from "node:http";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { type Caller, type Logger, newTraceparent, parseTraceparent, runInTrace } from "@appserver/kernel";
import type { Metrics } from "@appserver/kernel/ports";
import type { HealthChecks } from "../http/health-checks.ts";
import type { Origins } from "../http/origins.ts";
import type { RawHandler, RequestContext } from "../http/request-context.ts";
import type { Authenticate } from "./context.ts";
import { createExecutableSchema, type ServiceResolvers } from "./executable-schema.ts";
import { Executor, type GraphqlLimits } from "./executor.ts";
import { GraphqlOverHttp } from "./graphql-over-http.ts";
import { GraphqlWebSockets } from "./graphql-websockets.ts";
import { healthResolvers } from "./health-resolvers.ts";
import { OperationCounts } from "./operation-counts.ts";

export interface GraphqlListenerOptions {
  readonly schemaSdl: string;
  /** One map a service. Root fields that none resolves answer SERVICE_UNAVAILABLE. `Query.health` is the listener's own. */
  readonly resolvers: readonly ServiceResolvers[];
  readonly authenticate: Authenticate;
  readonly health: HealthChecks;
  readonly origins: Origins;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Who may ask for the schema. Default nobody. */
  readonly introspection?: boolean | ((caller: Caller) => boolean);
  readonly limits?: Partial<GraphqlLimits>;
  /** Of a request's body. Default 1 MiB (design/behaviour "Timeouts and sizes"). */
  readonly maxBodyBytes?: number;
  /** Between WebSocket pings. Default 10 s (specification §8). */
  readonly keepAliveMs?: number;
}

const defaultLimits: GraphqlLimits = { cost: 1000, depth: 15, tokens: 5000, aliases: 100 };

/** The handler of `/graphql`: POST, GET, and WebSockets of both subprotocols (specification §4.2). */
export function createGraphqlListener(options: GraphqlListenerOptions): RawHandler {
  const { authenticate, logger, origins, keepAliveMs = 10_000, maxBodyBytes = 1_048_576 } = options;
  const schema = createExecutableSchema(options.schemaSdl, [healthResolvers(options.health), ...options.resolvers]);
  const counts = new OperationCounts(options.metrics);
  const executor = new Executor(schema, { ...defaultLimits, ...options.limits }, logger, counts);
  const allowed = options.introspection ?? false;
  const introspection = typeof allowed === "function" ? allowed : (): boolean => allowed;
  const http = new GraphqlOverHttp({ executor, authenticate, introspection, logger, maxBodyBytes });
  const sockets = new GraphqlWebSockets({ executor, authenticate, introspection, logger, origins, keepAliveMs });
  options.metrics.observe(metricCatalogue.websocketsOpen, () => [{ labels: { route: "/graphql" }, value: sockets.open }]);
  return {
    handle: (request, response, context) =>
      runInTrace(traceOf(request, context), () => http.handle(request, response, context)),
    handleUpgrade: (request, socket, head, context) => sockets.handleUpgrade(request, socket, head, context),
    drain: () => sockets.drain(),
  };
}

/** Events that the request causes carry it, also where no spans are recorded. */
function traceOf({ headers: { traceparent } }: IncomingMessage, context: RequestContext): string {
  if (context.traceparent !== undefined) return context.traceparent;
  return typeof traceparent === "string" && parseTraceparent(traceparent) ? traceparent : newTraceparent();
}
