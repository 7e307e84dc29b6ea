import type { IncomingMessage, ServerResponse } from "node:http";
import { signatureHeaders } from "@appserver/contracts/signature";
import { AppError } from "@appserver/kernel";
import { cors } from "@connectrpc/connect";
import { NodeRequest } from "../http/node-request.ts";
import type { Origins } from "../http/origins.ts";
import { hostOf, requireOneHost } from "../http/origins.ts";

export interface BrowserRules {
  readonly origins: Origins;
  /** Host names, without port, that calls may use. Undefined allows all. Protects against DNS rebinding. */
  readonly allowedHosts: ReadonlySet<string> | undefined;
}

const allowedHeaders = [...cors.allowedHeaders, "Authorization", "X-Request-ID", ...Object.values(signatureHeaders)].join(", ");
const exposedHeaders = [...cors.exposedHeaders, "X-Request-ID"].join(", ");

/**
 * Applies the rules for calls from pages in browsers, by gRPC-Web or Connect. Returns true if it has sent the response, as for
 * a preflight. Cookies are ignored on this port, so credentials are never allowed. Throws PERMISSION_DENIED for pages of other
 * origins, and INVALID_REQUEST for a host name that is not this server's.
 */
export function answerBrowser(request: IncomingMessage, response: ServerResponse, rules: BrowserRules): boolean {
  const head = new NodeRequest(request);
  requireOneHost(head);
  const host = hostOf(head)?.replace(/:\d+$/, "") ?? "";
  if (rules.allowedHosts && !rules.allowedHosts.has(host)) {
    throw new AppError("INVALID_REQUEST", "the Host header is not an address of this server");
  }
  const { origin } = request.headers;
  if (origin === undefined) return false;
  response.setHeader("vary", "Origin");
  if (!rules.origins.admits(head)) {
    throw new AppError("PERMISSION_DENIED", "this origin is not allowed", { details: { origin } });
  }
  if (rules.origins.isAllowed(origin)) response.setHeader("access-control-allow-origin", origin);
  if (request.method === "OPTIONS") return answerPreflight(response);
  response.setHeader("access-control-expose-headers", exposedHeaders);
  return false;
}

function answerPreflight(response: ServerResponse): boolean {
  response.setHeader("access-control-allow-methods", cors.allowedMethods.join(", "));
  response.setHeader("access-control-allow-headers", allowedHeaders);
  response.setHeader("access-control-max-age", "600");
  response.writeHead(204).end();
  return true;
}
