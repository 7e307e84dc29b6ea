import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<string>();

/** The trace that the running work belongs to, as a `traceparent`; undefined outside of {@link runInTrace} (ADR 0019). */
export function currentTraceparent(): string | undefined {
  return current.getStore();
}

/** Runs `work`, and all that it begins, as a part of the trace. Without one, as part of none. */
export function runInTrace<T>(traceparent: string | undefined, work: () => T): T {
  return traceparent === undefined ? current.exit(work) : current.run(traceparent, work);
}
