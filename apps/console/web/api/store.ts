import { useSyncExternalStore } from "react";

/** A value outside of React that components follow. */
export class Store<T> {
  readonly #listeners = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Returns the value, and renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(
    (listener) => store.listen(listener),
    () => store.get(),
  );
}
