import type { IncomingMessage } from "node:http";
import {
  type AppError,
  anonymousCaller,
  type Caller,
  isAppError,
  type LiveConnections,
  type Logger,
  newTraceparent,
  RequiredPermissions,
  runInTrace,
} from "@appserver/kernel";
import { type ExecutionResult, GraphQLError, OperationTypeNode } from "graphql";
import type { WebSocket } from "ws";
import { SubscriptionOverflowError } from "../events/index.ts";
import type { RequestContext } from "../http/request-context.ts";
import { type Authenticate, type GraphqlCredentials, OperationContext, type Standing, type StandingOf } from "./context.ts";
import type { Executor, PreparedOperation } from "./executor.ts";
import { requestError } from "./graphql-errors.ts";
import { checkParameters } from "./http-parameters.ts";
import { type Introspection, introspectionRefusal } from "./introspection.ts";
import { MessageIntake } from "./message-intake.ts";
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
/** A client that does not answer the close frame is cut off after this time. */
const closeTimeoutMs = 1_000;

export interface SocketOptions {
  readonly executor: Executor;
  readonly authenticate: Authenticate;
  readonly standing: StandingOf;
  readonly connections: Pick<LiveConnections, "join">;
  readonly introspection: Introspection;
  readonly logger: Logger;
  /** Time between pings, and between `ka` messages of the older protocol (docs/interface/limits.md#websockets). */
  readonly keepAliveMs: number;
  /** Until `connection_init` must have come. */
  readonly initTimeoutMs: number;
}

type Stream = ResultStream<ExecutionResult, ExecutionResult>;
type Results = Stream | ExecutionResult;

interface OpenOperation {
  readonly context: OperationContext;
  readonly required: RequiredPermissions;
  stream: Stream | undefined;
}

/** One client's operations, whichever subprotocol carries them. */
export class SocketSession {
  readonly #options: SocketOptions;
  readonly #socket: WebSocket;
  readonly #request: IncomingMessage;
  readonly #requestId: string;
  readonly #remoteAddress: string;
  readonly #operations = new Map<string, OpenOperation>();
  #caller: Caller = anonymousCaller;
  #standing: Standing = () => {};
  #intake: MessageIntake | undefined;
  #leave = (): void => {};

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

  /** Handles the socket's messages, at most `limit` at the same time. What `handle` throws closes the socket. */
  receive(limit: number, handle: (text: string) => Promise<void>): void {
    this.#intake = new MessageIntake(this.#socket, limit, async (text) => {
      try {
        await handle(text);
      } catch (error) {
        if (!this.#isOpen) return;
        this.#options.logger.error({ err: error, requestId: this.#requestId }, "GraphQL over WebSocket failed");
        this.close(closeCodes.internalError, "Internal error");
      }
    });
  }

  /** Ends every operation, and the socket with or without its client's help. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#endAll();
    this.#socket.close(code, reason);
    // A paused socket would never read the client's half of the closing handshake.
    this.#socket.resume();
    setTimeout(() => this.#socket.terminate(), closeTimeoutMs).unref();
  }

  /** Authenticates with the upgrade's headers and the payload of `connection_init`; false closed the socket. */
  async connect(payload: unknown): Promise<boolean> {
    const { url = "", headers } = this.#request;
    const connectionParams = (payload ?? {}) as Readonly<Record<string, unknown>>;
    const credentials: GraphqlCredentials = {
      method: "GET",
      url,
      headers,
      remoteAddress: this.#remoteAddress,
      readBody: () => new Uint8Array(),
      connectionParams,
    };
    try {
      this.#caller = await this.#options.authenticate(credentials);
    } catch (error) {
      if (!isAppError(error))
        this.#options.logger.error({ err: error, requestId: this.#requestId }, "WebSocket not authenticated");
      this.close(...refusalOf(error));
      return false;
    }
    if (!this.#isOpen) return false;
    this.#standing = this.#options.standing(credentials, this.#caller);
    this.#leave = this.#options.connections.join({
      caller: this.#caller,
      check: () => this.#check(),
      end: (reason) => this.close(...refusalOf(reason)),
    });
    return true;
  }

  /**
   * The operation, if the caller still stands. Rejects with INVALID_REQUEST for parameters of the wrong shape. A caller who was
   * signed out loses the socket.
   */
  async prepare(payload: unknown): Promise<PreparedOperation | readonly GraphQLError[]> {
    const request = checkParameters(payload);
    try {
      await this.#standing();
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code !== "SERVICE_UNAVAILABLE") this.close(...refusalOf(error));
      return [requestError(error)];
    }
    const operation = this.#options.executor.prepare(request, this.#caller);
    if (!("cached" in operation)) return operation;
    return (await introspectionRefusal(operation, this.#caller, this.#options.introspection)) ?? operation;
  }

  /** Begins an operation. A client that falls behind its results is closed, never waited for. */
  async begin(id: string, prepared: PreparedOperation): Promise<Results> {
    if (this.#operations.size >= maxOperations) {
      this.close(closeCodes.tooManyRequests, "Too many operations");
      return { errors: [new GraphQLError("too many operations")] };
    }
    const required = new RequiredPermissions(this.#caller);
    const context = new OperationContext(required.caller, this.#requestId);
    const operation: OpenOperation = { context, required, stream: undefined };
    this.#operations.set(id, operation);
    if (!this.#isOpen) context.end();
    const { executor } = this.#options;
    if (prepared.cached.operation !== OperationTypeNode.SUBSCRIPTION) {
      // A socket's messages belong to no request: each is a trace of its own.
      const result = await runInTrace(newTraceparent(), () => executor.run(prepared, context));
      this.#end(id, operation);
      return result;
    }
    const results = await executor.subscribe(prepared, context);
    if (Symbol.asyncIterator in results) return this.#stream(id, operation, results);
    this.#end(id, operation);
    return results;
  }

  /** Nobody waits for the operation any more. */
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

  /** Whether the caller stands; ends the subscriptions whose permissions are not held any more. */
  async #check(): Promise<void> {
    await this.#standing();
    for (const operation of this.#operations.values()) {
      try {
        await operation.required.requireAgain();
      } catch (error) {
        if (!isAppError(error, "PERMISSION_DENIED")) throw error;
        operation.stream?.finish({ errors: [requestError(error)] });
        operation.context.end();
      }
    }
  }

  /** By identity: the client may have given the id to another operation meanwhile. */
  #end(id: string, operation: OpenOperation): void {
    operation.context.end();
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
