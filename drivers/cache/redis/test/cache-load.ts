import { setTimeout as sleep } from "node:timers/promises";
import type { Cache } from "@appserver/kernel/ports";

/** Calls a cache as a busy server does, and counts the results. */
export class CacheLoad {
  calls = 0;
  rejected = 0;
  allowed = 0;
  /** Number of results without a promise: from the process itself. */
  atOnce = 0;
  slowestMs = 0;
  readonly #cache: Cache;

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  /** Makes 20 calls of each kind every 10 ms. Resolves when all have returned. */
  async run(durationMs: number): Promise<void> {
    const end = performance.now() + durationMs;
    const answers: Promise<void>[] = [];
    while (performance.now() < end) {
      for (let n = 0; n < 20; n += 1) answers.push(...this.#callEach());
      await sleep(10);
    }
    await Promise.all(answers);
  }

  summary(): string {
    const { calls, rejected, allowed, atOnce, slowestMs } = this;
    return `${calls} calls, ${rejected} rejected, ${atOnce} returned at once, ${allowed} hits allowed, slowest ${Math.round(slowestMs)} ms`;
  }

  #callEach(): Promise<void>[] {
    const key = String(this.calls);
    const cache = this.#cache;
    return [
      this.#call(
        () => cache.slidingWindow("load", [{ limit: 1_000_000, windowMs: 60_000 }]),
        ({ allowed }) => {
          if (allowed) this.allowed += 1;
        },
      ),
      this.#call(() => cache.addIfAbsent(key, 60_000)),
      this.#call(() => cache.set(key, "value", 60_000)),
      this.#call(() => cache.get(key)),
      this.#call(() => cache.delete(key)),
    ];
  }

  async #call<T>(call: () => T | Promise<T>, onAnswer: (answer: T) => void = () => {}): Promise<void> {
    const startedAt = performance.now();
    this.calls += 1;
    try {
      const answer = call();
      if (!(answer instanceof Promise)) this.atOnce += 1;
      onAnswer(await answer);
    } catch {
      this.rejected += 1;
    }
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
  }
}
