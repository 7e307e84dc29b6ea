import type { IncomingMessage, ServerResponse } from "node:http";
import { errorPage, wantsPage } from "./error-page.ts";
import type { PagePaths, UnservedPage } from "./listener-handlers.ts";
import { noSuchRoute } from "./no-such-route.ts";
import { NodeRequest } from "./node-request.ts";
import type { RawHandler } from "./request-context.ts";

/** Seconds after which the page of an app that starts is loaded again. */
const startingRefresh = 2;

/**
 * Returns a handler that shows the pages of apps with the scripts of a site. For an app that is not served yet, a browser gets a page
 * that says so, without the name of the app unless the user may read its logs. Other clients get NOT_FOUND.
 */
export function appPages(pages: PagePaths, site: RawHandler): RawHandler {
  return {
    handle: (request, response, context) => {
      const [path = ""] = (request.url ?? "").split("?", 1);
      if (pages.covers(path)) return site.handle(request, response, context);
      const unserved = wantsPage(new NodeRequest(request)) ? pages.unserved(path) : undefined;
      if (!unserved) throw noSuchRoute();
      return sendUnserved(pages, unserved, request, response);
    },
  };
}

async function sendUnserved(
  pages: PagePaths,
  { appName, state }: UnservedPage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isStarting = state === "starting";
  const retryAfter = isStarting ? startingRefresh : undefined;
  const links = (await pages.mayReadLogs(request))
    ? `<a href="/console/apps/${encodeURIComponent(appName)}/logs">Logs of the app</a>`
    : "";
  const { headers, html } = errorPage({ status: 503, reason: `app_${state}`, retryAfter, links });
  response.writeHead(503, {
    ...headers,
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    "content-length": Buffer.byteLength(html),
  });
  response.end(request.method === "HEAD" ? undefined : html);
}
