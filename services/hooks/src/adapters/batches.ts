import { type Settlers, withDeadline } from "@appserver/kernel";

interface Waiting<T, R> extends Settlers<R> {
  readonly item: T;
}

export interface BatchesOptions<T> {
  readonly maxItems: number;
  /** Of one batch, in whatever unit `weigh` has. Default: no limit. */
  readonly maxWeight?: number;
  readonly weigh?: (item: T) => number;
  /** Waited for before each batch, for what nobody is in a hurry to see done. Default: others of the same turn. */
  readonly gather?: () => Promise<void>;
  /** An item without a result by then is rejected with SERVICE_UNAVAILABLE; one that still waits is left out. Default: none. */
  readonly deadlineMs?: number;
}

/**
 * Work on many items at once: while one batch is under way, what comes meanwhile gathers for the next. Alone, an item waits
 * for nothing; under load, a commit is shared by as many as came during the last one.
 */
export class Batches<T, R> {
  readonly #work: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #options: BatchesOptions<T>;
  #waiting: Waiting<T, R>[] = [];
  #running: Promise<void> | undefined;

  /** `work` answers one result for each item, in their order; when it rejects, all of its items do. */
  constructor(work: (items: readonly T[]) => Promise<readonly R[]>, options: BatchesOptions<T>) {
    this.#work = work;
    this.#options = options;
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(this.#waitingFor(item, { resolve, reject }));
      this.#running ??= this.#run();
    });
  }

  #waitingFor(item: T, settlers: Settlers<R>): Waiting<T, R> {
    const { deadlineMs } = this.#options;
    if (deadlineMs === undefined) return { item, ...settlers };
    const leave = (): void => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
    };
    const waiting = { item, ...withDeadline(settlers, deadlineMs, leave) };
    return waiting;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Those who add in the same turn belong together.
      await (this.#options.gather?.() ?? Promise.resolve());
      const batch = this.#take();
      if (batch.length === 0) break;
      try {
        const results = await this.#work(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = undefined;
  }

  #take(): readonly Waiting<T, R>[] {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY, weigh = () => 0 } = this.#options;
    let count = 0;
    for (let weight = 0; count < Math.min(maxItems, this.#waiting.length); count += 1) {
      weight += weigh((this.#waiting[count] as Waiting<T, R>).item);
      if (count > 0 && weight > maxWeight) break;
    }
    return this.#waiting.splice(0, count);
  }
}
