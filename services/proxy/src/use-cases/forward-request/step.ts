import { isPromise, type MaybePromise } from "@appserver/kernel";
import type { Exchange } from "./exchange.ts";

/**
 * One step of the pipeline. It adds its result to the exchange, or throws. It returns a promise only if it waits, because most
 * requests pass most steps without waiting.
 */
export type Step = (exchange: Exchange) => MaybePromise<void>;

/** Runs the steps in order until one throws. Then the exchange's `refuse` sends the response. */
export function runSteps(steps: readonly Step[], exchange: Exchange, first = 0): void {
  try {
    for (let index = first; index < steps.length; index++) {
      if (exchange.isAborted) return;
      const pending = steps[index]?.(exchange);
      if (pending !== undefined && isPromise(pending)) {
        pending.then(
          () => runSteps(steps, exchange, index + 1),
          (error: unknown) => exchange.refuse(exchange, error),
        );
        return;
      }
    }
  } catch (error) {
    exchange.refuse(exchange, error);
  }
}
