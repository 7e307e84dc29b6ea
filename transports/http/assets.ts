import { AppError, andThen, HeaderBlock, type OutboundResponse, type RequestHead, requireInputTexts } from "@appserver/kernel";
import type { AssetResponse, Ui } from "@appserver/ui";
import type { DirectRoute } from "./direct-requests.ts";
import { HttpStatusError, listOf } from "./error-response.ts";
import { noSuchRoute } from "./no-such-route.ts";
import { isRead } from "./read-only.ts";
import type { RequestHandler } from "./request-context.ts";
import { securityHeaders } from "./security-headers.ts";

type Assets = Pick<Ui["http"], "handle">;
type AppRef = Parameters<Assets["handle"]>[1];

/** The paths of assets, as patterns for Fastify and for metrics. */
const byName = "/apps/:appName/assets/*";
const ofRelease = "/apps/:appName/versions/:digest/*";
const byId = "/assets/:appId/*";

export const assetPatterns: readonly string[] = [byName, ofRelease, byId];

const assetPath = /^\/(?:apps\/([^/?]+)\/(?:assets|versions\/([^/?]+))|assets\/([^/?]+))\/([^?]*)/;
const origin = /^https?:\/\/[^/?]*/i;

/** Returns what finds the route of a target. Undefined if the target is none of an asset. */
export function assetRoutes(ui: () => Assets): (target: string) => DirectRoute | undefined {
  const handler = assetHandler(ui);
  const routeOf = (route: string): DirectRoute => ({ route, handler: () => handler, ownLog: false, isForApp: true });
  const [named, released, identified] = [routeOf(byName), routeOf(ofRelease), routeOf(byId)];
  return (target) => {
    if (!target.startsWith("/a")) return undefined;
    const found = assetPath.exec(target);
    if (!found) return undefined;
    if (found[3] !== undefined) return identified;
    return found[2] === undefined ? named : released;
  };
}

/** Returns the handler of all assets. Other methods than GET and HEAD get a 405 response with `Allow`. */
export function assetHandler(ui: () => Assets): RequestHandler {
  return {
    handle: (request, response, { requestId }) => {
      if (!isRead(request, response, { ...securityHeaders, "x-request-id": requestId })) return undefined;
      const { app, assetName } = assetOf(request.target);
      return andThen(ui().handle(request, app, assetName), (asset) => write(asset, request, response, requestId));
    },
  };
}

function write({ status, headers, length, body }: AssetResponse, request: RequestHead, response: OutboundResponse, id: string) {
  const shared = headerBlock(headers, request, response);
  const own = length === undefined ? ["x-request-id", id] : ["content-length", String(length), "x-request-id", id];
  response.writeHead(status, own, shared);
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Returns the asset of a target, decoded. Throws NOT_FOUND, or 400 if it cannot be decoded. */
function assetOf(target: string): { readonly app: AppRef; readonly assetName: string } {
  const [, ...parts] = assetPath.exec(target.replace(origin, "")) ?? [];
  if (parts.length === 0) throw noSuchRoute();
  const [name, digest, id = "", assetName = ""] = parts.map((part) => part && decoded(part));
  requireInputTexts({ name, digest, id, assetName }, { name: "path" });
  if (name === undefined) return { app: { id }, assetName };
  return { app: digest === undefined ? { name } : { name, manifestDigest: digest }, assetName };
}

function decoded(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpStatusError(400, new AppError("INVALID_REQUEST", "the request is malformed"));
  }
}

/** For requests of no page of another origin, by the headers of the asset. */
const usualBlocks = new WeakMap<AssetResponse["headers"], HeaderBlock>();

/** Returns the headers of every response with these headers of an asset. */
function headerBlock(headers: AssetResponse["headers"], request: RequestHead, response: OutboundResponse): HeaderBlock {
  // Caches must distinguish pages of other origins, too.
  const isOfPage = request.header("origin") !== undefined;
  const known = isOfPage ? undefined : usualBlocks.get(headers);
  if (known) return known;
  const list = listOf({
    ...securityHeaders,
    ...headers,
    vary: isOfPage ? `${headers["vary"]}, Origin` : String(headers["vary"]),
    // A page in a frame without an origin loads its files as one of another origin does. They are public.
    ...(response.hasHeader("access-control-allow-origin") ? {} : { "access-control-allow-origin": "*" }),
  });
  const block = new HeaderBlock(list);
  if (!isOfPage) usualBlocks.set(headers, block);
  return block;
}
