import type { IncomingMessage } from "node:http";
import type { BufferBudget, Caller, Logger, RestCall, RestReply, RestRoute } from "@appserver/kernel";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Authenticate } from "../graphql/context.ts";
import { HttpStatusError } from "../http/error-response.ts";
import { requireJson } from "../http/json-body.ts";
import { type RawHandler, type RequestContext, traceOf } from "../http/request-context.ts";
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
import { type ReceivedCall, receiveCall } from "./receive-call.ts";

export interface RestListenerOptions {
  readonly routes: readonly RestRoute[];
  readonly authenticate: Authenticate;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Budget of buffered bodies, shared by all transports. */
  readonly budget: BufferBudget;
  readonly logger: Logger;
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
  // The body was read when the caller was authenticated, because signatures cover it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, _payload, done) => done(null, request.received?.body));
  for (const route of options.routes) addRestRoute(app, route, options, contextOf);
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
  };
}

function addRestRoute(
  app: FastifyInstance,
  { method, url, schema, handle }: RestRoute,
  options: RestListenerOptions,
  contextOf: (request: IncomingMessage) => RequestContext,
): void {
  const hasBody = method === "PUT" || method === "POST";
  app.route({
    method: method === "GET" ? ["GET", "HEAD"] : method,
    url: withoutEmptySegments(url),
    schema,
    onRequest: async ({ headers }) => {
      if (hasBody) requireJson(headers["content-type"]);
    },
    preParsing: async (request) => {
      request.received = await receiveCall(request.raw, contextOf(request.raw), { ...options, hasBody });
    },
    handler: async (request, reply) => {
      if (!request.received) throw new Error("a REST request was not received");
      const traceparent = traceOf(request.raw, contextOf(request.raw));
      const call = new InboundRestCall(request, request.received.caller, traceparent);
      reply.raw.once("close", () => call.end());
      return send(reply, await handle(call));
    },
  });
}

/** A call with the request's parameters and body. */
class InboundRestCall extends InboundCall implements RestCall {
  readonly params: unknown;
  readonly body: unknown;
  readonly #headers: FastifyRequest["headers"];

  constructor({ id, params, body, headers }: FastifyRequest, caller: Caller, traceparent: string | undefined) {
    super(caller, id, traceparent);
    this.params = params;
    this.body = body;
    this.#headers = headers;
  }

  header(name: string): string | undefined {
    return textOf(this.#headers[name]);
  }
}

/** Fastify's `:name` matches an empty segment, too. */
function withoutEmptySegments(url: string): string {
  return url.replace(/:\w+/g, "$&(^.+$)");
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}

function send(reply: FastifyReply, { status, headers = {}, json, error }: RestReply): FastifyReply {
  if (error) throw new HttpStatusError(status, error, headers);
  const { vary, ...others } = headers;
  // Keeps the `Vary` values that CORS has set.
  if (vary !== undefined) reply.raw.setHeader("vary", [reply.raw.getHeader("vary"), vary].filter(Boolean).join(", "));
  return reply.code(status).headers(others).send(json);
}
