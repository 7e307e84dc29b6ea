import type { ExchangeResult } from "@appserver/access";
import {
  type ExchangedTokenResponse,
  type TokenErrorResponse,
  tokenExchangeGrant,
  tokenExchangePath,
  tokenTypes,
} from "@appserver/contracts/command-line";
import { clientNetwork, expectedError, isAppError, type Logger, messageOf } from "@appserver/kernel";
import type { Cache } from "@appserver/kernel/ports";
import type { FastifyReply, FastifyRequest } from "fastify";
import { SharedEntries } from "./device/shared-entries.ts";
import { logUnexpected } from "./error-response.ts";
import { NodeRequest } from "./node-request.ts";
import type { Route } from "./route.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** Exchanges the OpenID token of a pipeline. */
export type TokenExchange = (subjectToken: string) => Promise<ExchangeResult>;

/** A token of 16 KiB with the other fields. */
const bodyLimit = 20_480;
/** Requests of one network and of all, good and bad. Runners of pipelines share networks. */
const networkWindows = [{ limit: 120, windowMs: 60_000 }];
const totalWindows = [{ limit: 1_200, windowMs: 60_000 }];
const known: ReadonlySet<string> = new Set(["grant_type", "subject_token", "subject_token_type", "requested_token_type"]);

/** Limits the exchanges of strangers over all replicas. */
export function limitedExchange(exchange: TokenExchange, cache: Cache): LimitedExchange {
  const entries = new SharedEntries(cache, "token-exchange:");
  return async (readToken, address) => {
    const message = "too many tokens are exchanged: wait, then try again";
    await entries.requireWithin(`network:${clientNetwork(address)}`, networkWindows, message);
    await entries.requireWithin("all", totalWindows, message);
    return await exchange(readToken());
  };
}

export type LimitedExchange = (readToken: () => string, address: string) => Promise<ExchangeResult>;

/** Returns the token endpoint (RFC 8693). Its errors have the form of RFC 6749 section 5.2. */
export function tokenEndpoint(exchange: () => LimitedExchange, proxies: TrustedProxies, logger: Logger): Route {
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { remoteAddress } = proxies.clientOf(new NodeRequest(request.raw));
    reply.header("cache-control", "no-store").header("pragma", "no-cache");
    const { status, retryAfter, ...body } = await responseTo(request, remoteAddress);
    if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
    return reply.code(status).send(body);
  };
  const responseTo = async (request: FastifyRequest, address: string): Promise<TokenReply> => {
    try {
      const { token, expiresInSeconds } = await exchange()(() => subjectTokenOf(request), address);
      return {
        status: 200,
        access_token: token,
        issued_token_type: tokenTypes.accessToken,
        token_type: "Bearer",
        expires_in: expiresInSeconds,
      };
    } catch (error) {
      const problem = errorOf(error);
      if (problem.status === 500) logUnexpected(logger, error, request.id);
      return problem;
    }
  };
  return { url: tokenExchangePath, bodyLimit, methods: { POST: handle } };
}

class TokenRequestError extends Error {
  readonly error: TokenErrorResponse["error"];

  constructor(error: TokenErrorResponse["error"], message: string) {
    super(message);
    this.error = error;
  }
}

/** Throws {@link TokenRequestError}. */
function subjectTokenOf({ body, raw }: FastifyRequest): string {
  // Addresses are logged.
  if (raw.url?.includes("?"))
    throw new TokenRequestError("invalid_request", "send everything in the body: an address must not have a token");
  if (!(body instanceof URLSearchParams))
    throw new TokenRequestError("invalid_request", "send a form: application/x-www-form-urlencoded");
  const field = (name: string): string => {
    const [value, another] = body.getAll(name);
    if (value && another === undefined) return value;
    throw new TokenRequestError("invalid_request", `${name} must be there once`);
  };
  if (field("grant_type") !== tokenExchangeGrant)
    throw new TokenRequestError("unsupported_grant_type", `grant_type must be ${tokenExchangeGrant}`);
  if (body.has("scope"))
    throw new TokenRequestError("invalid_scope", "scope must be absent: the trust decides what the token allows");
  const other = [...body.keys()].find((name) => !known.has(name));
  if (other !== undefined)
    throw new TokenRequestError("invalid_request", `${other.slice(0, 64).replace(/[^\w.-]/g, "?")} is not supported here`);
  const type = field("subject_token_type");
  if (type !== tokenTypes.idToken && type !== tokenTypes.jwt)
    throw new TokenRequestError("invalid_request", `subject_token_type must be ${tokenTypes.idToken} or ${tokenTypes.jwt}`);
  if (body.has("requested_token_type") && field("requested_token_type") !== tokenTypes.accessToken)
    throw new TokenRequestError("invalid_request", `requested_token_type must be ${tokenTypes.accessToken}`);
  return field("subject_token");
}

interface Head {
  readonly status: number;
  readonly retryAfter?: number;
}

type TokenReply = Head & (ExchangedTokenResponse | TokenErrorResponse);

function errorOf(thrown: unknown): Head & TokenErrorResponse {
  const error = expectedError(thrown) ?? thrown;
  const error_description = messageOf(error);
  if (error instanceof TokenRequestError) return { status: 400, error: error.error, error_description };
  if (isAppError(error, "RATE_LIMIT_EXCEEDED"))
    return { status: 429, error: "slow_down", error_description, retryAfter: Number(error.details["retry_after"] ?? 60) };
  if (isAppError(error, "INVALID_REQUEST")) return { status: 400, error: "invalid_request", error_description };
  if (isAppError(error, "AUTHENTICATION_FAILED")) return { status: 400, error: "invalid_grant", error_description };
  if (isAppError(error, "SERVICE_UNAVAILABLE"))
    return { status: 503, error: "temporarily_unavailable", error_description, retryAfter: 5 };
  return { status: 500, error: "server_error", error_description: "an unexpected error happened; the log has it" };
}
