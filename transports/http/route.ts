import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

/** One path of the listener. Other methods than its own get a 405 response with `Allow`. */
export interface Route {
  readonly url: string;
  readonly methods: Readonly<Partial<Record<"GET" | "POST", RouteHandler>>>;
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * Sends a page that can only show its own styles and post its own forms. With `no-referrer`, browsers would send its forms with
 * `Origin: null`, and one that does not send `Sec-Fetch-Site` would be refused as a page of another site.
 *
 * @param formTarget - Where the response to a form may lead, in addition to the platform.
 */
export function sendPage(reply: FastifyReply, html: string, formTarget?: string): FastifyReply {
  return reply
    .header(
      "content-security-policy",
      `${pagePolicy}${formTarget === undefined ? "" : ` ${formTarget}`}; style-src ${stylesOf(html)}`,
    )
    .header("referrer-policy", "same-origin")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}

const pagePolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/** Returns the sources of the page's own `<style>` elements: the hash of each. */
function stylesOf(html: string): string {
  const hashes = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(
    ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  return hashes.length > 0 ? hashes.join(" ") : "'none'";
}
