import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { pipeline } from "node:stream/promises";
import { AppError, type BufferBudget, clientNetwork, type RequestContext } from "@appserver/kernel";
import type { Cache, SelfService, SelfServiceRequest, SelfServiceResponse } from "@appserver/kernel/ports";
import { clientOrigin } from "./client-origin.ts";
import { HttpStatusError } from "./error-response.ts";
import { leasedBody } from "./leased-body.ts";
import { NodeRequest } from "./node-request.ts";
import type { RawHandler } from "./request-context.ts";

export interface SelfServiceOptions {
  readonly upstream: SelfService;
  /** Counts the requests of a client, over all replicas. */
  readonly cache: Pick<Cache, "slidingWindow">;
  readonly budget: BufferBudget;
  /** The session cookie. The provider gets it and its own ones, and no other. */
  readonly sessionCookieName: string;
}

/** Names without `.` as their first character. Nothing is decoded here or later, so a target cannot leave this path. */
const validTarget = /^\/self-service(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+(?:\?[!$-;=?-Z_a-z~%]*)?$/;
const maxTargetLength = 8_192;
const maxBodyBytes = 65_536;
/** Requests in progress in this process. */
const maxRequests = 64;

/** Other requests of a client: each begun flow is a row in the provider's database. */
const flowWindows = [{ limit: 300, windowMs: 60_000 }];
/** Attempts of a client to sign in, with a password or a code. */
const attemptWindows = [
  { limit: 30, windowMs: 60_000 },
  { limit: 300, windowMs: 3_600_000 },
];

const requestHeaders = [
  "accept",
  "accept-language",
  "content-type",
  "origin",
  "referer",
  "user-agent",
  "x-csrf-token",
  "x-session-token",
] as const;
const responseHeaders = ["content-length", "content-type", "location", "retry-after", "set-cookie"] as const;

/** For every response: it is data or a redirect, never a page. */
const ownHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/**
 * Returns the handler of `/self-service/*`, which passes requests of browsers on to the identity provider
 * (docs/interface/console.md#self-service).
 */
export function selfServiceHandler(options: SelfServiceOptions): RawHandler {
  const { cache, budget, sessionCookieName, upstream } = options;
  const send = withLimit(upstream);
  const cookies = [`${sessionCookieName}=`, ...upstream.cookiePrefixes];
  return {
    handle: async (request, response, context) => {
      const target = checked(request);
      await countRequest(cache, target.method, context);
      const headers = headersOf(request, cookies, context);
      const body = leasedBody(new NodeRequest(request), maxBodyBytes, budget.lease(context.remoteAddress));
      try {
        await send({ ...target, headers, ...(target.method === "POST" && { body: await body.read() }) }, async (answer) => {
          response.writeHead(answer.status, { ...ownHeaders, "x-request-id": context.requestId, ...passedBack(answer) });
          // The client may leave before the end. That is no failure.
          await pipeline(answer.body, response).catch(() => response.destroy());
        });
      } finally {
        body.release();
      }
    },
  };
}

/** Returns a function that sends requests and waits for `use`, with a limit of those in progress. */
function withLimit(upstream: SelfService) {
  let active = 0;
  return async (request: SelfServiceRequest, use: (answer: SelfServiceResponse) => Promise<void>): Promise<void> => {
    if (active >= maxRequests) throw tooMany("the server has too many requests to the identity provider", 1);
    active += 1;
    try {
      await use(await upstream.send(request));
    } finally {
      active -= 1;
    }
  };
}

type Target = Pick<SelfServiceRequest, "method" | "target">;

function checked({ method, url = "" }: IncomingMessage): Target {
  if (url.length > maxTargetLength || !validTarget.test(url)) throw new AppError("NOT_FOUND", "no route has this path");
  if (method === "GET" || method === "HEAD" || method === "POST") return { method, target: url };
  throw new HttpStatusError(405, new AppError("INVALID_REQUEST", "use GET, HEAD or POST here"), { allow: "GET, HEAD, POST" });
}

async function countRequest(
  cache: SelfServiceOptions["cache"],
  method: string,
  { remoteAddress }: RequestContext,
): Promise<void> {
  const isAttempt = method === "POST";
  const key = `self-service:${isAttempt ? "attempts" : "flows"}:${clientNetwork(remoteAddress)}`;
  const outcome = await cache.slidingWindow(key, isAttempt ? attemptWindows : flowWindows);
  if (!outcome.allowed) throw tooMany("too many attempts from this address", Math.ceil(outcome.resetMs / 1_000));
}

function tooMany(message: string, retryAfter: number): AppError {
  return new AppError("RATE_LIMIT_EXCEEDED", message, { details: { retry_after: Math.max(1, retryAfter) } });
}

/** The headers are those of a list, whatever `Connection` names. The platform's own come last. */
function headersOf(request: IncomingMessage, prefixes: readonly string[], context: RequestContext): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of requestHeaders) {
    const value = request.headers[name];
    if (typeof value === "string") kept[name] = value;
  }
  const cookie = cookiesOf(request.headers.cookie ?? "", prefixes);
  const { protocol, host } = clientOrigin(new NodeRequest(request), context);
  return {
    ...kept,
    ...(cookie !== "" && { cookie }),
    "x-forwarded-for": context.remoteAddress,
    "x-forwarded-proto": protocol,
    "x-forwarded-host": host,
    "x-request-id": context.requestId,
  };
}

function cookiesOf(header: string, prefixes: readonly string[]): string {
  const isPassed = (cookie: string): boolean => prefixes.some((prefix) => cookie.startsWith(prefix));
  return header.split(/; */).filter(isPassed).join("; ");
}

function passedBack({ headers }: SelfServiceResponse): OutgoingHttpHeaders {
  return Object.fromEntries(responseHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}
