import type { IncomingMessage } from "node:http";
import type { Caller, Logger } from "@appserver/kernel";
import { isAppError, newTraceparent, runInTrace } from "@appserver/kernel";
import { type ExecutionResult, type GraphQLError, OperationTypeNode } from "graphql";
import type { WebSocket } from "ws";
import { SubscriptionOverflowError } from "../events/index.ts";
import { type Authenticate, OperationContext } from "./context.ts";
import type { Executor, PreparedOperation } from "./executor.ts";
import { checkParameters } from "./http-parameters.ts";
import { ResultStream } from "./result-stream.ts";

/** Close codes of both subprotocols (graphql-transport-ws, "Communication"). */
export const closeCodes = {
  goingAway: 1001,
  badRequest: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  initTimeout: 4408,
  tooManyRequests: 4429,
  internalError: 4500,
} as const;

/** Operations that one socket may have open. */
const maxOperations = 100;

export interface SocketOptions {
  readonly executor: Executor;
  readonly authenticate: Authenticate;
  readonly introspection: (caller: Caller) => boolean;
  readonly logger: Logger;
  /** Between pings, and between the older protocol's `ka` (specification §8). */
  readonly keepAliveMs: number;
}

type Results = AsyncIterableIterator<ExecutionResult> | ExecutionResult;

/** One client's operations, whichever subprotocol carries them. */
export class SocketSession {
  readonly #options: SocketOptions;
  readonly #socket: WebSocket;
  readonly #request: IncomingMessage;
  readonly #requestId: string;
  readonly #contexts = new Map<string, OperationContext>();
  #caller: Caller | undefined;

  constructor(options: SocketOptions, socket: WebSocket, request: IncomingMessage, requestId: string) {
    this.#options = options;
    this.#socket = socket;
    this.#request = request;
    this.#requestId = requestId;
    socket.once("close", () => this.#endAll());
  }

  /** Authenticates with the upgrade's headers and the payload of `connection_init`; false closed the socket. */
  async connect(payload: unknown): Promise<boolean> {
    const { url = "", headers } = this.#request;
    const connectionParams = (payload ?? {}) as Readonly<Record<string, unknown>>;
    try {
      this.#caller = await this.#options.authenticate({
        method: "GET",
        url,
        headers,
        body: new Uint8Array(),
        connectionParams,
      });
      return true;
    } catch (error) {
      if (!isAppError(error))
        this.#options.logger.error({ err: error, requestId: this.#requestId }, "WebSocket not authenticated");
      const [code, reason] = refusalOf(error);
      this.#socket.close(code, reason);
      return false;
    }
  }

  /** Throws INVALID_REQUEST for parameters of the wrong shape. */
  prepare(payload: unknown): PreparedOperation | readonly GraphQLError[] {
    const request = checkParameters(payload);
    return this.#options.executor.prepare(request, this.#caller !== undefined && this.#options.introspection(this.#caller));
  }

  /** Begins an operation. A client that falls behind its results is closed, never waited for. */
  async begin(id: string, operation: PreparedOperation): Promise<Results> {
    if (this.#contexts.size >= maxOperations) this.#socket.close(closeCodes.tooManyRequests, "Too many operations");
    const context = new OperationContext(this.#caller ?? { kind: "anonymous" }, this.#requestId);
    this.#contexts.set(id, context);
    const { executor } = this.#options;
    if (operation.cached.operation !== OperationTypeNode.SUBSCRIPTION) {
      // A socket's messages belong to no request: each is a trace of its own.
      const result = await runInTrace(newTraceparent(), () => executor.run(operation, context));
      this.end(id);
      return result;
    }
    const results = await executor.subscribe(operation, context);
    if (Symbol.asyncIterator in results)
      return new ResultStream(
        results,
        (result) => result,
        (error) => this.#onEnd(id, error),
      );
    this.end(id);
    return results;
  }

  /** Nobody waits for the operation any more. */
  end(id: string): void {
    this.#contexts.get(id)?.end();
    this.#contexts.delete(id);
  }

  #onEnd(id: string, error: unknown): void {
    this.end(id);
    if (error instanceof SubscriptionOverflowError) closeSlow(this.#socket);
  }

  #endAll(): void {
    for (const id of [...this.#contexts.keys()]) this.end(id);
  }
}

/** Whoever does not read will not read the close frame either, so patience is short. */
function closeSlow(socket: WebSocket): void {
  socket.close(closeCodes.tooManyRequests, "Too many events behind");
  setTimeout(() => socket.terminate(), 1000).unref();
}

function refusalOf(error: unknown): readonly [number, string] {
  if (isAppError(error, "AUTHENTICATION_REQUIRED") || isAppError(error, "AUTHENTICATION_FAILED")) {
    return [closeCodes.unauthorized, "Unauthorized"];
  }
  if (isAppError(error, "PERMISSION_DENIED")) return [closeCodes.forbidden, "Forbidden"];
  return [closeCodes.internalError, isAppError(error, "SERVICE_UNAVAILABLE") ? "Service unavailable" : "Internal error"];
}

/** Resolves when the bytes went to the system, so that a slow client slows its own results only. */
export function sendText(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) resolve();
    // What could not be sent is followed by the socket's close, which ends everything.
    else socket.send(text, () => resolve());
  });
}
