import { type Caller, type LiveConnections, type MaybePromise, RequiredPermissions } from "@appserver/kernel";
import {
  Code,
  ConnectError,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";

type Next = (request: UnaryRequest | StreamRequest) => Promise<UnaryResponse | StreamResponse>;

/** Ends a stream when its caller is not authenticated any more, or lost a permission that was required to open it. */
export class RecheckedStream {
  readonly #caller: Caller;
  /** Permissions that the method requires are checked again later. */
  readonly required = new RequiredPermissions();
  readonly #reauthenticate: () => MaybePromise<void>;
  readonly #connections: Pick<LiveConnections, "join">;
  readonly #ended = new AbortController();

  constructor(caller: Caller, reauthenticate: () => MaybePromise<void>, connections: Pick<LiveConnections, "join">) {
    this.#caller = caller;
    this.#reauthenticate = reauthenticate;
    this.#connections = connections;
  }

  async run(request: StreamRequest, next: Next): Promise<UnaryResponse | StreamResponse> {
    const leave = this.#connections.join({
      caller: this.#caller,
      check: async () => {
        await this.#reauthenticate();
        await this.required.requireAgain(this.#caller);
      },
      end: (reason) => this.#ended.abort(reason),
    });
    const signal = AbortSignal.any([request.signal, this.#ended.signal]);
    try {
      const response = await next({ ...request, signal });
      if (response.stream) return { ...response, message: this.#untilEnded(response.message, request.signal, leave) };
      leave();
      return response;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Yields the method's messages, then throws the reason why the stream was ended. A method ends when its signal is aborted.
   */
  async *#untilEnded<T>(messages: AsyncIterable<T>, call: AbortSignal, leave: () => void): AsyncGenerator<T> {
    try {
      for await (const message of messages) {
        this.#ended.signal.throwIfAborted();
        yield message;
      }
      this.#ended.signal.throwIfAborted();
      // The server stops. Without an error the client would believe that nothing more follows.
      if (call.reason instanceof ConnectError && call.reason.code === Code.Unavailable) throw call.reason;
    } finally {
      leave();
    }
  }
}
