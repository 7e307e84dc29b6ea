import type { IncomingMessage } from "node:http";
import {
  type AppError,
  anonymousCaller,
  type Caller,
  isAppError,
  type LiveConnections,
  type Logger,
  newTraceparent,
  type RequestContext,
  runInTrace,
} from "@appserver/kernel";
import { type ExecutionResult, GraphQLError, OperationTypeNode } from "graphql";
import type { WebSocket } from "ws";
import { SubscriptionOverflowError } from "../events/index.ts";
import { NodeRequest } from "../http/node-request.ts";
import { InboundCall } from "../inbound-call.ts";
import type { Authenticate, GraphqlCredentials, Reauthentication, ReauthenticationOf } from "./context.ts";
import type { Executor, PreparedOperation } from "./executor.ts";
import { requestError } from "./graphql-errors.ts";
import { checkParameters } from "./http-parameters.ts";
import { inexactMessage } from "./inexact-message.ts";
import { type Introspection, introspectionRefusal } from "./introspection.ts";
import { MessageIntake } from "./message-intake.ts";
import { ResultStream } from "./result-stream.ts";

/**
 * Close codes of both subprotocols (graphql-transport-ws, "Communication"). After 1001 and 1013 client libraries connect again. After
 * 4400, 4401, 4429 and 4500 the library graphql-ws gives up.
 */
export const closeCodes = {
  goingAway: 1001,
  tryAgainLater: 1013,
  badRequest: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  initTimeout: 4408,
  tooManyRequests: 4429,
  internalError: 4500,
} as const;

/** Maximum number of open operations on one socket. */
const maxOperations = 100;
/** A client that does not respond to the close frame is terminated after this time. */
const closeTimeoutMs = 1_000;

export interface SocketOptions {
  readonly executor: Executor;
  readonly authenticate: Authenticate;
  readonly reauthentication: ReauthenticationOf;
  readonly connections: Pick<LiveConnections, "join">;
  readonly introspection: Introspection;
  readonly logger: Logger;
  /** Time between pings, and between `ka` messages of the older protocol (docs/interface/limits.md#websockets). */
  readonly keepAliveMs: number;
  /** Time limit for `connection_init`. */
  readonly initTimeoutMs: number;
}

/** Ends an operation that has not begun with an error, as the subprotocol does. */
export type Refuse = (id: string, error: GraphQLError) => Promise<void>;

type Stream = ResultStream<ExecutionResult, ExecutionResult>;
type Results = Stream | ExecutionResult;

interface OpenOperation {
  readonly call: InboundCall;
  stream: Stream | undefined;
}

/** The operations of one client, with either subprotocol. */
export class SocketSession {
  readonly #options: SocketOptions;
  readonly #socket: WebSocket;
  readonly #request: IncomingMessage;
  readonly #requestId: string;
  readonly #remoteAddress: string;
  readonly #operations = new Map<string, OpenOperation>();
  #caller: Caller = anonymousCaller;
  #reauthenticate: Reauthentication = () => {};
  #intake: MessageIntake | undefined;
  #leave = (): void => {};
  #isConnected = false;

  constructor(
    options: SocketOptions,
    socket: WebSocket,
    request: IncomingMessage,
    { requestId, remoteAddress }: RequestContext,
  ) {
    this.#options = options;
    this.#socket = socket;
    this.#request = request;
    this.#requestId = requestId;
    this.#remoteAddress = remoteAddress;
    socket.once("close", () => this.#endAll());
  }

  /** Handles the socket's messages, at most `limit` at the same time. Closes the socket if `handle` throws. */
  receive(limit: number, handle: (text: string) => Promise<void>, refuse: Refuse): void {
    this.#intake = new MessageIntake(this.#socket, limit, async (text) => {
      try {
        const refused = this.#isConnected ? inexactMessage(text) : undefined;
        await (refused ? refuse(refused.id, refused.error) : handle(text));
      } catch (error) {
        if (!this.#isOpen) return;
        this.#options.logger.error({ err: error, requestId: this.#requestId }, "graphql: an operation over WebSocket failed");
        this.close(closeCodes.internalError, "Internal error");
      }
    });
  }

  /** Ends every operation, and closes the socket even if its client does not respond. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#endAll();
    closeSocket(this.#socket, code, reason);
  }

  /** Authenticates with the upgrade's headers and the payload of `connection_init`. Returns false if the socket was closed. */
  async connect(payload: unknown): Promise<boolean> {
    const request = new NodeRequest(this.#request);
    const connectionParams = (payload ?? {}) as Readonly<Record<string, unknown>>;
    const credentials: GraphqlCredentials = {
      method: "GET",
      url: request.target,
      header: (name) => request.header(name),
      remoteAddress: this.#remoteAddress,
      readBody: () => new Uint8Array(),
      connectionParams,
    };
    try {
      const caller = await this.#options.authenticate(credentials);
      if (!this.#isOpen) return false;
      this.#caller = caller;
      this.#isConnected = true;
      this.#reauthenticate = this.#options.reauthentication(credentials, this.#caller);
      this.#leave = this.#options.connections.join({
        isSocket: true,
        caller: this.#caller,
        check: () => this.#check(),
        end: (reason) => this.close(...refusalOf(reason)),
      });
      return true;
    } catch (error) {
      if (!isAppError(error))
        this.#options.logger.error({ err: error, requestId: this.#requestId }, "graphql: authenticating a WebSocket failed");
      this.close(...refusalOf(error));
      return false;
    }
  }

  /**
   * Returns the operation if the caller is still authenticated. Rejects with INVALID_REQUEST for parameters of the wrong shape.
   * Closes the socket of a caller whose session has ended.
   */
  async prepare(payload: unknown): Promise<PreparedOperation | readonly GraphQLError[]> {
    const request = checkParameters(payload);
    try {
      await this.#reauthenticate();
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code !== "SERVICE_UNAVAILABLE") this.close(...refusalOf(error));
      return [requestError(error)];
    }
    const operation = this.#options.executor.prepare(request, this.#caller);
    if (!("cached" in operation)) return operation;
    return (await introspectionRefusal(operation, this.#caller, this.#options.introspection)) ?? operation;
  }

  /** Starts an operation. Closes a client that falls behind its results instead of waiting for it. */
  async begin(id: string, prepared: PreparedOperation): Promise<Results> {
    if (this.#operations.size >= maxOperations) {
      this.close(closeCodes.tooManyRequests, "Too many operations");
      return { errors: [new GraphQLError("too many operations")] };
    }
    // A socket's messages do not belong to a request: each has its own trace.
    const traceparent = newTraceparent();
    const call = new InboundCall(this.#caller, this.#requestId, traceparent);
    const operation: OpenOperation = { call, stream: undefined };
    this.#operations.set(id, operation);
    if (!this.#isOpen) call.end();
    const { executor } = this.#options;
    if (prepared.cached.operation !== OperationTypeNode.SUBSCRIPTION) {
      const result = await runInTrace(traceparent, () => executor.run(prepared, call));
      this.#end(id, operation);
      return result;
    }
    const results = await executor.subscribe(prepared, call);
    if (Symbol.asyncIterator in results) return this.#stream(id, operation, results);
    this.#end(id, operation);
    return results;
  }

  /** Ends the operation: its result is not needed any more. */
  end(id: string): void {
    const operation = this.#operations.get(id);
    if (operation) this.#end(id, operation);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #stream(id: string, operation: OpenOperation, results: AsyncIterable<ExecutionResult>): Stream {
    this.#intake?.lasting(1);
    operation.stream = new ResultStream(
      results,
      (result) => result,
      (error) => {
        this.#intake?.lasting(-1);
        this.#end(id, operation);
        if (error instanceof SubscriptionOverflowError) this.close(closeCodes.tooManyRequests, "Too many events behind");
      },
    );
    return operation.stream;
  }

  /** Checks whether the caller is still authenticated, and ends the subscriptions whose permissions were revoked. */
  async #check(): Promise<void> {
    await this.#reauthenticate();
    for (const operation of this.#operations.values()) {
      try {
        await operation.call.required.requireAgain(operation.call.caller);
      } catch (error) {
        if (!isAppError(error, "PERMISSION_DENIED")) throw error;
        operation.stream?.finish({ errors: [requestError(error)] });
        operation.call.end();
      }
    }
  }

  /** Compares the operation itself: the client may have used the id for another operation in between. */
  #end(id: string, operation: OpenOperation): void {
    operation.call.end();
    if (this.#operations.get(id) === operation) this.#operations.delete(id);
  }

  #endAll(): void {
    this.#leave();
    for (const [id, operation] of [...this.#operations]) this.#end(id, operation);
  }
}

function refusalOf(error: AppError | unknown): readonly [number, string] {
  if (isAppError(error, "AUTHENTICATION_REQUIRED") || isAppError(error, "AUTHENTICATION_FAILED")) {
    return [closeCodes.unauthorized, "Unauthorized"];
  }
  if (isAppError(error, "PERMISSION_DENIED")) return [closeCodes.forbidden, "Forbidden"];
  if (isAppError(error, "RATE_LIMIT_EXCEEDED")) return [closeCodes.tooManyRequests, "Too many streams"];
  if (isAppError(error, "SERVICE_UNAVAILABLE")) return [closeCodes.tryAgainLater, "Service unavailable"];
  return [closeCodes.internalError, "Internal error"];
}

/** Closes a socket even if its client does not respond. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  // A paused socket would never read the client's part of the closing handshake.
  socket.resume();
  setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
}

/** Resolves when the bytes were passed to the operating system, so that a slow client slows only its own results. */
export function sendText(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) resolve();
    // If sending fails, the socket closes, which ends everything.
    else socket.send(text, () => resolve());
  });
}
