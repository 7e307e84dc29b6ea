import { isPromise, type MaybePromise } from "@appserver/kernel";
import type { Exchange } from "./exchange.ts";

/**
 * One step of the pipeline: adds what it found to the exchange, or throws. No promise where nothing waits: most
 * requests pass most steps without one.
 */
export type Step = (exchange: Exchange) => MaybePromise<void>;

/** Runs the steps in order until one throws; the exchange's `refuse` then answers. */
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
