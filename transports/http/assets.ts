import type { IncomingMessage, ServerResponse } from "node:http";
import type { AssetResponse, Ui } from "@appserver/ui";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { DirectRoute } from "./direct-requests.ts";
import type { RawHandler } from "./request-context.ts";
import type { Route } from "./route.ts";
import { securityHeaders } from "./security-headers.ts";

type Assets = Pick<Ui["http"], "handle">;

const byName = "/apps/:appName/assets/*";
const ofRelease = "/apps/:appName/versions/:digest/*";

/** Paths that Fastify would pass on unchanged: nothing to decode, no segment that begins with a dot. */
const plain =
  /^\/apps\/([a-z0-9][a-z0-9._-]*)\/(?:assets|versions\/([A-Za-z0-9]+))\/((?:[\w~@+-][\w.~@+-]*\/)*[\w~@+-][\w.~@+-]*)(?:\?|$)/;

/**
 * Returns what handles most requests for assets, past Fastify. It takes GET and HEAD of plain paths; all others take the way of
 * {@link assetRoutes}, with the same result.
 */
export function directAssets(ui: () => Assets): (request: IncomingMessage) => DirectRoute | undefined {
  const handler: RawHandler = {
    handle: async (request, response, { requestId }) => {
      const [, name = "", manifestDigest, assetName = ""] = plain.exec(request.url ?? "") ?? [];
      const app = manifestDigest === undefined ? { name } : { name, manifestDigest };
      const asset = await ui().handle(request, app, assetName);
      const headers = { ...securityHeaders, "x-request-id": requestId, ...headersOf(asset, request, response) };
      response.writeHead(asset.status, headers);
      response.end(request.method === "HEAD" ? undefined : asset.body);
    },
  };
  const directRoute = (route: string): DirectRoute => ({ route, handler: () => handler, ownLog: false, isForApp: true });
  const [named, released] = [directRoute(byName), directRoute(ofRelease)];
  return ({ method, url = "" }) => {
    if ((method !== "GET" && method !== "HEAD") || !url.startsWith("/apps/")) return undefined;
    const found = plain.exec(url);
    return found ? (found[2] === undefined ? named : released) : undefined;
  };
}

/** Returns the routes of all assets. */
export function assetRoutes(ui: () => Assets): readonly Route[] {
  const GET = (request: FastifyRequest, reply: FastifyReply) => sendAsset(ui, request, reply);
  return [byName, ofRelease, "/assets/:appId/*"].map((url) => ({ url, methods: { GET } }));
}

interface AssetParams {
  readonly appName?: string;
  readonly appId?: string;
  readonly digest?: string;
  readonly "*"?: string;
}

async function sendAsset(ui: () => Assets, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { appName, appId = "", digest, "*": assetName = "" } = request.params as AssetParams;
  const release = digest === undefined ? {} : { manifestDigest: digest };
  const app = appName === undefined ? { id: appId } : { name: appName, ...release };
  const asset = await ui().handle(request.raw, app, assetName);
  return reply
    .code(asset.status)
    .headers(headersOf(asset, request.raw, reply.raw))
    .send(asset.body);
}

function headersOf({ headers }: AssetResponse, request: IncomingMessage, response: ServerResponse): Record<string, string> {
  return {
    ...headers,
    // Caches must distinguish pages of other origins, too.
    vary: request.headers.origin === undefined ? String(headers["vary"]) : `${headers["vary"]}, Origin`,
    // A page in a frame without an origin loads its files as one of another origin does. They are public.
    ...(response.hasHeader("access-control-allow-origin") ? {} : { "access-control-allow-origin": "*" }),
  };
}
