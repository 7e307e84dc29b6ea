import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import { within } from "./within.ts";

interface Waiting<In, Out> {
  readonly item: In;
  readonly result: PromiseWithResolvers<Out>;
}

export interface GroupCommitOptions<In> {
  readonly maxItems: number;
  /** The sum of weights that one batch takes. A single heavier item is a batch by itself. @defaultValue no limit */
  readonly maxWeight?: number;
  readonly weigh?: (item: In) => number;
  /** Runs before each batch, while items are collected for it. @defaultValue one turn of the event loop */
  readonly gather?: () => Promise<void>;
  /** Whether the items of a failed batch are retried one by one. Otherwise all fail with its error. @defaultValue never */
  readonly isRetriedSingly?: (error: unknown) => boolean;
  /** An item without a result by then rejects with SERVICE_UNAVAILABLE, and is not in a later batch. @defaultValue none */
  readonly deadline?: { readonly clock: Clock; readonly ms: number };
}

/** Collects calls and runs them as one batch. Calls that arrive while a batch runs are collected for the next one. */
export class GroupCommit<In, Out> {
  readonly #work: (items: readonly In[]) => Promise<readonly Out[]>;
  readonly #options: GroupCommitOptions<In>;
  #waiting: Waiting<In, Out>[] = [];
  #isRunning = false;

  /** `work` returns one result for each item, in their order. */
  constructor(work: (items: readonly In[]) => Promise<readonly Out[]>, options: GroupCommitOptions<In>) {
    this.#work = work;
    this.#options = options;
  }

  run(item: In): Promise<Out> {
    const { deadline } = this.#options;
    const waiting = { item, result: Promise.withResolvers<Out>() };
    this.#waiting.push(waiting);
    if (!this.#isRunning) void this.#drain();
    if (!deadline) return waiting.result.promise;
    return within(() => waiting.result.promise, { ...deadline, error: () => this.#giveUp(waiting, deadline.ms) });
  }

  /** Takes items that are in no batch yet out of the next one: their callers receive `result`. */
  withdraw(matches: (item: In) => boolean, result: Out): void {
    const withdrawn = this.#waiting.filter(({ item }) => matches(item));
    if (withdrawn.length === 0) return;
    this.#waiting = this.#waiting.filter((each) => !withdrawn.includes(each));
    for (const each of withdrawn) each.result.resolve(result);
  }

  #giveUp(waiting: Waiting<In, Out>, ms: number): AppError {
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    return new AppError("SERVICE_UNAVAILABLE", `the batch was not stored within ${ms} ms`);
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    const { gather = () => new Promise<void>((resolve) => setImmediate(resolve)) } = this.#options;
    while (this.#waiting.length > 0) {
      await gather();
      await this.#commit(this.#nextBatch());
    }
    this.#isRunning = false;
  }

  #nextBatch(): readonly Waiting<In, Out>[] {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY, weigh = () => 0 } = this.#options;
    let weight = 0;
    let size = 0;
    for (const { item } of this.#waiting) {
      weight += weigh(item);
      if (size > 0 && (size === maxItems || weight > maxWeight)) break;
      size += 1;
    }
    return this.#waiting.splice(0, size);
  }

  async #commit(batch: readonly Waiting<In, Out>[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const results = await this.#work(batch.map(({ item }) => item));
      for (const [index, { result }] of batch.entries()) result.resolve(results[index] as Out);
    } catch (error) {
      if (batch.length > 1 && this.#options.isRetriedSingly?.(error)) for (const each of batch) await this.#commit([each]);
      else for (const { result } of batch) result.reject(error);
    }
  }
}
