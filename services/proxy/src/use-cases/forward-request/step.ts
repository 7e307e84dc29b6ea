import { isPromise, type MaybePromise } from "@appserver/kernel";
import type { ProxiedRequest } from "./proxied-request.ts";

/**
 * One step of the pipeline. It adds its result to the request, or throws. It returns a promise only if it waits, because most
 * requests pass most steps without waiting.
 */
export type Step = (proxied: ProxiedRequest) => MaybePromise<void>;

/** Runs the steps in order until one throws. Then the request's `refuse` sends the response. */
export function runSteps(steps: readonly Step[], proxied: ProxiedRequest, first = 0): void {
  try {
    for (let index = first; index < steps.length; index++) {
      if (proxied.isAborted) return;
      const pending = steps[index]?.(proxied);
      if (pending !== undefined && isPromise(pending)) {
        pending.then(
          () => runSteps(steps, proxied, index + 1),
          (error: unknown) => proxied.refuse(proxied, error),
        );
        return;
      }
    }
  } catch (error) {
    proxied.refuse(proxied, error);
  }
}
