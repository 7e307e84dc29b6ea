import type { Model } from "./model.ts";
import { type ConditionalTuple, parseSubject, type Subject, usersetOf } from "./relationship.ts";
import { invalidTuple } from "./validate-tuple.ts";

/** A tuple with its user parsed once, when it is added. */
export interface IndexedTuple {
  readonly tuple: ConditionalTuple;
  readonly subject: Subject;
}

/** The tuples that a check reads. The first argument is `type:id#relation`. */
export interface TupleReader {
  direct(userset: string, user: string): IndexedTuple | undefined;
  /** Returns tuples whose user is a userset or a wildcard. */
  usersets(userset: string): Iterable<IndexedTuple>;
  all(userset: string): Iterable<IndexedTuple>;
}

interface Entry {
  readonly all: Map<string, IndexedTuple>;
  readonly usersets: Map<string, IndexedTuple>;
}

/**
 * Indexes tuples in memory by object and relation. Tuples that the model does not allow are excluded: they were written under
 * an earlier model and are no longer valid.
 */
export class TupleIndex implements TupleReader {
  readonly #model: Model;
  readonly #entries = new Map<string, Entry>();

  constructor(model: Model, tuples: Iterable<ConditionalTuple> = []) {
    this.#model = model;
    for (const tuple of tuples) this.add(tuple);
  }

  /** Replaces the tuple with the same user, relation and object. */
  add(tuple: ConditionalTuple): void {
    if (invalidTuple(this.#model, tuple) !== undefined) return;
    const key = usersetOf(tuple.object, tuple.relation);
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = { all: new Map(), usersets: new Map() };
      this.#entries.set(key, entry);
    }
    const indexed: IndexedTuple = { tuple, subject: parseSubject(tuple.user) };
    entry.all.set(tuple.user, indexed);
    if (indexed.subject.relation !== "" || indexed.subject.wildcard) entry.usersets.set(tuple.user, indexed);
  }

  remove(tuple: ConditionalTuple): void {
    const key = usersetOf(tuple.object, tuple.relation);
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.all.delete(tuple.user);
    entry.usersets.delete(tuple.user);
    if (entry.all.size === 0) this.#entries.delete(key);
  }

  direct(userset: string, user: string): IndexedTuple | undefined {
    return this.#entries.get(userset)?.all.get(user);
  }

  usersets(userset: string): Iterable<IndexedTuple> {
    return this.#entries.get(userset)?.usersets.values() ?? [];
  }

  all(userset: string): Iterable<IndexedTuple> {
    return this.#entries.get(userset)?.all.values() ?? [];
  }
}

/** Reads one request's contextual tuples before the stored ones. */
export class LayeredTuples implements TupleReader {
  readonly #over: TupleReader;
  readonly #under: TupleReader;

  constructor(over: TupleReader, under: TupleReader) {
    this.#over = over;
    this.#under = under;
  }

  direct(userset: string, user: string): IndexedTuple | undefined {
    return this.#over.direct(userset, user) ?? this.#under.direct(userset, user);
  }

  *usersets(userset: string): Iterable<IndexedTuple> {
    yield* this.#over.usersets(userset);
    yield* this.#under.usersets(userset);
  }

  *all(userset: string): Iterable<IndexedTuple> {
    yield* this.#over.all(userset);
    yield* this.#under.all(userset);
  }
}
