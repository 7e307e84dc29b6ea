import type { OutboundResponse, RequestHead } from "@appserver/kernel";
import { hostOf } from "./origins.ts";

/** Headers of every response that a listener writes itself. */
export const securityHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
} as const;

/** A year. Without subdomains, which may belong to other servers. */
const strictTransport = "max-age=31536000";
/** Browsers would refuse every other server of the machine that has no TLS. */
const localHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Tells browsers to use only TLS from now on (RFC 6797). For responses that the listener's own TLS protects. */
export function requireTransport(request: RequestHead, response: OutboundResponse): void {
  if (!localHost.test(hostOf(request) ?? "")) response.setHeader("strict-transport-security", strictTransport);
}
