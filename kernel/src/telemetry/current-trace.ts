import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<string>();

/** Returns the current trace as a `traceparent`; undefined outside of {@link runInTrace} (ADR 0019). */
export function currentTraceparent(): string | undefined {
  return current.getStore();
}

/** Runs `work`, and everything it starts, as a part of the trace; outside of any trace if `traceparent` is undefined. */
export function runInTrace<T>(traceparent: string | undefined, work: () => T): T {
  return traceparent === undefined ? current.exit(work) : current.run(traceparent, work);
}
