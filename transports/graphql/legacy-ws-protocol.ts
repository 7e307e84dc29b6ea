import type { IncomingMessage } from "node:http";
import { isAppError, type RequestContext } from "@appserver/kernel";
import type { ExecutionResult, GraphQLError } from "graphql";
import type { WebSocket } from "ws";
import { requestError } from "./graphql-errors.ts";
import { closeCodes, type SocketOptions, SocketSession, sendText } from "./websocket-operations.ts";

interface Message {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly payload?: unknown;
}

/** The subprotocol `graphql-ws` of the older Apollo clients (subscriptions-transport-ws, PROTOCOL.md). */
export class LegacyWsProtocol {
  readonly #options: SocketOptions;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  opened(socket: WebSocket, request: IncomingMessage, context: RequestContext): void {
    const session = new SocketSession(this.#options, socket, request, context);
    const client = new LegacyClient(this.#options, socket, session);
    // Handles one message at a time, so that `stop` never overtakes its `start`.
    session.receive(
      1,
      (text) => client.receive(text),
      (id, error) => sendText(socket, JSON.stringify({ type: "error", id, payload: error.toJSON() })),
    );
    socket.once("close", () => client.close());
  }
}

class LegacyClient {
  readonly #socket: WebSocket;
  readonly #session: SocketSession;
  readonly #keepAliveMs: number;
  readonly #streams = new Map<string, AsyncIterableIterator<ExecutionResult>>();
  readonly #initTimeout: NodeJS.Timeout;
  #keepAlive: NodeJS.Timeout | undefined;
  #initialised = false;

  constructor(options: SocketOptions, socket: WebSocket, session: SocketSession) {
    this.#socket = socket;
    this.#session = session;
    this.#keepAliveMs = options.keepAliveMs;
    this.#initTimeout = setTimeout(() => {
      session.close(closeCodes.initTimeout, "Connection initialisation timeout");
    }, options.initTimeoutMs);
  }

  async receive(text: string): Promise<void> {
    const { type, id, payload } = readMessage(text);
    if (type === "connection_init") return this.#init(payload);
    if (type === "connection_terminate") return this.#session.close(1000, "");
    if (!this.#initialised) return this.#session.close(closeCodes.unauthorized, "Unauthorized");
    if (typeof id === "string" && type === "start") return this.#start(id, payload);
    if (typeof id === "string" && type === "stop") return this.#stop(id);
    await this.#send({ type: "error", id, payload: { message: "unknown message" } });
  }

  close(): void {
    clearTimeout(this.#initTimeout);
    clearInterval(this.#keepAlive);
    for (const stream of this.#streams.values()) void stream.return?.();
  }

  async #init(payload: unknown): Promise<void> {
    if (this.#initialised) return;
    clearTimeout(this.#initTimeout);
    if (!(await this.#session.connect(payload))) return;
    this.#initialised = true;
    await this.#send({ type: "connection_ack" });
    await this.#send({ type: "ka" });
    this.#keepAlive = setInterval(() => void this.#send({ type: "ka" }), this.#keepAliveMs);
  }

  async #start(id: string, payload: unknown): Promise<void> {
    await this.#stop(id);
    const operation = await this.#prepare(payload);
    if (!("cached" in operation)) {
      return this.#send({ type: "error", id, payload: operation[0]?.toJSON() });
    }
    const results = await this.#session.begin(id, operation);
    if (Symbol.asyncIterator in results) {
      this.#streams.set(id, results);
      // Not awaited: other operations of the client continue.
      void this.#pump(id, results);
      return;
    }
    await this.#data(id, results);
    await this.#send({ type: "complete", id });
  }

  async #pump(id: string, results: AsyncIterableIterator<ExecutionResult>): Promise<void> {
    try {
      for await (const result of results) await this.#data(id, result);
    } catch {
      // A stream fails only if the client fell behind, and then the socket is closed already.
      this.#session.close(closeCodes.internalError, "Internal error");
    }
    if (this.#streams.get(id) === results) {
      this.#streams.delete(id);
      await this.#send({ type: "complete", id });
    }
  }

  async #stop(id: string): Promise<void> {
    await this.#streams.get(id)?.return?.();
    this.#session.end(id);
  }

  async #prepare(payload: unknown): ReturnType<SocketSession["prepare"]> {
    try {
      return await this.#session.prepare(payload);
    } catch (error) {
      if (isAppError(error)) return [requestError(error)];
      throw error;
    }
  }

  #data(id: string, { errors, ...result }: ExecutionResult): Promise<void> {
    const payload = errors ? { ...result, errors: errors.map((error: GraphQLError) => error.toJSON()) } : result;
    return this.#send({ type: "data", id, payload });
  }

  #send(message: object): Promise<void> {
    return sendText(this.#socket, JSON.stringify(message));
  }
}

function readMessage(text: string): Message {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null ? message : {};
  } catch {
    return {};
  }
}
