import type { FastifyReply, FastifyRequest } from "fastify";
import { pagePolicy } from "./plain-page.ts";

/** One path of the listener. Other methods than its own get a 405 response with `Allow`. */
export interface Route {
  readonly url: string;
  readonly methods: Readonly<Partial<Record<"GET" | "POST", RouteHandler>>>;
  /** Maximum size of a body, in bytes. Default: that of the listener (docs/interface/limits.md#bodies). */
  readonly bodyLimit?: number;
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * Sends a page that can only show the styles of the platform and post its own forms. With `no-referrer`, browsers would send its forms with
 * `Origin: null`, and one that does not send `Sec-Fetch-Site` would be refused as a page of another site.
 *
 * @param formTarget - Where the response to a form may lead, in addition to the platform.
 */
export function sendPage(reply: FastifyReply, html: string, formTarget?: string): FastifyReply {
  return reply
    .header("content-security-policy", pagePolicy(formTarget === undefined ? "'self'" : `'self' ${formTarget}`))
    .header("referrer-policy", "same-origin")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}
