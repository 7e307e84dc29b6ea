import { AppError, type OutboundResponse, type RequestHead } from "@appserver/kernel";
import { HttpStatusError, listOf } from "./error-response.ts";
import { allowedMethods } from "./routing.ts";

const allow = allowedMethods(["GET", "HEAD"]);

/**
 * Returns whether the request reads something. Otherwise responds to OPTIONS, with these headers and `Allow`, and throws 405 for any
 * other method.
 */
export function isRead(
  { method }: RequestHead,
  response: OutboundResponse,
  headers: Readonly<Record<string, string>>,
): boolean {
  if (method === "GET" || method === "HEAD") return true;
  if (method !== "OPTIONS") {
    throw new HttpStatusError(405, new AppError("INVALID_REQUEST", "use GET or HEAD here"), { allow });
  }
  response.writeHead(204, listOf({ ...headers, allow }));
  response.end();
  return false;
}
