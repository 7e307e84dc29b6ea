import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import { isDatabaseUnavailable } from "../expected-error.ts";
import { OwnedQueues } from "./owned-queues.ts";
import { within } from "./within.ts";

interface Waiting<In, Out> {
  readonly item: In;
  readonly result: PromiseWithResolvers<Out>;
}

/** Whether a failed transaction of several items may succeed without one of them. */
export function isCausedByOneItem(error: unknown): boolean {
  return !isDatabaseUnavailable(error);
}

export interface GroupCommitOptions<In> {
  readonly maxItems: number;
  /** The sum of weights that one batch takes. A single heavier item is a batch by itself. @defaultValue no limit */
  readonly maxWeight?: number;
  readonly weigh?: (item: In) => number;
  /** Batches take the items of owners in turns, so that one with many items does not delay the others. @defaultValue one owner */
  readonly ownerOf?: (item: In) => string;
  /** Runs before each batch, while items are collected for it. @defaultValue one turn of the event loop */
  readonly gather?: () => Promise<void>;
  /** Whether the items of a failed batch are retried one by one. Otherwise all fail with its error. @defaultValue never */
  readonly isRetriedSingly?: (error: unknown) => boolean;
  /** An item without a result by then rejects with SERVICE_UNAVAILABLE. If it was in no batch by then, it never is. @defaultValue none */
  readonly deadline?: { readonly clock: Clock; readonly ms: number };
}

/** Collects calls and runs them as one batch. Calls that arrive while a batch runs are collected for the next one. */
export class GroupCommit<In, Out> {
  readonly #work: (items: readonly In[]) => Promise<readonly Out[]>;
  readonly #options: GroupCommitOptions<In>;
  readonly #waiting: OwnedQueues<Waiting<In, Out>>;
  #isRunning = false;

  /** `work` returns one result for each item, in their order. */
  constructor(work: (items: readonly In[]) => Promise<readonly Out[]>, options: GroupCommitOptions<In>) {
    this.#work = work;
    this.#options = options;
    const { ownerOf = () => "" } = options;
    this.#waiting = new OwnedQueues(({ item }) => ownerOf(item));
  }

  run(item: In): Promise<Out> {
    const { deadline } = this.#options;
    const waiting = { item, result: Promise.withResolvers<Out>() };
    this.#waiting.add(waiting);
    if (!this.#isRunning) void this.#drain();
    if (!deadline) return waiting.result.promise;
    return within(() => waiting.result.promise, { ...deadline, error: () => this.#giveUp(waiting, deadline.ms) });
  }

  /** Takes items that are in no batch yet out of the next one: their callers receive `result`. */
  withdraw(matches: (item: In) => boolean, result: Out): void {
    for (const each of this.#waiting.remove(({ item }) => matches(item))) each.result.resolve(result);
  }

  #giveUp(waiting: Waiting<In, Out>, ms: number): AppError {
    const isWithdrawn = this.#waiting.remove((each) => each === waiting).length > 0;
    const outcome = isWithdrawn ? "it is not stored" : "whether it is stored is not known";
    return new AppError("SERVICE_UNAVAILABLE", `the database did not respond within ${ms} ms: ${outcome}`);
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    const { gather = () => new Promise<void>((resolve) => setImmediate(resolve)) } = this.#options;
    while (this.#waiting.size > 0) {
      await gather();
      await this.#commit(this.#nextBatch());
    }
    this.#isRunning = false;
  }

  #nextBatch(): readonly Waiting<In, Out>[] {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY, weigh = () => 0 } = this.#options;
    let weight = 0;
    const batch: Waiting<In, Out>[] = [];
    for (let next = this.#waiting.first; next && batch.length < maxItems; next = this.#waiting.first) {
      weight += weigh(next.item);
      if (batch.length > 0 && weight > maxWeight) break;
      batch.push(next);
      this.#waiting.removeFirst();
    }
    return batch;
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
