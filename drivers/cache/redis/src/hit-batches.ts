import type { Window, WindowResult } from "@appserver/kernel/ports";
import { type Hit, parseWindowResults, slidingWindowCall } from "./sliding-window.ts";

/** Most hits of one call, during which Redis does nothing else. */
const maxHits = 64;

interface WaitingHit extends Hit {
  readonly resolve: (result: WindowResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs the script of the sliding window in Redis. */
export type RunWindowScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/**
 * Counts hits in Redis with one call at a time: those that come during a call share the next one. A single hit waits for nothing,
 * and under load a call costs a fraction per hit.
 */
export class HitBatches {
  readonly #run: RunWindowScript;
  #waiting: WaitingHit[] = [];
  #isRunning = false;

  constructor(run: RunWindowScript) {
    this.#run = run;
  }

  /** Resolves with the result of the hit. Rejects as `run` does. */
  count(key: string, windows: readonly Window[]): Promise<WindowResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, windows, resolve, reject });
      if (!this.#isRunning) this.#runNext();
    });
  }

  #runNext(): void {
    const hits = this.#waiting.length > maxHits ? this.#waiting.splice(0, maxHits) : this.#waiting;
    if (hits === this.#waiting) this.#waiting = [];
    this.#isRunning = hits.length > 0;
    if (!this.#isRunning) return;
    const { keys, args } = slidingWindowCall(hits);
    this.#run(keys, args)
      .then((reply) => parseWindowResults(reply, hits.length))
      .then(
        (results) => {
          for (const [index, result] of results.entries()) hits[index]?.resolve(result);
        },
        (error: unknown) => {
          for (const { reject } of hits) reject(error);
        },
      )
      .finally(() => this.#runNext());
  }
}
