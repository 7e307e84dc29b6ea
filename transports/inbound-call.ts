import { type Call, type Caller, RequiredPermissions } from "@appserver/kernel";

/** The reason of every end. Without one, each abort creates an exception with a stack, which thousands of subscriptions notice. */
const ended = new DOMException("the call has ended", "AbortError");

/** A call over HTTP or a WebSocket. It creates its signal on first use. */
export class InboundCall implements Call {
  readonly caller: Caller;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly required = new RequiredPermissions();
  #abort: AbortController | undefined;
  #over = false;

  constructor(caller: Caller, requestId: string, traceparent: string | undefined) {
    this.caller = caller;
    this.requestId = requestId;
    this.traceparent = traceparent;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#over) this.#abort.abort(ended);
    return this.#abort.signal;
  }

  /** Aborts the signal: the result is not needed any more. */
  end(): void {
    this.#over = true;
    this.#abort?.abort(ended);
  }
}
