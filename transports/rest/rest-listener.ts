import type { IncomingMessage } from "node:http";
import {
  actorOf,
  anonymousCaller,
  type BufferBudget,
  type Caller,
  type Clock,
  type LiveConnections,
  type Logger,
  type RequestContext,
  type RestCall,
  type RestReply,
  type RestRoute,
  requireInputTexts,
  traceIdOf,
} from "@appserver/kernel";
import type { IdempotencyKeys, RequestLog } from "@appserver/kernel/ports";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Authenticate, ReauthenticationOf } from "../graphql/context.ts";
import { HttpStatusError } from "../http/error-response.ts";
import { requireJson } from "../http/json-body.ts";
import type { RawHandler } from "../http/request-context.ts";
import {
  allowedMethods,
  mapErrors,
  refuseOtherMethods,
  refuseOtherPaths,
  routing,
  supportEveryMethod,
} from "../http/routing.ts";
import { InboundCall } from "../inbound-call.ts";
import { checkSchema } from "./check-schema.ts";
import { handleOnce } from "./idempotent-requests.ts";
import { OpenStreams } from "./open-streams.ts";
import { type ReceivedCall, receiveCall } from "./receive-call.ts";

export interface RestListenerOptions {
  readonly routes: readonly RestRoute[];
  readonly authenticate: Authenticate;
  /** Returns the repeated check of a stream's caller. */
  readonly reauthentication: ReauthenticationOf;
  /** Registry for event streams. It checks their callers again. */
  readonly connections: Pick<LiveConnections, "join">;
  readonly idempotencyKeys: IdempotencyKeys;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Budget of buffered bodies, shared by all transports. */
  readonly budget: BufferBudget;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Gets requests that may change something, and those that failed, for traces. */
  readonly requests?: RequestLog;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Caller and body of a REST request. Undefined until they are received. */
    received: ReceivedCall | undefined;
  }
}

/**
 * Serves `/api/v2/*` (docs/interface/rest.md#endpoints). It has a separate Fastify instance: the HTTP listener accepts requests
 * before the services exist, and an instance that accepts requests takes no further routes.
 */
export async function createRestListener(options: RestListenerOptions): Promise<RawHandler> {
  const contexts = new WeakMap<IncomingMessage, RequestContext>();
  const contextOf = (request: IncomingMessage): RequestContext => {
    const context = contexts.get(request);
    if (!context) throw new Error("a REST request has no context");
    return context;
  };
  const app = Fastify({ ...routing, genReqId: (request) => contextOf(request).requestId });
  app.decorateRequest("received", undefined);
  app.setValidatorCompiler(checkSchema);
  supportEveryMethod(app);
  mapErrors(app, options.logger);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff", "x-request-id": request.id });
    done();
  });
  const { requests } = options;
  if (requests) recordRequests(app, requests, contextOf);
  // The body was read when the caller was authenticated, because signatures cover it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, _payload, done) => done(null, request.received?.body));
  const streams = new OpenStreams(options);
  for (const route of options.routes) addRestRoute(app, route, { ...options, streams }, contextOf);
  const byUrl = Map.groupBy(options.routes, ({ url }) => url);
  for (const [url, routes] of byUrl) {
    const methods = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    refuseOtherMethods(app, withoutEmptySegments(url), methods, `use ${allowedMethods(methods)}`);
  }
  refuseOtherPaths(app, "no route has this path");
  await app.ready();
  return {
    handle: (request, response, context) => {
      contexts.set(request, context);
      app.routing(request, response);
    },
    drain: () => streams.drain(),
  };
}

const noParameters = { type: "object", additionalProperties: false };
/** Reading without an error causes nothing, so that no trace needs it. */
function recordRequests(
  app: FastifyInstance,
  requests: RequestLog,
  contextOf: (request: IncomingMessage) => RequestContext,
): void {
  app.addHook("onResponse", ({ id, method, raw, received, routeOptions }, { elapsedTime, statusCode }, done) => {
    if (!safeMethods.has(method) || statusCode >= 400)
      requests.add({
        requestId: id,
        traceId: traceIdOf(contextOf(raw).traceparent),
        method,
        pattern: routeOptions.url?.replaceAll(segmentRule, ""),
        status: statusCode,
        app: undefined,
        caller: actorOf(received?.caller ?? anonymousCaller),
        durationMs: Math.round(elapsedTime * 1_000) / 1_000,
        upstreamMs: undefined,
        reasonId: undefined,
      });
    done();
  });
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function addRestRoute(
  app: FastifyInstance,
  route: RestRoute,
  options: RestListenerOptions & { readonly streams: OpenStreams },
  contextOf: (request: IncomingMessage) => RequestContext,
): void {
  const { method, url, schema } = route;
  const { query: querystring = noParameters, ...others } = schema;
  const bodyOf = (request: IncomingMessage): BodyPresence =>
    schema.body === undefined || (isOptional(schema.body) && !hasBody(request)) ? "none" : "json";
  app.route({
    method: method === "GET" ? ["GET", "HEAD"] : method,
    url: withoutEmptySegments(url),
    schema: { ...others, querystring },
    onRequest: async ({ raw, headers }) => {
      if (bodyOf(raw) === "json") requireJson(headers["content-type"]);
    },
    preParsing: async (request) => {
      const body = bodyOf(request.raw);
      request.received = await receiveCall(request.raw, contextOf(request.raw), { ...options, hasBody: body === "json" });
    },
    preValidation: async (request) => {
      // No check of the body or the path includes it.
      requireInputTexts(request.query, { name: "query" });
      // Fastify does not call a parser for a request without a body.
      if (schema.body !== undefined && request.received?.body === undefined) request.body = {};
    },
    handler: async (request, reply) => {
      if (!request.received) throw new Error("a REST request was not received");
      const { caller, credentials } = request.received;
      const { traceparent } = contextOf(request.raw);
      const call = new InboundRestCall(request, caller, traceparent);
      reply.raw.once("close", () => call.end());
      const answer = await handleOnce(options, route, call);
      if (!answer.events) return send(reply, answer);
      const reauthenticate = options.reauthentication(credentials, caller);
      const check = async (): Promise<void> => {
        await reauthenticate();
        await call.required.requireAgain(caller);
      };
      const begin = (): void => writeEventsHead(reply);
      if (request.method === "HEAD") {
        begin();
        reply.raw.end();
        return;
      }
      await options.streams.send(reply.raw, { events: answer.events, caller, begin, check, end: () => call.end() });
    },
  });
}

type BodyPresence = "none" | "json";

function isOptional({ required = [] }: { readonly required?: readonly string[] }): boolean {
  return required.length === 0;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** A call with the request's parameters and body. */
class InboundRestCall extends InboundCall implements RestCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly target: string;
  readonly body: unknown;
  readonly #headers: FastifyRequest["headers"];

  constructor({ id, params, query, body, headers, raw }: FastifyRequest, caller: Caller, traceparent: string | undefined) {
    super(caller, id, traceparent);
    this.params = params;
    this.query = query;
    this.target = raw.url ?? "";
    this.body = body;
    this.#headers = headers;
  }

  header(name: string): string | undefined {
    return textOf(this.#headers[name]);
  }
}

/** Fastify's `:name` matches an empty segment, too. */
function withoutEmptySegments(url: string): string {
  return url.replace(/:\w+/g, `$&${segmentRule}`);
}

const segmentRule = "(^.+$)";

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}

/** Takes the response from Fastify, which would end it with the handler. */
function writeEventsHead(reply: FastifyReply): void {
  reply.headers({ "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
  reply.hijack();
  reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
}

function send(reply: FastifyReply, { status, headers = {}, json, jsonText, html, error }: RestReply): FastifyReply {
  if (error) throw new HttpStatusError(status, error, headers);
  const { vary, ...others } = headers;
  // Keeps the `Vary` values that CORS has set.
  if (vary !== undefined) reply.raw.setHeader("vary", [reply.raw.getHeader("vary"), vary].filter(Boolean).join(", "));
  reply.code(status).headers(others);
  if (html !== undefined) return reply.type("text/html; charset=utf-8").send(html);
  return jsonText === undefined ? reply.send(json) : reply.type("application/json; charset=utf-8").send(jsonText);
}
