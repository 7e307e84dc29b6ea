import type { DirectRoute } from "./direct-requests.ts";
import { listOf } from "./error-response.ts";
import type { HealthChecks } from "./health-checks.ts";
import { isRead } from "./read-only.ts";
import type { RequestHandler } from "./request-context.ts";
import { securityHeaders } from "./security-headers.ts";

export const livenessPaths: readonly string[] = ["/health", "/health/live"];

/** Returns the routes that say that the process runs (docs/interface/operations.md#health), by their path. */
export function livenessRoutes(handler: RequestHandler): ReadonlyMap<string, DirectRoute> {
  const routeOf = (route: string): DirectRoute => ({ route, handler: () => handler, ownLog: false, isForApp: false });
  return new Map(livenessPaths.map((path) => [path, routeOf(path)]));
}

export function livenessHandler(health: Pick<HealthChecks, "uptimeSeconds">): RequestHandler {
  return {
    handle: (request, response, { requestId }) => {
      const own = { "x-request-id": requestId, ...securityHeaders };
      if (!isRead(request, response, own)) return;
      const body = JSON.stringify({ status: "ok", uptime: health.uptimeSeconds });
      const type = { "content-type": "application/json; charset=utf-8", "content-length": String(Buffer.byteLength(body)) };
      response.writeHead(200, listOf({ ...own, ...type }));
      response.end(request.method === "HEAD" ? undefined : body);
    },
  };
}
