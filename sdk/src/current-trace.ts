import { AsyncLocalStorage } from "node:async_hooks";

/** The ids of what the app is doing now, with which the platform connects its parts (docs/interface/traces.md#apps). */
export interface CurrentTrace {
  /** W3C Trace Context. Undefined outside of requests, hooks and runs. */
  readonly traceparent: string | undefined;
  /** Undefined outside of requests. */
  readonly requestId: string | undefined;
}

const none: CurrentTrace = { traceparent: undefined, requestId: undefined };
const current = new AsyncLocalStorage<CurrentTrace>();

/** Returns the trace of the request, the hook or the run that the app handles now. */
export function currentTrace(): CurrentTrace {
  return current.getStore() ?? none;
}

/** Runs `work`, and everything that it starts, as a part of a trace: calls of the platform continue it, and log lines name it. */
export function runInTrace<T>(trace: Partial<CurrentTrace>, work: () => T): T {
  return current.run({ ...none, ...trace }, work);
}
