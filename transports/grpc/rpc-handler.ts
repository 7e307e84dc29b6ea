import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import { AppError, anonymousCaller, type BufferBudget, type BufferLease, type Logger, Turns } from "@appserver/kernel";
import { Code, ConnectError, type ConnectRouter, createContextValues } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalHandler, type UniversalServerRequest } from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import { toErrorResponse } from "../http/error-response.ts";
import { NodeRequest } from "../http/node-request.ts";
import { requestIdOf } from "../http/request-context.ts";
import { answerBrowser, type BrowserRules } from "./browser-calls.ts";
import {
  type AuthenticateCall,
  type CallAdmission,
  callerKey,
  clientCertificateKey,
  leaseKey,
  refusalKey,
  requestIdKey,
} from "./call-context.ts";
import { refusalOfParts, withoutManyParts } from "./message-parts.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { requestEnvelopes } from "./request-envelopes.ts";
import { isGone, RequestMessage } from "./request-message.ts";
import { refusalOfUnreadable, withEmptyMessage } from "./unreadable-message.ts";

/** Time for a response to arrive before its stream is reset. */
const resetDelayMs = 1000;

/**
 * Calls of one connection that start in one turn of the event loop. A burst arrives in one turn, and starting a call takes up
 * to 1 ms.
 */
const callsPerTurn = 16;

/** Admission of health checks and reflection: load balancers and tools have no identity here. */
const openAdmission: CallAdmission = { caller: anonymousCaller, isProven: false, maxMessageBytes: 16_384 };

export interface RpcHandlerOptions {
  readonly router: ConnectRouter;
  readonly authenticate: AuthenticateCall;
  readonly browsers: BrowserRules;
  readonly budget: BufferBudget;
  /** Maximum for any caller. */
  readonly maxMessageBytes: number;
  /** Time limit for the message of a unary call, or for the first one of a stream; 0 for no limit. */
  readonly readTimeoutMs: number;
  /** Time limit between two messages that a client streams to a method with a single response; 0 for no limit. */
  readonly idleTimeoutMs: number;
  readonly logger: Logger;
}

/** A request with its response. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the client. */
  readonly remoteAddress: string;
}

interface Call {
  readonly handler: UniversalHandler;
  readonly remoteAddress: string;
  readonly received: UniversalServerRequest;
  readonly lease: BufferLease;
  /** Undefined for streams. */
  readonly message: RequestMessage | undefined;
}

/**
 * Passes Node's requests to Connect's handlers. Unlike Connect's own adapter it authenticates the caller before it reads a
 * message, counts the bytes that it buffers, and keeps the bytes of unary messages, which apps sign.
 */
export class RpcHandler {
  readonly #handlers = new Map<string, UniversalHandler>();
  readonly #options: RpcHandlerOptions;
  readonly #turns = new Turns(callsPerTurn);
  /** Number of unary calls in progress. */
  unaryCalls = 0;

  constructor(options: RpcHandlerOptions) {
    for (const handler of options.router.handlers) this.#handlers.set(handler.requestPath, handler);
    this.#options = options;
  }

  /** `remoteAddress`: of the client. Default: that of the connection. */
  handle(request: IncomingMessage, response: ServerResponse, remoteAddress = request.socket.remoteAddress ?? ""): void {
    try {
      if (answerBrowser(request, response, this.#options.browsers)) return;
    } catch (error) {
      refuse(request, response, error);
      return;
    }
    resetWhenAnswered(request, response);
    const handler = this.#handlers.get(request.url?.split("?", 1)[0] ?? "");
    if (!handler) {
      refuseUnknown(request, response);
      return;
    }
    this.#turns.run(() => {
      if (!isGone(request)) this.#start(handler, { request, response, remoteAddress });
    });
  }

  #start(handler: UniversalHandler, exchange: Exchange): void {
    const { request, response } = exchange;
    this.#call(handler, exchange).catch((error: unknown) => {
      // The client has disconnected, so no response is needed.
      if (!isGone(request) && ConnectError.from(error).code !== Code.Aborted)
        this.#options.logger.warn({ err: error, path: handler.requestPath }, "grpc: the client aborted a call");
      response.destroy();
    });
  }

  async #call(handler: UniversalHandler, exchange: Exchange): Promise<void> {
    const call = this.#begin(handler, exchange);
    const values = call.received.contextValues;
    let admitted: UniversalServerRequest | undefined;
    try {
      admitted = await this.#admitted(call);
    } catch (error) {
      if (ConnectError.from(error).code === Code.Aborted) throw error;
      values?.set(refusalKey, error instanceof Error ? error : new Error(String(error)));
    } finally {
      call.message?.stop();
    }
    // A refused unary call needs a message that can be decoded. The interceptors refuse it in its own protocol.
    const refused = call.message ? withEmptyMessage(call.received) : call.received;
    await universalResponseToNodeResponse(await handler(admitted ?? refused), exchange.response);
  }

  #begin(handler: UniversalHandler, { request, response, remoteAddress }: Exchange): Call {
    const { budget, readTimeoutMs } = this.#options;
    const lease = budget.lease(remoteAddress);
    const values = createContextValues();
    values.set(requestIdKey, requestIdOf(new NodeRequest(request)));
    values.set(clientCertificateKey, peerCertificate(request));
    values.set(leaseKey, lease);
    const received = universalRequestFromNodeRequest(request, response, undefined, values);
    const isUnary = handler.method.methodKind === "unary";
    const message = isUnary ? new RequestMessage({ request, headers: received.header, lease, readTimeoutMs }) : undefined;
    if (isUnary) this.unaryCalls += 1;
    // Not tied to the promise of the response: it may settle long before the client has the response, or never.
    response.once("close", () => {
      if (isUnary) this.unaryCalls -= 1;
      lease.release();
    });
    return { handler, remoteAddress, received, lease, message };
  }

  /** Returns the call with a body within the limits of its caller. Rejects with the reason to refuse the call. */
  async #admitted(call: Call): Promise<UniversalServerRequest> {
    const { received, lease, message, handler } = call;
    const admission = await this.#admit(call);
    received.contextValues?.set(callerKey, admission.caller);
    if (admission.isProven) lease.prove();
    if (admission.caller.kind === "app") lease.countFor(admission.caller.name);
    const maxMessageBytes = Math.min(admission.maxMessageBytes, this.#options.maxMessageBytes);
    if (!message) {
      const { readTimeoutMs, idleTimeoutMs } = this.#options;
      // A client that also reads may be silent for any time.
      const idle = handler.method.methodKind === "client_streaming" ? idleTimeoutMs : 0;
      const rules = { maxMessageBytes, mayCompress: admission.isProven, lease, readTimeoutMs, idleTimeoutMs: idle };
      const envelopes = requestEnvelopes(bodyOf(received), rules);
      return { ...received, body: withoutManyParts(envelopes, handler.method, received.header) };
    }
    const { body, message: bytes } = await message.read(maxMessageBytes);
    const refusal =
      refusalOfParts(handler.method, received.header, bytes) ?? refusalOfUnreadable(handler.method, received.header, bytes);
    if (refusal) throw refusal;
    return { ...received, body: createAsyncIterable([body]) };
  }

  #admit({ handler, remoteAddress, received, message, lease }: Call): CallAdmission | Promise<CallAdmission> {
    if (handler.service.typeName.startsWith("grpc.")) return openAdmission;
    const clientCertificate = received.contextValues?.get(clientCertificateKey);
    const credentials = {
      method: received.method,
      path: handler.requestPath,
      headers: received.header,
      remoteAddress,
      readMessage: async (maxBytes: number, appName: string) => {
        lease.countFor(appName);
        return (await message?.read(maxBytes))?.message ?? new Uint8Array();
      },
    };
    return Promise.resolve(this.#options.authenticate(clientCertificate ? { ...credentials, clientCertificate } : credentials));
  }
}

/** Returns the body as a byte stream. Connect's type also allows JSON that another framework has parsed already. */
function bodyOf({ body }: UniversalServerRequest): AsyncIterable<Uint8Array> {
  if (typeof body === "object" && body !== null && Symbol.asyncIterator in body) return body as AsyncIterable<Uint8Array>;
  return createAsyncIterable<Uint8Array>([]);
}

/**
 * Ends a request whose response was sent while its client still sends: after a refusal the client may never send the rest
 * (RFC 9113 §8.1). Waits a moment, because Node's clients drop a response that a reset overtakes.
 */
function resetWhenAnswered(request: IncomingMessage, response: ServerResponse): void {
  const { stream } = request as { readonly stream?: ServerHttp2Stream };
  // Over HTTP/2, Node emits `finish` of the response only when the whole stream closes.
  (stream ?? response).once("finish", () => {
    if (stream ? stream.readableEnded : request.complete) return;
    const end = (): void => void (stream ? stream.close(constants.NGHTTP2_NO_ERROR) : request.socket.destroy());
    const timer = setTimeout(end, resetDelayMs);
    (stream ?? request.socket).once("close", () => clearTimeout(timer));
  });
}

/**
 * Refuses an unknown method. gRPC clients read trailers, not statuses
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
 */
function refuseUnknown(request: IncomingMessage, response: ServerResponse): void {
  const type = request.headers["content-type"];
  if (type?.startsWith("application/grpc")) {
    const headers = { "content-type": type, "grpc-status": String(Code.Unimplemented), "grpc-message": "no such method" };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    // Without a preceding `writeHead` the headers themselves end the stream: a response of trailers only.
    response.end();
    return;
  }
  refuse(request, response, new AppError("NOT_FOUND", "no such method"));
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const { status, headers, body } = toErrorResponse(error, request.headers.accept);
  response.writeHead(status, headers);
  response.end(body);
}
