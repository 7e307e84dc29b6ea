import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, type Logger, uuidv7 } from "@appserver/kernel";
import { Code, ConnectError, type ConnectRouter, createContextValues } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalHandler, type UniversalServerRequest } from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import { toErrorResponse } from "../http/error-response.ts";
import { inboundRequestId } from "../http/request-context.ts";
import { messageBytesKey, requestIdKey } from "./call-context.ts";
import { bufferBody, messageOfBody } from "./request-message.ts";

/**
 * Hands Node's requests to Connect's handlers. Unlike Connect's own adapter it keeps the bytes of unary messages, which
 * apps sign, and counts the calls under way.
 */
export class RpcHandler {
  readonly #handlers = new Map<string, UniversalHandler>();
  readonly #maxMessageBytes: number;
  readonly #logger: Logger;
  /** Unary calls under way. */
  unaryCalls = 0;

  constructor(router: ConnectRouter, maxMessageBytes: number, logger: Logger) {
    for (const handler of router.handlers) this.#handlers.set(handler.requestPath, handler);
    this.#maxMessageBytes = maxMessageBytes;
    this.#logger = logger;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
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
    const received = universalRequestFromNodeRequest(request, response, undefined, values);
    if (handler.method.methodKind !== "unary") {
      const answer = await handler(received);
      const body = answer.body && endingRequest(answer.body, request);
      await universalResponseToNodeResponse(body ? { ...answer, body } : answer, response);
      return;
    }
    this.unaryCalls += 1;
    // Not by the promise of the answer: it may settle long before the client has the answer, or never.
    response.once("close", () => {
      this.unaryCalls -= 1;
    });
    const call = await this.#buffered(received, request);
    await universalResponseToNodeResponse(await handler(call), response);
  }

  async #buffered(received: UniversalServerRequest, request: IncomingMessage): Promise<UniversalServerRequest> {
    // The envelope, and a little of what is too much: Connect refuses it by its length.
    const { bytes, complete } = await bufferBody(request, this.#maxMessageBytes + 1024);
    if (complete) {
      received.contextValues?.set(messageBytesKey, await messageOfBody(bytes, received.header, this.#maxMessageBytes));
    }
    return { ...received, body: createAsyncIterable([bytes]) };
  }
}

/** Once the answer is over, drops what the client still sends, without which its stream would stay open. */
async function* endingRequest(body: AsyncIterable<Uint8Array>, request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    request.resume();
  }
}

/** gRPC clients read trailers, not statuses (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). */
function refuseUnknown(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers["content-type"]?.startsWith("application/grpc")) {
    const headers = { "grpc-status": String(Code.Unimplemented), "grpc-message": "no such method" };
    response.writeHead(200, { "content-type": request.headers["content-type"], ...headers });
    response.end();
    return;
  }
  const { status, headers, body } = toErrorResponse(new AppError("NOT_FOUND", "no such method"), request.headers.accept);
  response.writeHead(status, headers);
  response.end(body);
}
