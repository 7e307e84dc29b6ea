import { type Logger, type RequestContext, singleFlight } from "@appserver/kernel";
import type { Exposition } from "@appserver/kernel/ports";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { consentRoutes } from "./agents/consent-routes.ts";
import { brandingRoutes } from "./branding/branding-routes.ts";
import { commandLineDoneRoute, commandLineRoute } from "./command-line.ts";
import { devLoginRoutes } from "./dev-login.ts";
import { devPlatformRoutes } from "./dev-platform.ts";
import { deviceEndpoints } from "./device/device-endpoints.ts";
import { devicePageRoute } from "./device/device-page.ts";
import { logUnexpected, writeNodeError } from "./error-response.ts";
import type { HealthChecks } from "./health-checks.ts";
import { jsonSchemaRoutes } from "./json-schemas.ts";
import type { ListenerHandlers, ServiceHandlers } from "./listener-handlers.ts";
import { MetricsAccess } from "./metrics-access.ts";
import { NodeRequest } from "./node-request.ts";
import { NodeResponse } from "./node-response.ts";
import type { RawHandler, RequestHandler } from "./request-context.ts";
import { rootPage } from "./root-page.ts";
import { type Route, sendPage } from "./route.ts";
import { refuseOtherMethods } from "./routing.ts";
import { type SessionEnd, signInRoutes } from "./sign-in.ts";
import { tokenEndpoint } from "./token-endpoint.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** Handlers that need services, once these run. Undefined if the listener does not serve their paths. */
export interface LateHandlers {
  readonly browserSession: (() => ServiceHandlers["browserSession"]) | undefined;
  readonly deviceLogins: (() => ServiceHandlers["deviceLogins"]) | undefined;
  readonly agentSignIn: (() => ServiceHandlers["agentSignIn"]) | undefined;
  readonly tokenExchange: (() => ServiceHandlers["tokenExchange"]) | undefined;
  readonly sessionEnd: SessionEnd;
}

interface ServedRoutes extends ListenerHandlers {
  /** The origin that browsers use, if the operator has configured it. */
  readonly publicOrigin?: string | undefined;
  readonly logger: Logger;
}

/** Returns every path that the listener serves itself. */
export function routesOf(
  { health, devLogin, devPlatform, signIn, scrape, metricsAccess, branding, sites = [], publicOrigin, logger }: ServedRoutes,
  proxies: TrustedProxies,
  { browserSession, deviceLogins, agentSignIn, tokenExchange, sessionEnd }: LateHandlers,
): readonly Route[] {
  const page = rootPage({ devLogin: devLogin !== undefined, sites });
  return [
    ...(sites.some(({ isShell }) => isShell)
      ? []
      : [{ url: "/", methods: { GET: (_request: FastifyRequest, reply: FastifyReply) => sendPage(reply, page) } }]),
    { url: "/ready", methods: { GET: (_request, reply) => readiness(health, reply) } },
    { url: "/health/ready", methods: { GET: (_request, reply) => readiness(health, reply) } },
    ...jsonSchemaRoutes(),
    ...(branding ? brandingRoutes(branding) : []),
    ...(scrape && metricsAccess ? [metricsRoute(scrape, new MetricsAccess(metricsAccess, proxies))] : []),
    ...(signIn ? signInRoutes(signIn, proxies, sessionEnd) : []),
    ...(signIn && browserSession ? [commandLineRoute(browserSession), commandLineDoneRoute] : []),
    ...(signIn && browserSession && deviceLogins
      ? [devicePageRoute(browserSession, deviceLogins), ...deviceEndpoints(deviceLogins, proxies, publicOrigin)]
      : []),
    ...(signIn && browserSession && agentSignIn
      ? consentRoutes({ sessions: browserSession, signIn: agentSignIn, proxies, publicOrigin })
      : []),
    ...(tokenExchange ? [tokenEndpoint(tokenExchange, proxies, logger)] : []),
    ...(devLogin ? devLoginRoutes(devLogin) : []),
    ...(devPlatform ? devPlatformRoutes(devPlatform) : []),
  ];
}

/** Registers a route. GET includes HEAD, and other methods get a 405 response. */
export function addRoute(app: FastifyInstance, route: Route): void {
  for (const [method, handler] of Object.entries(route.methods)) {
    const { url, bodyLimit } = route;
    const limit = bodyLimit === undefined ? {} : { bodyLimit };
    app.route({ method: (method === "GET" ? ["GET", "HEAD"] : method) as HTTPMethods[], url, ...limit, handler });
  }
  const methods = Object.keys(route.methods).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  refuseOtherMethods(app, route.url, methods, `use ${methods.join(" or ")} here`);
}

/** Registers a handler for whole requests of any method. It gets the body unread. */
export function addRawRoute(app: FastifyInstance, url: string, raw: RawRoute): void {
  app.route({
    method: app.supportedMethods as HTTPMethods[],
    url,
    config: { raw: true, ownLog: raw.ownLog },
    // Hijacking here, before parsing begins, leaves the body to the handler.
    onRequest: (request, reply, done) => {
      reply.hijack();
      const fail = (error: unknown): void => {
        logUnexpected(raw.logger, error, request.id);
        writeNodeError(request.raw, reply.raw, error, request.id);
      };
      try {
        raw.handler().handle(request.raw, reply.raw, raw.contextOf(request))?.catch(fail);
      } catch (error) {
        fail(error);
      }
      done();
    },
    handler: () => {},
  });
}

/** Returns a handler of whole requests as one for messages of Node's server. */
export function forNode(handler: RequestHandler): RawHandler {
  return {
    handle: (request, response, context) =>
      handler.handle(new NodeRequest(request), new NodeResponse(request, response, context.awaitsContinue), context),
  };
}

export interface RawRoute {
  /** Called for every request. Throws if the handler is not there yet. */
  readonly handler: () => RawHandler;
  readonly ownLog: boolean;
  readonly logger: Parameters<typeof logUnexpected>[0];
  readonly contextOf: (request: FastifyRequest) => RequestContext;
}

/** Concurrent scrapes share one result, because reading gauges is work for the dependencies. */
function metricsRoute(scrape: () => Promise<Exposition>, access: MetricsAccess): Route {
  const shared = singleFlight(scrape);
  const send = async (reply: FastifyReply): Promise<FastifyReply> => {
    const { contentType, body } = await shared();
    return reply.header("cache-control", "no-store").header("content-type", contentType).send(body);
  };
  const handle = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    access.require(new NodeRequest(request.raw));
    return send(reply);
  };
  return { url: "/metrics", methods: { GET: handle } };
}

async function readiness(health: HealthChecks, reply: FastifyReply): Promise<FastifyReply> {
  const { status, checks } = await health.readiness();
  const byName = Object.fromEntries(checks.map(({ name, ...result }) => [name, result]));
  return reply
    .code(status === "not_ready" ? 503 : 200)
    .header("cache-control", "no-store")
    .send({ status, checks: byName });
}
