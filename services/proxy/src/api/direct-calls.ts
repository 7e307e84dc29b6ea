import type { BufferBudget, Call, Clock, MaybePromise, RequestContext } from "@appserver/kernel";
import { ProxiedRequest } from "../use-cases/forward-request/proxied-request.ts";
import { runSteps, type Step } from "../use-cases/forward-request/step.ts";
import type { HttpEntry } from "./http.ts";
import { MemoryRequest } from "./memory-request.ts";
import { type DirectResponse, MemoryResponse } from "./memory-response.ts";

/** A request to a route of an app that a part of the platform makes for a caller. */
export interface DirectRequest {
  readonly app: string;
  /** The only pattern that the request may reach, as the manifest has it. */
  readonly pattern: string;
  readonly method: string;
  /** Public path and query, percent-encoded: `/api/apps/com.example.notes/items?first=10`. */
  readonly target: string;
  /** JSON. Undefined: the request has no body. */
  readonly body: string | undefined;
}

/** The caller of a direct request, as the listener that authenticated it knows it. */
export interface DirectCaller extends Pick<Call, "caller" | "signal"> {
  /** Throws or rejects if the caller would not be accepted any more. */
  readonly reauthenticate: () => MaybePromise<void>;
  /** That of the request with which the caller has asked for this one. */
  readonly context: RequestContext;
}

export interface DirectCallsDeps {
  readonly entry: HttpEntry;
  /** The first of its steps: those that admit a request. */
  readonly admission: readonly Step[];
  readonly budget: BufferBudget;
  readonly clock: Clock;
}

/** After the head, a response may take this long. */
const maxBodyMs = 30_000;

/**
 * Calls routes of apps for callers that the platform has authenticated already. The requests pass the steps of all proxied requests, with
 * their limits and records. Only the credentials are missing.
 */
export class DirectCalls {
  readonly #deps: DirectCallsDeps;

  constructor(deps: DirectCallsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the response of the app: at most 256 kB of a text, or its type and length. Rejects with the Rejection of the step that refuses
   * the request, with UPSTREAM_ERROR if the response breaks off, and with INVALID_REQUEST if `signal` aborts.
   */
  async call(request: DirectRequest, { caller, reauthenticate, context, signal }: DirectCaller): Promise<DirectResponse> {
    const { clock, entry } = this.#deps;
    const lease = this.#deps.budget.lease(context.remoteAddress);
    lease.prove();
    const over = new AbortController();
    const response = new MemoryResponse({
      lease,
      onHead: () =>
        void clock.sleep(maxBodyMs, over.signal).then(
          () => response.cut(),
          () => {},
        ),
    });
    const leave = (): void => response.disconnect();
    signal.addEventListener("abort", leave, { once: true });
    try {
      const { app, pattern } = request;
      const message = {
        request: new MemoryRequest(request, context),
        response,
        direct: { caller, reauthenticate, app, pattern },
      };
      entry.handleDirect(message, context, { lease, refuse: (rejection) => response.refuse(rejection) });
      if (signal.aborted) leave();
      return await response.received;
    } finally {
      over.abort();
      signal.removeEventListener("abort", leave);
    }
  }

  /** Resolves if the caller may use the route now. Rejects as {@link call} would. Nothing is sent, counted or recorded. */
  check(request: DirectRequest, { caller, reauthenticate, context }: DirectCaller): Promise<void> {
    const { admission, budget, clock, entry } = this.#deps;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const lease = budget.lease(context.remoteAddress);
    const { app, pattern } = request;
    const message = {
      request: new MemoryRequest(request, context),
      response: new MemoryResponse({ lease, onHead: () => {} }),
      direct: { caller, reauthenticate, app, pattern },
    };
    const proxied = new ProxiedRequest(message, context, clock.monotonic(), lease, (_, error) => {
      proxied.end();
      reject(entry.rejectionOf(error, context));
    });
    const admitted: Step = () => {
      proxied.end();
      resolve();
    };
    runSteps([...admission, admitted], proxied);
    return promise;
  }
}
