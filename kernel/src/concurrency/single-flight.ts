/** Runs one load per key at a time. A caller that comes during a load receives the result of that load. */
export class SingleFlight<Key, Value> {
  readonly #flights = new Map<Key, Promise<Value>>();

  /** Joins the running load of the key, or starts one. */
  run(key: Key, load: () => Promise<Value>): Promise<Value> {
    const underWay = this.#flights.get(key);
    if (underWay) return underWay;
    const flight = load().finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    return flight;
  }

  /** Returns the running load of the key. */
  underWay(key: Key): Promise<Value> | undefined {
    return this.#flights.get(key);
  }

  /** Lets later callers start a new load of the key, or of every key. Running loads continue for their waiting callers. */
  forget(key?: Key): void {
    if (key === undefined) this.#flights.clear();
    else this.#flights.delete(key);
  }
}

/** Returns a function that joins the active run of `load`, or starts one. */
export function singleFlight<Value>(load: () => Promise<Value>): () => Promise<Value> {
  const flights = new SingleFlight<"only", Value>();
  return () => flights.run("only", load);
}
