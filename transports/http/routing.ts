import { METHODS } from "node:http";
import { AppError, type Logger } from "@appserver/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions, HTTPMethods } from "fastify";
import { HttpStatusError, logUnexpected, writeNodeError } from "./error-response.ts";

/** Routing options of every Fastify instance of the platform. */
export const routing = {
  requestIdHeader: false,
  exposeHeadRoutes: false,
  routerOptions: { maxParamLength: 4096 },
  // Targets that the router cannot parse arrive here without passing the hooks.
  frameworkErrors: (error, request, reply) => {
    reply.hijack();
    writeNodeError(request.raw, reply.raw, error, request.id);
  },
} satisfies FastifyServerOptions;

/** Teaches Fastify the methods that apps may use beyond the common ones. */
export function supportEveryMethod(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
}

/** Maps every error of an instance's routes to a response. */
export function mapErrors(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => {
    logUnexpected(logger, error, request.id);
    // Written below Fastify, like the errors of raw handlers, so that no header remains that the route had set for a success.
    reply.hijack();
    writeNodeError(request.raw, reply.raw, error, request.id);
  });
}

/** Registers the other methods of a path: OPTIONS gets 204, any other method 405 with `message`, both with `Allow`. */
export function refuseOtherMethods(app: FastifyInstance, url: string, methods: readonly string[], message: string): void {
  const allow = allowedMethods(methods);
  const others = app.supportedMethods.filter((method) => !methods.includes(method) && method !== "OPTIONS");
  addUnread(app, others, url, () => {
    throw new HttpStatusError(405, new AppError("INVALID_REQUEST", message), { allow });
  });
  addUnread(app, ["OPTIONS"], url, (reply) => reply.header("allow", allow).code(204).send());
}

/** Refuses every path that no other route has, with NOT_FOUND and this message. */
export function refuseOtherPaths(app: FastifyInstance, message: string): void {
  addUnread(app, app.supportedMethods, "/*", () => {
    throw new AppError("NOT_FOUND", message);
  });
}

/** Registers a route that responds before Fastify parses the body, because it does not need the body. */
function addUnread(
  app: FastifyInstance,
  methods: readonly string[],
  url: string,
  answer: (reply: FastifyReply) => FastifyReply,
) {
  const onRequest = async (_request: FastifyRequest, reply: FastifyReply) => answer(reply);
  app.route({ method: methods as HTTPMethods[], url, onRequest, handler: () => {} });
}

/** Returns the value of `Allow` for a path with these methods. */
export function allowedMethods(methods: readonly string[]): string {
  return [...methods, "OPTIONS"].join(", ");
}
