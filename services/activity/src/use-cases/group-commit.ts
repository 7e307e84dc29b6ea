import { type Settlers, withDeadline } from "@appserver/kernel";

interface Waiting<In, Out> extends Settlers<Out> {
  readonly item: In;
  readonly weight: number;
}

export interface GroupCommitOptions<In> {
  readonly maxItems: number;
  /** Sum of weights that one batch takes; a single heavier item goes alone. */
  readonly maxWeight?: number;
  readonly weigh?: (item: In) => number;
  /** Whether a failure would meet each item alone just the same: then a batch is not taken apart. */
  readonly isCommon?: (error: unknown) => boolean;
  /** An item without a result by then is rejected with SERVICE_UNAVAILABLE; one that still waits is left out. Default: none. */
  readonly deadlineMs?: number;
}

/**
 * Does many small pieces of work as few large ones: while one batch is under way, what arrives waits and becomes the next.
 * Alone, an item never waits. Each caller hears of its own result; a batch that fails is tried again item by item, so that
 * one bad item fails nobody else's.
 */
export class GroupCommit<In, Out> {
  readonly #work: (items: readonly In[]) => Promise<readonly Out[]>;
  readonly #options: GroupCommitOptions<In>;
  #waiting: Waiting<In, Out>[] = [];
  #running: Promise<void> | undefined;

  /** `work` answers one result for each item, in order. */
  constructor(work: (items: readonly In[]) => Promise<readonly Out[]>, options: GroupCommitOptions<In>) {
    this.#work = work;
    this.#options = options;
  }

  run(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(this.#waitingFor(item, { resolve, reject }));
      this.#running ??= this.#drain().finally(() => {
        this.#running = undefined;
      });
    });
  }

  #waitingFor(item: In, settlers: Settlers<Out>): Waiting<In, Out> {
    const { deadlineMs, weigh } = this.#options;
    const weight = weigh?.(item) ?? 0;
    if (deadlineMs === undefined) return { item, weight, ...settlers };
    const leave = (): void => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
    };
    const waiting = { item, weight, ...withDeadline(settlers, deadlineMs, leave) };
    return waiting;
  }

  async #drain(): Promise<void> {
    // One turn of the event loop: what a stream or socket brought in together goes together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commit(this.#nextBatch());
  }

  #nextBatch(): readonly Waiting<In, Out>[] {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY } = this.#options;
    let weight = 0;
    let size = 0;
    for (const waiting of this.#waiting) {
      weight += waiting.weight;
      if (size > 0 && (size === maxItems || weight > maxWeight)) break;
      size += 1;
    }
    return this.#waiting.splice(0, size);
  }

  async #commit(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await this.#work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Out);
    } catch (error) {
      const [only] = batch;
      if (this.#options.isCommon?.(error)) for (const { reject } of batch) reject(error);
      else if (only && batch.length === 1) only.reject(error);
      else for (const waiting of batch) await this.#commit([waiting]);
    }
  }
}
