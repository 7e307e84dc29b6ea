import type { IncomingMessage } from "node:http";
import { isAppError, type RequestContext } from "@appserver/kernel";
import type { ExecutionArgs } from "graphql";
import { makeServer, type Server } from "graphql-ws";
import type { WebSocket } from "ws";
import type { PreparedOperation } from "./executor.ts";
import { requestError } from "./graphql-errors.ts";
import { closeCodes, type SocketOptions, SocketSession, sendText } from "./websocket-operations.ts";

/** Messages of one socket that are handled at the same time, not counting open subscriptions. */
const concurrentMessages = 32;

interface Extra {
  readonly session: SocketSession;
}

/** Arguments that `onSubscribe` passes to `execute` and `subscribe`, in addition to those of graphql-ws itself. */
interface PreparedArgs extends ExecutionArgs {
  readonly id: string;
  readonly prepared: PreparedOperation;
  readonly session: SocketSession;
}

/** The subprotocol `graphql-transport-ws` (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md). */
export class TransportWsProtocol {
  readonly #options: SocketOptions;
  readonly #server: Server<Extra>;

  constructor(options: SocketOptions) {
    this.#options = options;
    this.#server = makeServer<Record<string, unknown>, Extra>({
      connectionInitWaitTimeout: options.initTimeoutMs,
      // A refusal has already closed the socket, with its own code.
      onConnect: async ({ connectionParams, extra }) => extra.session.connect(connectionParams),
      onSubscribe: ({ extra }, id, payload) => this.#prepare(extra.session, id, payload),
      onComplete: ({ extra }, id) => extra.session.end(id),
      execute: (args) => begin(args),
      subscribe: (args) => begin(args),
    });
  }

  opened(socket: WebSocket, request: IncomingMessage, context: RequestContext): void {
    const session = new SocketSession(this.#options, socket, request, context);
    const closed = this.#server.opened(
      {
        protocol: socket.protocol,
        send: (text) => sendText(socket, text),
        close: (code = closeCodes.internalError, reason = "") => session.close(code, reason),
        onMessage: (handle) =>
          session.receive(concurrentMessages, handle, (id, error) =>
            sendText(socket, JSON.stringify({ type: "error", id, payload: [error.toJSON()] })),
          ),
      },
      { session },
    );
    socket.once("close", (code, reason) => void closed(code, String(reason)));
  }

  async #prepare(
    session: SocketSession,
    id: string,
    payload: unknown,
  ): Promise<ReturnType<typeof toArgs> | ReturnType<typeof requestError>[]> {
    try {
      const prepared = await session.prepare(payload);
      return "cached" in prepared ? toArgs(this.#options, session, id, prepared) : [...prepared];
    } catch (error) {
      if (isAppError(error)) return [requestError(error)];
      throw error;
    }
  }
}

function toArgs(options: SocketOptions, session: SocketSession, id: string, prepared: PreparedOperation): PreparedArgs {
  const { operationName } = prepared.request;
  return { schema: options.executor.schema, document: prepared.cached.document, operationName, id, prepared, session };
}

function begin(args: ExecutionArgs): ReturnType<SocketSession["begin"]> {
  const { session, id, prepared } = args as PreparedArgs;
  return session.begin(id, prepared);
}
