interface Queue<T> {
  items: T[];
  /** Index of the first item. Removed items stay before it for a while, because moving all others each time takes too long. */
  head: number;
}

/** A queue for each owner. The owners take turns, so that one with many items does not delay those of others. */
export class OwnedQueues<T> {
  readonly #ownerOf: (item: T) => string;
  /** None is empty. The owner whose turn it is comes first. */
  readonly #queues = new Map<string, Queue<T>>();
  #size = 0;

  constructor(ownerOf: (item: T) => string) {
    this.#ownerOf = ownerOf;
  }

  get size(): number {
    return this.#size;
  }

  /** The item whose turn it is. */
  get first(): T | undefined {
    for (const { items, head } of this.#queues.values()) return items[head];
    return undefined;
  }

  add(item: T): void {
    const owner = this.#ownerOf(item);
    const queue = this.#queues.get(owner);
    if (queue) queue.items.push(item);
    else this.#queues.set(owner, { items: [item], head: 0 });
    this.#size += 1;
  }

  /** Removes {@link first}. Its owner has the next turn after all others. */
  removeFirst(): void {
    for (const [owner, queue] of this.#queues) {
      this.#size -= 1;
      this.#queues.delete(owner);
      queue.head += 1;
      if (queue.head === queue.items.length) return;
      if (queue.head > queue.items.length / 2) Object.assign(queue, { items: queue.items.slice(queue.head), head: 0 });
      this.#queues.set(owner, queue);
      return;
    }
  }

  /** Removes and returns the items that match. */
  remove(matches: (item: T) => boolean): readonly T[] {
    const removed: T[] = [];
    for (const [owner, queue] of this.#queues) {
      const kept: T[] = [];
      for (const item of queue.items.slice(queue.head)) (matches(item) ? removed : kept).push(item);
      if (kept.length === 0) this.#queues.delete(owner);
      else Object.assign(queue, { items: kept, head: 0 });
    }
    this.#size -= removed.length;
    return removed;
  }
}
