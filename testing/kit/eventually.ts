import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

export interface EventuallyOptions {
  /** Limits only the duration of a test that fails. Default: 60 s. */
  readonly timeoutMs?: number;
  /** Pause after each look. Default: 25 ms. */
  readonly intervalMs?: number;
  /** The expected state, for the message of the rejection. */
  readonly what?: string;
}

/**
 * Repeats `look` until `holds` accepts its result, and resolves with that result. Without `holds` it accepts any result except
 * `false`, and a look that throws is repeated. With `holds`, a look that throws ends the wait at once.
 *
 * At the time limit it rejects with the last result or error.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  holds?: (seen: T) => boolean,
  { timeoutMs = 60_000, intervalMs = 25, what = "the condition is not true" }: EventuallyOptions = {},
): Promise<T> {
  for (const deadline = performance.now() + timeoutMs; ; await sleep(intervalMs)) {
    let cause: unknown;
    let last: string;
    try {
      const seen = await look();
      if (holds ? holds(seen) : seen !== false) return seen;
      // Also shows what JSON cannot represent, such as the 64-bit numbers of gRPC messages.
      last = inspect(seen, { depth: null, maxStringLength: 4000, breakLength: Number.POSITIVE_INFINITY });
    } catch (error) {
      if (holds) throw error;
      cause = error;
      last = String(error);
    }
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}; last ${last}`, { cause });
  }
}

/** Like {@link eventually}, for a condition: repeats it until it returns true, also if it throws before. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  await eventually(holds, undefined, { what, timeoutMs });
}
