import type { ChannelSubscription } from "@appserver/kernel/ports";
import { type ConditionalTuple, formatTuple } from "./relationship.ts";
import type { TupleChange, TupleFilter, TupleStore } from "./tuple-store.ts";

/** Keeps tuples only in memory: for tests and trials. */
export class MemoryTupleStore implements TupleStore {
  readonly #tuples = new Map<string, ConditionalTuple>();
  readonly #changes: TupleChange[] = [];
  readonly #watchers = new Set<() => void>();

  async load(): Promise<{ revision: number; tuples: readonly ConditionalTuple[] }> {
    return { revision: this.#changes.length, tuples: [...this.#tuples.values()] };
  }

  async changesSince(revision: number): Promise<{ revision: number; changes: readonly TupleChange[] }> {
    return { revision: this.#changes.length, changes: this.#changes.slice(revision) };
  }

  async apply(writes: readonly ConditionalTuple[], deletes: readonly ConditionalTuple[]): Promise<void> {
    for (const tuple of deletes) {
      if (this.#tuples.delete(formatTuple(tuple))) this.#changes.push({ deleted: true, tuple });
    }
    for (const tuple of writes) {
      this.#tuples.set(formatTuple(tuple), tuple);
      this.#changes.push({ deleted: false, tuple });
    }
    for (const onChange of this.#watchers) onChange();
  }

  async read({ user, relation, object }: TupleFilter): Promise<readonly ConditionalTuple[]> {
    return [...this.#tuples.values()].filter(
      (tuple) =>
        (user === undefined || tuple.user === user) &&
        (relation === undefined || tuple.relation === relation) &&
        (object === undefined || (object.endsWith(":") ? tuple.object.startsWith(object) : tuple.object === object)),
    );
  }

  async watch(onChange: () => void): Promise<ChannelSubscription> {
    this.#watchers.add(onChange);
    return {
      hears: () => true,
      close: async () => {
        this.#watchers.delete(onChange);
      },
    };
  }

  async ping(): Promise<void> {}
}
