import type { FastifyReply, FastifyRequest } from "fastify";

/** One path of the listener. Other methods than its own get a 405 response with `Allow`. */
export interface Route {
  readonly url: string;
  readonly methods: Readonly<Partial<Record<"GET" | "POST", RouteHandler>>>;
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Sends a page that can only show its own styles and post its own forms. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header("content-security-policy", pagePolicy)
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}

const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
