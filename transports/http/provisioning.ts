import type { IncomingMessage, ServerResponse } from "node:http";
import { scimErrorBody, scimMediaType, scimPrefix } from "@appserver/contracts/scim";
import { AppError, type BufferBudget, clientNetwork, type Logger, type RequestContext } from "@appserver/kernel";
import type { Cache, Provisioning, ProvisioningRequest, ProvisioningResponse } from "@appserver/kernel/ports";
import { clientOrigin } from "./client-origin.ts";
import { classify, HttpStatusError, logUnexpected, retryHeaders } from "./error-response.ts";
import { leasedBody } from "./leased-body.ts";
import { NodeRequest } from "./node-request.ts";
import type { RawHandler } from "./request-context.ts";

export interface ProvisioningOptions {
  readonly upstream: Provisioning;
  /** Counts the refused requests of a client, over all replicas. */
  readonly cache: Pick<Cache, "slidingWindow">;
  readonly budget: BufferBudget;
  readonly logger: Logger;
}

/** Ids of schemas have `:`. Nothing of the path is decoded here or later, so a target cannot leave it. */
const validTarget = /^\/scim\/v2((?:\/[A-Za-z0-9_~:-][A-Za-z0-9._~:-]*)+(?:\?[!-~]*)?)$/;
const notImplemented = /^\/(?:Me|Bulk)(?![^/?])/;
const mediaTypes: ReadonlySet<string> = new Set([scimMediaType, "application/json"]);
const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"] satisfies ProvisioningRequest["method"][];
const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const maxTargetLength = 8_192;
const maxBodyBytes = 65_536;
/** Requests in progress in this process. */
const maxRequests = 32;
/** Requests of a client without the right token. Those with it are never counted. */
const refusedWindows = [
  { limit: 30, windowMs: 60_000 },
  { limit: 300, windowMs: 3_600_000 },
];

const ownHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** Returns the handler of `/scim/v2/*` (docs/interface/accounts.md#scim). All of its errors have the form of RFC 7644 section 3.12. */
export function provisioningHandler({ upstream, cache, budget, logger }: ProvisioningOptions): RawHandler {
  let active = 0;
  const send = async (request: IncomingMessage, context: RequestContext): Promise<ProvisioningResponse> => {
    await authenticate(upstream, cache, request, context);
    const { method, target } = checked(request);
    if (active >= maxRequests) throw tooMany("the server has too many requests to the SCIM service", 1);
    active += 1;
    const inbound = new NodeRequest(request);
    const body = leasedBody(inbound, maxBodyBytes, budget.lease(context.remoteAddress));
    try {
      body.prove();
      const { protocol, host } = clientOrigin(inbound, context);
      const common = { method, target, origin: `${protocol}://${host}`, ifMatch: request.headers["if-match"] };
      return await upstream.send({ ...common, ...(withBody.has(method) && { body: await body.read() }) });
    } finally {
      active -= 1;
      body.release();
    }
  };
  return {
    handle: async (request, response, context) => {
      try {
        write(response, context, await send(request, context));
      } catch (error) {
        logUnexpected(logger, error, context.requestId);
        const { status, headers, error: refusal } = classify(error);
        const body = scimErrorBody(status, refusal.message);
        write(response, context, { status, body }, { ...headers, ...retryHeaders(refusal, status) });
      }
    },
  };
}

/** Cookies and tokens in the target do not count. Throws 401, or 429 for a client that guesses. */
async function authenticate(
  upstream: Pick<Provisioning, "accepts">,
  cache: ProvisioningOptions["cache"],
  { headers }: IncomingMessage,
  { remoteAddress }: RequestContext,
): Promise<void> {
  const [, token] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
  if (token !== undefined && upstream.accepts(token)) return;
  const outcome = await cache.slidingWindow(`provisioning:refused:${clientNetwork(remoteAddress)}`, refusedWindows);
  if (!outcome.allowed) throw tooMany("too many attempts from this address", Math.ceil(outcome.resetMs / 1_000));
  const refusal =
    token === undefined
      ? new AppError("AUTHENTICATION_REQUIRED", "SCIM needs the bearer token of accounts.scim_token")
      : new AppError("AUTHENTICATION_FAILED", "the bearer token is not the one of accounts.scim_token");
  throw new HttpStatusError(401, refusal, { "www-authenticate": 'Bearer realm="scim"' });
}

function checked({ method = "", url = "", headers }: IncomingMessage): Pick<ProvisioningRequest, "method" | "target"> {
  const [, target] = url.length > maxTargetLength ? [] : (validTarget.exec(url) ?? []);
  if (target === undefined) throw new AppError("NOT_FOUND", `no resource has this path below ${scimPrefix}`);
  if (notImplemented.test(target)) throw refuse(501, "/Me and /Bulk are not implemented");
  if (!isMethod(method)) throw refuse(405, `use ${methods.join(", ")} here`, { allow: methods.join(", ") });
  const [type = ""] = (headers["content-type"] ?? "").toLowerCase().split(";");
  if (withBody.has(method) && !mediaTypes.has(type.trim())) throw refuse(415, `send ${scimMediaType}`);
  return { method, target };
}

function isMethod(method: string): method is ProvisioningRequest["method"] {
  return methods.includes(method);
}

function write(
  response: ServerResponse,
  { requestId }: RequestContext,
  { status, body, location, etag }: ProvisioningResponse,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    ...ownHeaders,
    "x-request-id": requestId,
    ...headers,
    ...(text && { "content-type": scimMediaType, "content-length": text.byteLength }),
    ...(location !== undefined && { location }),
    ...(etag !== undefined && { etag }),
  });
  response.end(text);
}

function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): HttpStatusError {
  return new HttpStatusError(status, new AppError("INVALID_REQUEST", message), headers);
}

function tooMany(message: string, retryAfter: number): AppError {
  return new AppError("RATE_LIMIT_EXCEEDED", message, { details: { retry_after: Math.max(1, retryAfter) } });
}
