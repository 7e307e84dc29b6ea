import {
  AppError,
  actorOf,
  anonymousCaller,
  type BufferBudget,
  type Caller,
  type Clock,
  type InboundRequest,
  isAppError,
  type Logger,
  type OutboundResponse,
  type RequestContext,
  type RequestHead,
  runInTrace,
  traceIdOf,
} from "@appserver/kernel";
import type { RequestLog } from "@appserver/kernel/ports";
import { type ExecutionResult, OperationTypeNode } from "graphql";
import { HttpStatusError, listOf } from "../http/error-response.ts";
import { requireJson } from "../http/json-body.ts";
import { type LeasedBody, leasedBody } from "../http/leased-body.ts";
import type { RequestHandler } from "../http/request-context.ts";
import { InboundCall } from "../inbound-call.ts";
import type { Authenticate } from "./context.ts";
import type { Executor, GraphqlRequest } from "./executor.ts";
import { presentRequestError, requestError } from "./graphql-errors.ts";
import { readJsonParameters, readQueryParameters } from "./http-parameters.ts";
import { type Introspection, introspectionRefusal } from "./introspection.ts";
import { graphqlResponse, json, type MediaType, negotiate } from "./negotiate.ts";

export interface GraphqlOverHttpOptions {
  readonly executor: Executor;
  readonly authenticate: Authenticate;
  readonly introspection: Introspection;
  readonly logger: Logger;
  /** Maximum size of a request's body. */
  readonly maxBodyBytes: number;
  /** Budget of buffered bodies. */
  readonly budget: BufferBudget;
  readonly clock: Clock;
  /** Gets mutations, and operations that failed. */
  readonly requests: RequestLog | undefined;
}

/** What a trace shows of a request. */
interface Operated {
  caller: Caller;
  isMutation: boolean;
}

interface Answer {
  readonly status: number;
  readonly result: ExecutionResult;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves queries and mutations over HTTP according to the GraphQL-over-HTTP draft. Subscriptions go over WebSockets. */
export class GraphqlOverHttp {
  readonly #options: GraphqlOverHttpOptions;

  constructor(options: GraphqlOverHttpOptions) {
    this.#options = options;
  }

  /** Handles a request in its trace. */
  readonly handle: RequestHandler["handle"] = (request, response, context) =>
    runInTrace(context.traceparent, () => this.#handle(request, response, context));

  async #handle(request: InboundRequest, response: OutboundResponse, context: RequestContext): Promise<void> {
    const { requestId } = context;
    const startedAt = this.#options.clock.monotonic();
    const operated: Operated = { caller: anonymousCaller, isMutation: false };
    const accepted = negotiate(request.header("accept"));
    let answer: Answer;
    try {
      if (!accepted) throw new HttpStatusError(406, new AppError("INVALID_REQUEST", `accept ${graphqlResponse} or ${json}`));
      answer = await this.#answer(request, response, context, { accepted, operated });
    } catch (error) {
      answer = presentRequestError(error, this.#options.logger, requestId);
    }
    send(response, answer, accepted ?? json, requestId);
    this.#record(request, context, { answer, operated, startedAt });
  }

  /** Reading without an error causes nothing, so that no trace needs it. */
  #record(
    { method }: RequestHead,
    { requestId, traceparent }: RequestContext,
    { answer, operated, startedAt }: { readonly answer: Answer; readonly operated: Operated; readonly startedAt: number },
  ): void {
    const [failure] = answer.result.errors ?? [];
    if (!operated.isMutation && !failure) return;
    this.#options.requests?.add({
      requestId,
      traceId: traceIdOf(traceparent),
      method,
      pattern: "/graphql",
      status: answer.status,
      app: undefined,
      caller: actorOf(operated.caller),
      durationMs: Math.round((this.#options.clock.monotonic() - startedAt) * 1_000) / 1_000,
      upstreamMs: undefined,
      reasonId: failure && String(failure.extensions["code"]),
    });
  }

  async #answer(
    request: InboundRequest,
    response: OutboundResponse,
    { requestId, remoteAddress, traceparent }: RequestContext,
    { accepted, operated }: { readonly accepted: MediaType; readonly operated: Operated },
  ): Promise<Answer> {
    checkForm(request);
    const { budget, maxBodyBytes, executor, introspection } = this.#options;
    const body = leasedBody(request, maxBodyBytes, budget.lease(remoteAddress));
    let caller: Caller;
    let operation: ReturnType<Executor["prepare"]>;
    try {
      const { method, target: url, derived } = request;
      const header = (name: string): string | undefined => request.header(name);
      const readBody = (appName: string) => (method === "POST" ? body.readFor(appName) : new Uint8Array());
      caller = await this.#options.authenticate({ method, url, header, derived, remoteAddress, readBody });
      operated.caller = caller;
      if (caller.kind !== "anonymous") body.prove();
      operation = executor.prepare(await parametersOf(request, body), caller);
    } catch (error) {
      if (!isRefusedCaller(error)) throw error;
      return answerResult({ errors: [requestError(error)] }, accepted);
    } finally {
      body.release();
    }
    if (!("cached" in operation)) return answerResult({ errors: operation }, accepted);
    const refusal = operation.cached.introspects && (await introspectionRefusal(operation, caller, introspection));
    if (refusal) return answerResult({ errors: refusal }, accepted);
    const kind = operation.cached.operation;
    operated.isMutation = kind === OperationTypeNode.MUTATION;
    if (kind === OperationTypeNode.SUBSCRIPTION) {
      const refusal = new AppError("INVALID_REQUEST", "subscribe over a WebSocket to this path");
      return answerResult({ errors: [requestError(refusal)] }, accepted);
    }
    if (operated.isMutation && request.method !== "POST") throw methodNotAllowed("POST");
    const call = new InboundCall(caller, requestId, traceparent);
    response.onClose(() => call.end());
    return answerResult(await executor.run(operation, call), accepted);
  }
}

/** Checks method and headers before the body is read. */
function checkForm(request: RequestHead): void {
  if (request.method === "GET") return;
  if (request.method !== "POST") throw methodNotAllowed("GET, POST");
  requireJson(request.header("content-type"));
}

async function parametersOf({ method, target }: RequestHead, body: LeasedBody): Promise<GraphqlRequest> {
  return method === "GET" ? readQueryParameters(target) : readJsonParameters(await body.read());
}

const refusalsOfCallers: ReadonlySet<string> = new Set([
  "AUTHENTICATION_REQUIRED",
  "AUTHENTICATION_FAILED",
  "PERMISSION_DENIED",
  "SERVICE_UNAVAILABLE",
]);

/** Returns whether the caller was refused, not the request. Such a refusal is a GraphQL result. */
function isRefusedCaller(error: unknown): error is AppError {
  return isAppError(error) && refusalsOfCallers.has(error.code);
}

function methodNotAllowed(allow: string): HttpStatusError {
  return new HttpStatusError(405, new AppError("INVALID_REQUEST", `use ${allow}`), { allow });
}

function answerResult(result: ExecutionResult, accepted: MediaType): Answer {
  return { status: accepted === json ? 200 : statusOf(result), result };
}

/** Returns the status for the newer media type (docs/interface/graphql.md#status-codes). */
function statusOf({ data, errors = [] }: ExecutionResult): number {
  if (data != null || errors.length === 0) return 200;
  const codes = new Set(errors.map(({ extensions }) => extensions["code"]));
  if (codes.has("AUTHENTICATION_REQUIRED") || codes.has("AUTHENTICATION_FAILED")) return 401;
  if (codes.has("PERMISSION_DENIED")) return 403;
  if (data === undefined) return 400;
  return codes.has("VALIDATION_ERROR") ? 422 : 200;
}

function send(response: OutboundResponse, { status, result, headers = {} }: Answer, type: MediaType, requestId: string): void {
  if (response.isClosed) return;
  const body = JSON.stringify(result);
  const own = ["content-type", `${type}; charset=utf-8`, "content-length", String(Buffer.byteLength(body))];
  const common = ["cache-control", "no-store", "x-content-type-options", "nosniff", "x-request-id", requestId];
  response.writeHead(status, [...listOf(headers), ...own, ...common]);
  response.end(body);
}
