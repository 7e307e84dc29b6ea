import type { Clock } from "../clock.ts";
import { jittered } from "./backoff.ts";

export interface EveryOptions {
  readonly clock: Clock;
  /** Ends the repetition: no further turn starts. */
  readonly signal: AbortSignal;
  /** The pause between the end of one turn and the start of the next. */
  readonly intervalMs: number;
  /** The part of a pause, 0 to 1, by which it may be shorter at random. @defaultValue 0 */
  readonly jitter?: number;
  /** Whether the first turn starts with the call, or after a pause. */
  readonly first: "at once" | "after a pause";
  /** One turn. */
  readonly run: () => unknown;
  /** Receives the error of a failed turn. The next turn runs anyway. */
  readonly onError: (error: unknown) => void;
}

/** Repeats `run` until the signal aborts. Turns never overlap. Resolves when the current turn has ended. Never rejects. */
export async function every(options: EveryOptions): Promise<void> {
  const { clock, signal, intervalMs, jitter = 0, first, run, onError } = options;
  for (let isDue = first === "at once"; !signal.aborted; isDue = true) {
    try {
      if (isDue) await run();
    } catch (error) {
      onError(error);
    }
    await clock.sleep(jittered(intervalMs, jitter), signal).catch(() => {});
  }
}
