import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import { AppError, type Logger, uuidv7 } from "@appserver/kernel";
import { Code, ConnectError, type ConnectRouter, createContextValues } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalHandler, type UniversalServerRequest } from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import { toErrorResponse } from "../http/error-response.ts";
import { inboundRequestId } from "../http/request-context.ts";
import { answerBrowser, type BrowserRules } from "./browser-calls.ts";
import { clientCertificateKey, messageBytesKey, requestIdKey, unreadableKey } from "./call-context.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { bufferBody, messageOfBody } from "./request-message.ts";
import { refusalOfJson, withEmptyJson } from "./unreadable-json.ts";

/** Time for an answer to arrive before its stream is reset. */
const resetDelayMs = 1000;

/**
 * Hands Node's requests to Connect's handlers. Unlike Connect's own adapter it keeps the bytes of unary messages, which
 * apps sign, and counts the calls under way.
 */
export class RpcHandler {
  readonly #handlers = new Map<string, UniversalHandler>();
  readonly #maxMessageBytes: number;
  readonly #logger: Logger;
  readonly #browsers: BrowserRules;
  /** Unary calls under way. */
  unaryCalls = 0;

  constructor(router: ConnectRouter, maxMessageBytes: number, browsers: BrowserRules, logger: Logger) {
    for (const handler of router.handlers) this.#handlers.set(handler.requestPath, handler);
    this.#maxMessageBytes = maxMessageBytes;
    this.#browsers = browsers;
    this.#logger = logger;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    try {
      if (answerBrowser(request, response, this.#browsers)) return;
    } catch (error) {
      refuse(request, response, error);
      return;
    }
    resetWhenAnswered(request);
    const handler = this.#handlers.get(request.url?.split("?", 1)[0] ?? "");
    if (!handler) {
      refuseUnknown(request, response);
      return;
    }
    this.#call(handler, request, response).catch((error: unknown) => {
      // The client cut the call off; nobody waits for an answer.
      if (ConnectError.from(error).code !== Code.Aborted)
        this.#logger.warn({ err: error, path: handler.requestPath }, "call broken off");
      response.destroy();
    });
  }

  async #call(handler: UniversalHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const values = createContextValues();
    values.set(requestIdKey, inboundRequestId(request.headers["x-request-id"]) ?? uuidv7());
    values.set(clientCertificateKey, peerCertificate(request));
    const received = universalRequestFromNodeRequest(request, response, undefined, values);
    if (handler.method.methodKind !== "unary") {
      await universalResponseToNodeResponse(await handler(received), response);
      return;
    }
    this.unaryCalls += 1;
    // Not by the promise of the answer: it may settle long before the client has the answer, or never.
    response.once("close", () => {
      this.unaryCalls -= 1;
    });
    const call = await this.#buffered(handler, received, request);
    await universalResponseToNodeResponse(await handler(call), response);
  }

  async #buffered(
    { method }: UniversalHandler,
    received: UniversalServerRequest,
    request: IncomingMessage,
  ): Promise<UniversalServerRequest> {
    // The envelope, and a little of what is too much: Connect refuses it by its length.
    const { bytes, complete } = await bufferBody(request, this.#maxMessageBytes + 1024);
    const call = { ...received, body: createAsyncIterable([bytes]) };
    if (!complete) return call;
    const message = await messageOfBody(bytes, received.header, this.#maxMessageBytes);
    received.contextValues?.set(messageBytesKey, message);
    const refusal = refusalOfJson(method, received.header, message);
    if (!refusal) return call;
    received.contextValues?.set(unreadableKey, refusal);
    return withEmptyJson(call);
  }
}

/**
 * Ends a stream whose answer is out while its client still holds the other half open: refused for its size, it may never
 * send the rest (RFC 9113 §8.1). Not at once: Node's clients drop an answer that a reset overtakes.
 */
function resetWhenAnswered(request: IncomingMessage): void {
  const { stream } = request as { readonly stream?: ServerHttp2Stream };
  stream?.once("finish", () => {
    if (stream.readableEnded) return;
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), resetDelayMs);
    stream.once("close", () => clearTimeout(timer));
  });
}

/** gRPC clients read trailers, not statuses (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). */
function refuseUnknown(request: IncomingMessage, response: ServerResponse): void {
  const type = request.headers["content-type"];
  if (type?.startsWith("application/grpc")) {
    const headers = { "content-type": type, "grpc-status": String(Code.Unimplemented), "grpc-message": "no such method" };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    // Without `writeHead` before, the headers themselves end the stream: an answer of trailers alone.
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
